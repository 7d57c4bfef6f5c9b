/* SPDX-License-Identifier: Apache-2.0
 * The program under test as a process that leaves nothing behind.
 *
 * It leads a process group of its own, so that what it forks dies with it. What
 * leaves the group is adopted by this process (a subreaper) and killed as well:
 * while a child is under way, every child process here belongs to it. A guardian
 * holds the other end of a pipe: should this process be killed, the pipe closes
 * and the guardian kills the group.
 *
 * A child that shares the terminal (gdb) stays in this group: the shell's job
 * control and the keyboard's signals then work as for any program. */
#ifndef HD_CHILD_H
#define HD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct hd_child {
    pid_t pid, guardian;
    int pidfd, lifeline;
    bool own_group;
};

/* 0 in the parent, -1 and errno where there is no process to be had; `main` runs in the child. */
int hd_child_start(struct hd_child *, bool own_group, void (*main)(void *), void *data);

bool hd_child_has_ended(const struct hd_child *);
void hd_child_signal(const struct hd_child *, int signal); /* the group */

/* Waits for the child's end (`kill`: makes it), then ends what it left. Its wait status. */
int hd_child_finish(struct hd_child *, bool kill);

#endif
