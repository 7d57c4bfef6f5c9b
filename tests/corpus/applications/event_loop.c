/* SPDX-License-Identifier: Apache-2.0
 * class: lost wakeup
 * bug: the loop takes the note "already woken" back after it has emptied its queue
 *      instead of before; a completion between the two wakes nobody
 * expect: FAILING, the loop gives up with a completion still in the queue
 *
 * An event loop with workers: timers, work requests, completions handed back to the
 * loop's thread, a wake-up that is sent once however many complete. */
#include "app.h"

#include <errno.h>
#include <time.h>

#define REQUESTS_MAX 8
#define TIMERS_MAX 4
#define WORKERS_MAX 2
#define PATIENCE_SECONDS 5

struct loop;
struct request;

typedef void (*work_function)(struct request *);
typedef void (*timer_function)(struct loop *, void *);

struct request {
    struct loop *loop;
    work_function work, after;
    long input, output;
    unsigned number;
    struct request *next;
};

struct list {
    struct request *first, **last;
    unsigned length;
};

struct timer {
    unsigned long due;
    timer_function function;
    void *data;
};

struct loop {
    pthread_mutex_t work_lock;
    pthread_cond_t work;
    struct list pending;
    bool closing;

    pthread_mutex_t done_lock;
    struct list done;

    pthread_mutex_t wake_lock;
    pthread_cond_t wake;
    bool woken; /* a wake-up is under way: no need for another */
    bool signalled;

    struct timer timer[TIMERS_MAX];
    unsigned timers;
    unsigned long ticks;
    unsigned active, completed, wakeups, given_up;
    pthread_t thread[WORKERS_MAX];
    unsigned workers;
};

/* ------------------------------------------------------------ lists */

static void list_init(struct list *l)
{
    l->first = NULL;
    l->last = &l->first;
    l->length = 0;
}

static void list_add(struct list *l, struct request *r)
{
    r->next = NULL;
    *l->last = r;
    l->last = &r->next;
    l->length++;
}

static struct request *list_take(struct list *l)
{
    struct request *r = l->first;
    if (r) {
        l->first = r->next;
        if (!l->first)
            l->last = &l->first;
        l->length--;
    }
    return r;
}

/* ------------------------------------------------------------ waking the loop */

static void wake_loop(struct loop *l)
{
    pthread_mutex_lock(&l->wake_lock);
    if (!l->woken) {
        l->woken = true;
        l->signalled = true;
        l->wakeups++;
        pthread_cond_signal(&l->wake);
    }
    pthread_mutex_unlock(&l->wake_lock);
}

static void forget_wake(struct loop *l)
{
    pthread_mutex_lock(&l->wake_lock);
    l->woken = false;
    pthread_mutex_unlock(&l->wake_lock);
}

static struct timespec in_seconds(time_t seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += seconds;
    return t;
}

/* False: nothing came for a long time. */
static bool sleep_until_woken(struct loop *l)
{
    struct timespec until = in_seconds(PATIENCE_SECONDS);
    int status = 0;
    pthread_mutex_lock(&l->wake_lock);
    while (!l->signalled && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&l->wake, &l->wake_lock, &until);
    bool came = l->signalled;
    l->signalled = false;
    pthread_mutex_unlock(&l->wake_lock);
    return came;
}

/* ------------------------------------------------------------ workers */

static void complete(struct loop *l, struct request *r)
{
    pthread_mutex_lock(&l->done_lock);
    list_add(&l->done, r);
    pthread_mutex_unlock(&l->done_lock);
    wake_loop(l);
}

static struct request *next_request(struct loop *l)
{
    pthread_mutex_lock(&l->work_lock);
    while (!l->pending.first && !l->closing)
        pthread_cond_wait(&l->work, &l->work_lock);
    struct request *r = list_take(&l->pending);
    pthread_mutex_unlock(&l->work_lock);
    return r;
}

static void *worker(void *data)
{
    struct loop *l = data;
    struct request *r;
    while ((r = next_request(l)) != NULL) {
        r->work(r);
        complete(l, r);
    }
    return NULL;
}

/* ------------------------------------------------------------ the loop */

