/* SPDX-License-Identifier: Apache-2.0 */
#include "record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/child.h"
#include "record/drain.h"
#include "record/environment.h"
#include "record/interrupt.h"

/* The program finds the mapping under this number: the same in every run. */
#define SHARED_FD 187
#define BELL_FD 188

struct session {
    struct hd_shared *shared;
    size_t size;
    int fd, bell;
    struct hd_kept_output output, errors;
    struct hd_child child;
};

struct start { struct session *session; const struct hd_session_options *options; };

static uint64_t aligned(uint64_t n) { return (n + 63) & ~63ull; }

/* The limit on the size of files is not meant for the mapping. */
static int set_size(int fd, uint64_t size)
{
    struct rlimit limit, raised;
    bool known = getrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (known) {
        raised = (struct rlimit){ limit.rlim_max, limit.rlim_max };
        setrlimit(RLIMIT_FSIZE, &raised);
    }
    int failed = ftruncate(fd, (off_t)size);
    int why = errno;
    if (known)
        setrlimit(RLIMIT_FSIZE, &limit);
    errno = why;
    return failed;
}

static int fill_mapping(struct session *s, const struct hd_session_options *o)
{
    uint64_t threads = aligned(sizeof(struct hd_shared));
    uint64_t slices = aligned(threads + o->threads * sizeof *o->thread);
    uint64_t checks = aligned(slices + o->slices * sizeof *o->slice);
    uint64_t ring = aligned(checks + o->checks * sizeof *o->check);
    s->size = ring + (uint64_t)HD_RING_RECORDS * sizeof(struct hd_record);
    if (ring > UINT32_MAX || set_size(s->fd, s->size) != 0)
        return -1;
    struct hd_shared *shared = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (shared == MAP_FAILED)
        return -1;
    s->shared = shared;
    shared->magic = HD_SHARED_MAGIC;
    shared->mode = o->mode;
    shared->quantum = HD_DEFAULT_QUANTUM;
    shared->seed = o->seed;
    shared->priorities = o->priorities;
    shared->length = o->length;
    shared->keep_repeats = o->keep_repeats;
    shared->budget = o->keep_repeats ? 0 : HD_DEFAULT_BUDGET;
    shared->accesses_max = o->accesses_max;
    shared->parent_pid = getpid();
    shared->debugged = o->wrapper != NULL;
    snprintf(shared->test, sizeof shared->test, "%s", o->test ? o->test : "");
    shared->threads = o->threads;
    shared->slices = o->slices;
    shared->checks = o->checks;
    shared->thread_offset = (uint32_t)threads;
    shared->slice_offset = (uint32_t)slices;
    shared->check_offset = (uint32_t)checks;
    shared->ring_offset = ring;
    shared->mapped = s->size;
    if (o->threads)
        memcpy((char *)shared + threads, o->thread, o->threads * sizeof *o->thread);
    if (o->slices)
        memcpy((char *)shared + slices, o->slice, o->slices * sizeof *o->slice);
    if (o->checks)
        memcpy((char *)shared + checks, o->check, o->checks * sizeof *o->check);
    return 0;
}

static int child_output(const struct session *s, const struct hd_session_options *o)
{
    int null = o->output == HD_OUTPUT_PASS ? -1 : open("/dev/null", O_RDWR);
    if (null < 0 && o->output != HD_OUTPUT_PASS)
        return errno;
    if (o->output == HD_OUTPUT_KEEP) {
        if (isatty(0))
            dup2(null, 0);
        dup2(s->output.fd, 1);
        dup2(s->errors.fd, 2);
    } else
        for (int fd = 0; fd < 3 && null >= 0; fd++)
            dup2(null, fd);
    if (null > 2)
        close(null);
    return 0;
}

/* What the program may have of private writable memory; its own limit where that is less. */
static void child_memory(unsigned megabytes)
{
    struct rlimit limit;
    if (!megabytes || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    rlim_t bytes = (rlim_t)megabytes << 20;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)
        limit.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &limit);
}

