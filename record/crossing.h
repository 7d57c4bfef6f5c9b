/* SPDX-License-Identifier: Apache-2.0
 * A call into the kernel that may block.
 *
 *   struct hd_crossing c HD_CROSSING;
 *   hd_cross(&c, "read", HD_CALLER);
 *   hd_bounce_take(&c.bounce, user, size);  what the kernel may touch meanwhile
 *   hd_leave_for(&c, fd, POLLIN);           gives the baton up, unless it is ready
 *   n = real(fd, ...);
 *   hd_return(&c);                          has the baton again
 *
 * The real call is made once and as it is, so errno, EINTR, timeouts and
 * cancellation are the kernel's. A cancelled thread takes the baton back before
 * its cleanup handlers run: HD_CROSSING does that during the unwinding.
 *
 * Whoever has the baton and makes a descriptor ready for a thread that is away
 * waits until that thread has come back and queues for the baton (hd_settle), so
 * that the order of what follows does not depend on how fast the kernel wakes it.
 * All of these need the baton, but hd_return, which gets it. */
#ifndef HD_CROSSING_H
#define HD_CROSSING_H

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "record/user_memory.h"

struct hd_crossing {
    struct hd_thread *t; /* NULL: nothing is recorded, the calls below do nothing */
    const char *name;
    uint64_t pc;
    bool away, inside;   /* inside: so is the thread, until this is over */
    struct pollfd *fds;  /* what it waits for, if that is descriptors */
    nfds_t fd_count;
    struct pollfd one;
    const sigset_t *signals; /* that it waits for; NULL: none */
    struct hd_bounce bounce;
};

#define HD_CROSSING __attribute__((cleanup(hd_crossing_over)))

static inline void hd_cross(struct hd_crossing *c, const char *name, uint64_t pc)
{
    c->t = hd_recorder();
    c->name = name;
    c->pc = pc;
    c->away = c->inside = false;
    c->fds = NULL;
    c->signals = NULL;
    c->bounce.at = NULL;
}
void hd_leave(struct hd_crossing *); /* whatever it waits for */
void hd_leave_for(struct hd_crossing *, int fd, short events);
void hd_leave_for_all(struct hd_crossing *, int fd, size_t size); /* it waits until all is there */
void hd_leave_to_write(struct hd_crossing *, int fd, size_t size);
void hd_return(struct hd_crossing *);
void hd_crossing_over(struct hd_crossing *);
void hd_settle(struct hd_thread *);
bool hd_away_for_signal(const struct hd_thread *, int number); /* it waits for that one, or for any handler */

/* descriptor.c */
void hd_peer_named(struct hd_thread *, struct sockaddr *, socklen_t room, socklen_t *length, uint64_t pc);

#endif
