/* SPDX-License-Identifier: Apache-2.0
 * Frameworks that run each test in a process of its own. The ring has one
 * producer: the process whose test is on. A record lock on the mapping's file
 * makes it the only one, for as long as the test is on or the process lives;
 * others that want to begin a test wait.
 *
 *     framework ──fork──▶ test: enter, records, leave ──exit──▶ reaped by the framework
 *
 * A process that dies inside its test leaves nothing behind but what is in the
 * ring. What it died of is known to who waits for it: the framework, whose
 * wait calls are interposed, and which adds that to the trace. */
#ifndef HD_PROCESS_H
#define HD_PROCESS_H

#include <sys/types.h>

void hd_process_enter(void); /* a test begins in this process */
void hd_process_leave(void);
void hd_process_reaped(pid_t, int status); /* a child of this process, which is in no test, changed its state */

#endif