/* A descriptor that survives exec, under the wished number where the limit allows it. */
static int inherited(int fd, int wish)
{
    if (dup2(fd, wish) == wish)
        return wish;
    fcntl(fd, F_SETFD, 0);
    return fd;
}

/* The one test of a replay, as Criterion's pattern: what it does not run needs no process. */
static void choose_for_criterion(const char *test)
{
    char pattern[HD_NAME_MAX];
    snprintf(pattern, sizeof pattern, "%s", test);
    char *name = strchr(pattern, '\n');
    if (!name || name == pattern)
        return;
    *name = '/';
    name[strcspn(name, ":")] = 0;
    setenv("CRITERION_TEST_PATTERN", pattern, 1);
}

/* One test after the other; a recorded test takes longer, and a debugged one is in the debugged process. */
static void frameworks_in_order(const struct hd_session_options *o)
{
    setenv("CRITERION_JOBS", "1", 1);
    if (o->test)
        choose_for_criterion(o->test);
    setenv("CK_TIMEOUT_MULTIPLIER", "100", 0);
    if (o->wrapper)
        setenv("CK_FORK", "no", 1);
}

static void child_run(void *data)
{
    struct session *s = ((struct start *)data)->session;
    const struct hd_session_options *o = ((struct start *)data)->options;
    char number[16];
    s->shared->exec_errno = ENOMEM; /* should this end before the program is there */
    const char *aslr = getenv("HEDDLE_ASLR");
    int before = aslr && strcmp(aslr, "on") == 0 ? -1 : personality(0xffffffff);
    s->shared->aslr_off = before != -1 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) != -1;
    s->shared->bell_fd = inherited(s->bell, BELL_FD);
    snprintf(number, sizeof number, "%d", inherited(s->fd, SHARED_FD));
    setenv("HEDDLE_FD", number, 1);
    if (o->declare && *o->declare)
        setenv("HEDDLE_DECLARE", o->declare, 1);
    else
        unsetenv("HEDDLE_DECLARE");
    frameworks_in_order(o);
    hd_environment_settle(o->program);
    s->shared->exec_errno = child_output(s, o);
    if (!o->wrapper)
        child_memory(o->memory);
    signal(SIGXFSZ, SIG_DFL);
    if (s->shared->exec_errno)
        return;
    if (o->cwd && chdir(o->cwd) != 0)
        s->shared->exec_errno = errno;
    else if (o->wrapper)
        execvp(o->wrapper[0], o->wrapper);
    else
        execv(o->program, o->argv);
    if (!s->shared->exec_errno)
        s->shared->exec_errno = errno;
}

static int session_open(struct session *s, const struct hd_session_options *o, char *error, size_t size)
{
    s->fd = memfd_create("heddle", MFD_CLOEXEC);
    s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool kept = o->output != HD_OUTPUT_KEEP || (hd_output_open(&s->output) == 0 && hd_output_open(&s->errors) == 0);
    if (s->fd < 0 || s->bell < 0 || !kept || fill_mapping(s, o) != 0) {
        snprintf(error, size, "cannot make the shared mapping: %s", strerror(errno));
        return -1;
    }
    return 0;
}

static int session_start(struct session *s, const struct hd_session_options *o, char *error, size_t size)
{
    struct start start = { s, o };
    if (hd_child_start(&s->child, !o->wrapper, child_run, &start) != 0) {
        snprintf(error, size, "cannot start %s: %s", o->program, strerror(errno));
        return -1;
    }
    return 0;
}

static void session_close(struct session *s)
{
    if (s->shared)
        munmap(s->shared, s->size);
    if (s->fd >= 0)
        close(s->fd);
    if (s->bell >= 0)
        close(s->bell);
    hd_output_close(&s->output);
    hd_output_close(&s->errors);
}

