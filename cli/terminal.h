/* SPDX-License-Identifier: Apache-2.0
 * What the terminal can do, and the progress that is shown on it. */
#ifndef HD_TERMINAL_H
#define HD_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum hd_colour { HD_COLOUR_AUTO, HD_COLOUR_ALWAYS, HD_COLOUR_NEVER };

/* False: no such word. */
bool hd_colour_named(const char *word, enum hd_colour *);

/* On a terminal that is not dumb, unless NO_COLOR says no. */
bool hd_terminal_colour(int fd, enum hd_colour);
bool hd_terminal_utf8(void);          /* by the locale */
unsigned hd_terminal_width(int fd);   /* $COLUMNS, or the terminal's; 0: it is none */

/* A bar on stderr, where that is a terminal and no CI; drawn at most ten times a second, and not before
 * `patience` seconds have passed. */
struct hd_progress {
    bool shown, drawn, utf8;
    const char *unit;
    double patience;
    struct timespec began, last;
    time_t until; /* CLOCK_MONOTONIC seconds; 0: no limit */
    uint64_t first; /* done when it began */
};

void hd_progress_begin(struct hd_progress *, const char *unit, double patience, time_t until);
void hd_progress_show(struct hd_progress *, const char *what, uint64_t done, uint64_t left);
void hd_progress_end(struct hd_progress *); /* wipes it */

#endif