static struct loop *loop_new(unsigned workers)
{
    struct loop *l = need(calloc(1, sizeof *l));
    pthread_mutex_init(&l->work_lock, NULL);
    pthread_mutex_init(&l->done_lock, NULL);
    pthread_mutex_init(&l->wake_lock, NULL);
    pthread_cond_init(&l->work, NULL);
    pthread_cond_init(&l->wake, NULL);
    list_init(&l->pending);
    list_init(&l->done);
    l->workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    for (unsigned i = 0; i < l->workers; i++)
        l->thread[i] = spawn(worker, l);
    return l;
}

static void loop_submit(struct loop *l, struct request *r)
{
    r->loop = l;
    r->number = l->active++;
    pthread_mutex_lock(&l->work_lock);
    list_add(&l->pending, r);
    pthread_cond_signal(&l->work);
    pthread_mutex_unlock(&l->work_lock);
}

static bool loop_after(struct loop *l, unsigned long ticks, timer_function function, void *data)
{
    if (l->timers == TIMERS_MAX)
        return false;
    l->timer[l->timers++] = (struct timer){ l->ticks + ticks, function, data };
    return true;
}

static void run_timers(struct loop *l)
{
    l->ticks++;
    for (unsigned i = 0; i < l->timers;) {
        struct timer t = l->timer[i];
        if (t.due > l->ticks) {
            i++;
            continue;
        }
        l->timer[i] = l->timer[--l->timers];
        t.function(l, t.data);
    }
}

static void take_completions(struct loop *l)
{
    for (;;) {
        pthread_mutex_lock(&l->done_lock);
        struct request *r = list_take(&l->done);
        pthread_mutex_unlock(&l->done_lock);
        if (!r)
            return;
        l->completed++;
        if (r->after)
            r->after(r);
    }
}

static void one_turn(struct loop *l)
{
#ifdef FIXED
    forget_wake(l);
    take_completions(l);
#else
    take_completions(l);
    forget_wake(l);
#endif
    run_timers(l);
}

/* Until everything submitted is back; false where the loop had to give up. */
static bool loop_run(struct loop *l)
{
    while (l->completed < l->active) {
        if (!sleep_until_woken(l)) {
            l->given_up++;
            return false;
        }
        one_turn(l);
    }
    return true;
}

static void loop_free(struct loop *l)
{
    pthread_mutex_lock(&l->work_lock);
    l->closing = true;
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->work_lock);
    for (unsigned i = 0; i < l->workers; i++)
        join(l->thread[i]);
    free(l);
}

/* ------------------------------------------------------------ tests */

static void square(struct request *r) { r->output = r->input * r->input; }
static void add_one(struct request *r) { r->output++; }
static void count_tick(struct loop *l, void *data)
{
    (void)l;
    ++*(int *)data;
}

/* A completion that asks for more work. */
static void again(struct request *r)
{
    static struct request second;
    second = (struct request){ .work = square, .after = add_one, .input = r->output };
    loop_submit(r->loop, &second);
    r->output = -1;
}

static void two_requests(void)
{
    struct loop *l = loop_new(2);
    struct request a = { .work = square, .after = add_one, .input = 3 }, b = { .work = square, .input = 4 };
    loop_submit(l, &a);
    loop_submit(l, &b);
    CU_ASSERT_TRUE(loop_run(l));
    CU_ASSERT_EQUAL(l->completed, 2);
    CU_ASSERT_EQUAL(a.output, 10);
    CU_ASSERT_EQUAL(b.output, 16);
    loop_free(l);
}

static void chained_requests(void)
{
    struct loop *l = loop_new(1);
    struct request a = { .work = square, .after = again, .input = 2 };
    int ticks = 0;
    CU_ASSERT_TRUE(loop_after(l, 1, count_tick, &ticks));
    loop_submit(l, &a);
    CU_ASSERT_TRUE(loop_run(l));
    CU_ASSERT_EQUAL(l->completed, 2);
    CU_ASSERT_EQUAL(a.output, -1);
    CU_ASSERT_EQUAL(ticks, 1);
    loop_free(l);
}

static const struct app_test tests[] = { { "two_requests", two_requests },
                                         { "chained_requests", chained_requests } };
APP_MAIN("event_loop", tests)
