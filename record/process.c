/* SPDX-License-Identifier: Apache-2.0 */
#include "record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/runtime.h"

static void lock_ring(short type)
{
    struct flock lock = { .l_type = type, .l_whence = SEEK_SET };
    while (syscall(SYS_fcntl, hd_run.shared_fd, F_SETLKW, &lock) != 0 && errno == EINTR)
        ;
}

/* Its last access was reached, and nobody took the value. */
static void note_unfinished(void)
{
    uint64_t head = atomic_load(&hd_run.shared->head);
    struct hd_record *r = &hd_run.ring[head % HD_RING_RECORDS];
    if (r->kind != HD_READ && r->kind != HD_WRITE)
        return;
    r->value = r->kind;
    r->kind = HD_RING_UNFINISHED;
    hd_ring_publish();
}

static void note_death(uint64_t status)
{
    struct hd_shared *s = hd_run.shared;
    note_unfinished();
    struct hd_record *r = hd_ring_append(NULL, HD_RING_DIED);
    r->value = status;
    r->addr_k = s->expected_status != -1 && status == (uint64_t)s->expected_status;
    hd_ring_publish();
    atomic_store(&s->state, HD_STATE_TEST_DONE);
    atomic_store(&s->test_process, 0);
    hd_ring_bell();
}

void hd_process_enter(void)
{
    struct hd_shared *s = hd_run.shared;
    int saved = errno;
    lock_ring(F_WRLCK);
    if (atomic_load(&s->test_process))
        note_death(HD_STATUS_UNKNOWN);
    s->expected_status = -1;
    atomic_store(&s->test_process, getpid());
    if (hd_run.followed)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    errno = saved;
}

void hd_process_leave(void)
{
    int saved = errno;
    atomic_store(&hd_run.shared->test_process, 0);
    lock_ring(F_UNLCK);
    errno = saved;
}

void hd_process_reaped(pid_t pid, int status)
{
    struct hd_shared *s = hd_run.shared;
    int saved = errno;
    if (!s || hd_run.recording || !(WIFEXITED(status) || WIFSIGNALED(status)) || atomic_load(&s->test_process) != pid)
        return;
    lock_ring(F_WRLCK);
    if (atomic_load(&s->test_process) == pid)
        note_death((uint64_t)(unsigned)status);
    lock_ring(F_UNLCK);
    errno = saved;
}