static void take_all(struct session *s, struct hd_drain *drain)
{
    struct hd_shared *shared = s->shared;
    const struct hd_record *ring = (const struct hd_record *)((char *)shared + shared->ring_offset);
    uint64_t head, tail = atomic_load_explicit(&shared->tail, memory_order_relaxed);
    while ((head = atomic_load_explicit(&shared->head, memory_order_acquire)) != tail) {
        if (head - tail > HD_RING_RECORDS)
            return; /* scribbled over by the program */
        uint64_t until = head - tail > 4096 ? tail + 4096 : head;
        hd_drain_aslr_off(drain, shared->aslr_off);
        for (; tail != until; tail++)
            hd_drain_record(drain, &ring[tail % HD_RING_RECORDS]);
        atomic_store_explicit(&shared->tail, tail, memory_order_release);
        atomic_fetch_add(&shared->tail_futex, 1);
        syscall(SYS_futex, &shared->tail_futex, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

/* The access in the making when the program died: it was reached, its value is not known. */
static void take_pending(struct session *s, struct hd_drain *drain)
{
    struct hd_shared *shared = s->shared;
    const struct hd_record *ring = (const struct hd_record *)((char *)shared + shared->ring_offset);
    const struct hd_record *r = &ring[atomic_load(&shared->head) % HD_RING_RECORDS];
    if (r->kind == HD_READ || r->kind == HD_WRITE)
        hd_drain_pending(drain, r);
}

static long left_ms(const struct timespec *until)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (until->tv_sec - now.tv_sec) * 1000 + (until->tv_nsec - now.tv_nsec) / 1000000;
    return ms > 0 ? ms : 0;
}

static bool is_stuck(struct session *s, const struct hd_session_options *o)
{
    uint32_t state = atomic_load(&s->shared->state);
    return !o->wrapper && (state == HD_STATE_DEADLOCK || state == HD_STATE_DIVERGED);
}

/* The program may have something to put in order when it is told to end: it has a second. */
static void pass_on(struct session *s, struct timespec *until)
{
    hd_child_signal(&s->child, hd_interrupted());
    clock_gettime(CLOCK_MONOTONIC, until);
    until->tv_sec += 1;
}

/* A test that is stuck in a process of its own takes that along; the framework sees it die and goes on. */
static bool end_test_alone(struct session *s, struct hd_drain *drain, struct hd_session_result *result)
{
    pid_t process = atomic_load(&s->shared->test_process);
    if (!process || process == s->child.pid)
        return false;
    result->apart = true;
    result->ending = atomic_load(&s->shared->state) == HD_STATE_DEADLOCK ? HD_ENDING_DEADLOCK : HD_ENDING_DIVERGED;
    take_all(s, drain);
    hd_drain_test_over(drain, result->ending);
    atomic_store(&s->shared->state, HD_STATE_NONE);
    kill(process, SIGKILL);
    return true;
}

static enum hd_ending wait_for_end(struct session *s, const struct hd_session_options *o, struct hd_drain *drain,
                                   struct hd_session_result *result)
{
    struct timespec until;
    bool told = false;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += o->time_limit;
    struct pollfd fds[2] = { { .fd = s->bell, .events = POLLIN }, { .fd = s->child.pidfd, .events = POLLIN } };
    long tick = o->output == HD_OUTPUT_KEEP ? 100 : 1000;
    for (;;) {
        if (hd_interrupted() && !told) {
            pass_on(s, &until);
            told = true;
        }
        long ms = o->time_limit || told ? left_ms(&until) : tick;
        if (ms == 0)
            return told ? HD_ENDING_INTERRUPTED : HD_ENDING_TIME;
        poll(fds, 2, (int)(ms > tick ? tick : ms));
        uint64_t rung;
        if (read(s->bell, &rung, sizeof rung) < 0 && errno != EAGAIN && errno != EINTR)
            return HD_ENDING_EXIT;
        take_all(s, drain);
        hd_output_bound(&s->output);
        hd_output_bound(&s->errors);
        if (hd_child_has_ended(&s->child) || (is_stuck(s, o) && !end_test_alone(s, drain, result)))
            return told ? HD_ENDING_INTERRUPTED : HD_ENDING_EXIT;
    }
}

static void reap(struct session *s, struct hd_session_result *result)
{
    uint32_t state = atomic_load(&s->shared->state);
    bool kill = result->ending != HD_ENDING_EXIT || state == HD_STATE_DEADLOCK || state == HD_STATE_DIVERGED;
    int status = hd_child_finish(&s->child, kill);
    result->slices_done = atomic_load(&s->shared->slices_done);
    result->aslr_off = s->shared->aslr_off;
    result->divergence = s->shared->divergence;
    result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (result->ending == HD_ENDING_INTERRUPTED)
        return;
    if (state == HD_STATE_DEADLOCK)
        result->ending = HD_ENDING_DEADLOCK;
    else if (state == HD_STATE_DIVERGED)
        result->ending = HD_ENDING_DIVERGED;
    else if (result->ending != HD_ENDING_TIME)
        result->ending = WIFSIGNALED(status) ? HD_ENDING_SIGNAL : HD_ENDING_EXIT;
}

/* While the program starts: new pages cost more than the records in them, and a small test has no more than these. */
static void make_first_pages(const struct session *s, const struct hd_session_options *o)
{
    if (o->mode == HD_MODE_RECORD)
        madvise((void *)((uintptr_t)((char *)s->shared + s->shared->ring_offset) & ~(uintptr_t)4095),
                HD_RING_RECORDS / 4 * sizeof(struct hd_record), MADV_POPULATE_WRITE);
}

static int run(struct session *s, const struct hd_session_options *o, struct hd_drain *drain,
               struct hd_session_result *result, char *error, size_t size)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    int failed = session_start(s, o, error, size);
    /* The keyboard's signals are gdb's where it shares the terminal. */
    if (o->wrapper)
        sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    int wake = hd_interrupt_catch(s->bell);
    if (!failed) {
        struct hd_session_result alone = { 0 };
        make_first_pages(s, o);
        result->ending = wait_for_end(s, o, drain, &alone);
        reap(s, result);
        if (s->shared->exhausted)
            result->ending = HD_ENDING_INTERRUPTED;
        hd_output_take(&s->output, &result->output);
        hd_output_take(&s->errors, &result->errors);
        take_all(s, drain);
        take_pending(s, drain);
        hd_drain_end(drain, result);
        if (alone.apart) {
            result->apart = true;
            result->ending = alone.ending;
        }
        if (s->shared->exhausted) {
            snprintf(error, size, "%s: libheddle: %s; close other programs or raise the limits (ulimit -a)", o->program,
                     strerror(s->shared->exhausted));
            failed = -1;
        }
        if (s->shared->exec_errno) {
            snprintf(error, size, "cannot start %s: %s", o->wrapper ? o->wrapper[0] : o->program,
                     strerror(s->shared->exec_errno));
            failed = -1;
        }
    }
    hd_interrupt_release(wake);
    if (o->wrapper)
        sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return failed;
}

int hd_session_run(const struct hd_session_options *o, struct hd_drain *drain, struct hd_session_result *result,
                   char *error, size_t size)
{
    struct session s = { .fd = -1, .bell = -1, .output.fd = -1, .errors.fd = -1 };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, size_limit;
    *result = (struct hd_session_result){ 0 };
    sigaction(SIGXFSZ, &ignore, &size_limit);
    int failed = session_open(&s, o, error, size);
    if (!failed)
        failed = run(&s, o, drain, result, error, size);
    session_close(&s);
    sigaction(SIGXFSZ, &size_limit, NULL);
    return failed;
}
