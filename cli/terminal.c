/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR 24

bool hd_colour_named(const char *word, enum hd_colour *colour)
{
    static const char *const words[] = { "auto", "always", "never" };
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *colour = (enum hd_colour)i;
            return true;
        }
    return false;
}

static bool is_terminal(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool hd_terminal_colour(int fd, enum hd_colour colour)
{
    const char *no = getenv("NO_COLOR");
    return colour == HD_COLOUR_ALWAYS || (colour == HD_COLOUR_AUTO && is_terminal(fd) && !(no && *no));
}

bool hd_terminal_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

unsigned hd_terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    if (width > 0 && width < 10000)
        return (unsigned)width;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* ------------------------------------------------------------ progress */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

void hd_progress_begin(struct hd_progress *p, const char *unit, double patience, time_t until)
{
    const char *ci = getenv("CI");
    *p = (struct hd_progress){ .until = until, .unit = unit, .patience = patience };
    p->shown = is_terminal(STDERR_FILENO) && !(ci && *ci && strcmp(ci, "false") != 0);
    p->utf8 = hd_terminal_utf8();
    clock_gettime(CLOCK_MONOTONIC, &p->began);
}

/* Seconds for what is left at the speed so far, at most until the time is up; under 0: unknown. */
static double remaining(const struct hd_progress *p, uint64_t done, uint64_t left)
{
    double spent = seconds_since(&p->began);
    uint64_t mine = done > p->first ? done - p->first : 0;
    double eta = mine ? spent / (double)mine * (double)left : -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double limit = p->until ? (double)(p->until - now.tv_sec) : eta;
    return eta > limit ? limit : eta;
}

void hd_progress_show(struct hd_progress *p, const char *what, uint64_t done, uint64_t left)
{
    if (!p->shown || (p->drawn ? seconds_since(&p->last) < 0.1 : seconds_since(&p->began) < p->patience))
        return;
    clock_gettime(CLOCK_MONOTONIC, &p->last);
    unsigned width = hd_terminal_width(STDERR_FILENO), full = 0;
    double eta = remaining(p, done, left);
    char bar[BAR * 3 + 1] = "", line[256], time[32] = "";
    full = done + left ? (unsigned)(done * BAR / (done + left)) : 0;
    for (unsigned i = 0; i < BAR; i++)
        strcat(bar, i < full ? p->utf8 ? "\xe2\x96\x88" : "#" : p->utf8 ? "\xe2\x96\x91" : ".");
    if (eta >= 0)
        snprintf(time, sizeof time, "  %.0f s left", eta);
    int length = snprintf(line, sizeof line, "%" PRIu64 " of %" PRIu64 " %s%s  %.40s", done, done + left, p->unit, time, what);
    bool fits = !width || (unsigned)length + BAR + 2 < width;
    fprintf(stderr, "\r\033[K%s%s%.*s", fits ? bar : "", fits ? "  " : "", width > 1 ? (int)width - 1 : 200, line);
    fflush(stderr);
    p->drawn = true;
}

void hd_progress_end(struct hd_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
