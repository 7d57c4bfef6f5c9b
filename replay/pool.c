/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/memory.h"
#include "record/interrupt.h"

struct worker {
    pid_t pid;
    int fd;
    size_t job;
};

struct result {
    uint8_t *bytes;
    size_t size, room;
    bool ended;
};

struct pool {
    size_t count, started, told;
    unsigned running, jobs;
    struct worker *worker;
    struct pollfd *poll;
    struct result *result;
    hd_pool_work *work;
    hd_pool_done *done;
    void *data;
    bool stopped;
    int wake;     /* rings where a signal is to end us */
    pid_t parent;
};

__attribute__((noreturn)) static void worker_main(struct pool *p, size_t job, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != p->parent)
        _exit(1);
    FILE *out = fdopen(fd, "wb");
    if (out)
        p->work(job, out, p->data);
    bool sent = out && !ferror(out);
    sent = out && fclose(out) == 0 && sent;
    if (!sent)
        fprintf(stderr, "heddle: the result of a rerun cannot be handed over: %s\n", strerror(errno));
    fflush(stderr);
    _exit(sent ? 0 : 2);
}

static int start(struct pool *p)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) /* the program under test has the descriptors it was recorded with */
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (pid == 0) {
        hd_interrupt_catch(-1);
        close(ends[0]);
        worker_main(p, p->started, ends[1]);
    }
    close(ends[1]);
    p->worker[p->running++] = (struct worker){ pid, ends[0], p->started++ };
    return 0;
}

static int reap(struct pool *p, unsigned i)
{
    int status = 0;
    close(p->worker[i].fd);
    while (waitpid(p->worker[i].pid, &status, 0) < 0 && errno == EINTR)
        ;
    p->worker[i] = p->worker[--p->running];
    return status;
}

/* What a worker sent that did not end well may be cut, and still look whole. */
static void finish(struct pool *p, unsigned i)
{
    struct result *r = &p->result[p->worker[i].job];
    int status = reap(p, i);
    r->ended = true;
    if (WIFSIGNALED(status) && !hd_interrupted())
        fprintf(stderr, "heddle: a process that reruns the test was killed by signal %d; its result is lost\n",
                WTERMSIG(status));
    if (status)
        r->size = 0;
}

/* True: the worker is over. */
static bool receive(struct pool *p, unsigned i)
{
    struct result *r = &p->result[p->worker[i].job];
    if (r->room - r->size < 4096) {
        r->room = r->room * 2 + 8192;
        r->bytes = hd_realloc(r->bytes, r->room, 1);
    }
    ssize_t got = read(p->worker[i].fd, r->bytes + r->size, r->room - r->size);
    if (got > 0)
        r->size += (size_t)got;
    return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

static void tell(struct pool *p)
{
    while (p->told < p->count && p->result[p->told].ended && !p->stopped) {
        struct result *r = &p->result[p->told];
        p->stopped = !p->done(p->told, r->bytes, r->size, p->data);
        free(r->bytes);
        r->bytes = NULL;
        p->told++;
    }
}

static void wait_for_some(struct pool *p)
{
    for (unsigned i = 0; i < p->running; i++)
        p->poll[i] = (struct pollfd){ .fd = p->worker[i].fd, .events = POLLIN };
    p->poll[p->running] = (struct pollfd){ .fd = p->wake, .events = POLLIN };
    if (poll(p->poll, p->running + 1, -1) < 0)
        return;
    for (unsigned i = p->running; i-- > 0;)
        if (p->poll[i].revents && receive(p, i))
            finish(p, i);
}

static void kill_all(struct pool *p)
{
    for (unsigned i = 0; i < p->running; i++)
        kill(p->worker[i].pid, SIGTERM);
    while (p->running)
        reap(p, p->running - 1);
}

int hd_pool_run(size_t count, unsigned jobs, hd_pool_work *work, hd_pool_done *done, void *data, char *error,
                size_t size)
{
    struct pool p = { .count = count, .jobs = jobs ? jobs : 1, .work = work, .done = done, .data = data };
    int failed = 0;
    p.parent = getpid();
    p.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int wake = hd_interrupt_catch(p.wake);
    p.worker = hd_alloc(p.jobs * sizeof *p.worker);
    p.poll = hd_alloc((p.jobs + 1) * sizeof *p.poll);
    p.result = hd_alloc((count + 1) * sizeof *p.result);
    while (p.told < count && !p.stopped && !failed && !hd_interrupted()) {
        while (p.running < p.jobs && p.started < count && !failed)
            failed = start(&p);
        if (p.running && !failed)
            wait_for_some(&p);
        tell(&p);
    }
    if (failed)
        snprintf(error, size, "cannot start another process: %s; use a smaller -j", strerror(errno));
    kill_all(&p);
    if (hd_interrupted()) {
        snprintf(error, size, "interrupted");
        failed = -1;
    }
    hd_interrupt_release(wake);
    close(p.wake);
    for (size_t i = p.told; i < count; i++)
        free(p.result[i].bytes);
    free(p.worker);
    free(p.poll);
    free(p.result);
    return failed;
}
