/* SPDX-License-Identifier: Apache-2.0
 * The signals that end heddle (SIGINT, SIGTERM, SIGHUP), while something is under
 * way that must not be left behind. A caught signal is noted and rings `wake_fd`;
 * whoever polls it stops what it does and returns, files are finished or removed
 * on the way out, and main() ends by the signal after all.
 *
 * Uses nest; a signal that was ignored stays ignored. */
#ifndef HD_INTERRUPT_H
#define HD_INTERRUPT_H

#include <stdbool.h>

/* `wake_fd`: an eventfd, or -1. Returns what was in its place, for the release. */
int hd_interrupt_catch(int wake_fd);
void hd_interrupt_release(int wake_fd_before);

/* The signal that came, or 0. It stays. */
int hd_interrupted(void);

/* Ends the process by the signal that came; returns where none did. */
void hd_interrupt_obey(void);

#endif
