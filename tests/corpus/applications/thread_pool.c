/* SPDX-License-Identifier: Apache-2.0
 * class: lost wakeup
 * bug: shutting the pool down sets its flag without the lock; a worker that has
 *      just looked at the flag goes to sleep for ever
 * expect: FAILING, deadlock: the worker waits, the owner joins it
 *
 * A pool of workers over a queue of jobs: priorities, results by ticket, waiting
 * until idle, statistics, growth on demand. */
#include "app.h"

#define WORKERS_MAX 4
#define PRIORITIES 3

typedef long (*job_function)(long argument);

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED };

struct job {
    job_function function;
    long argument, result;
    enum job_state state;
    unsigned ticket, priority;
    struct job *next;
};

struct queue {
    struct job *first, **last;
    unsigned length;
};

struct statistics {
    unsigned submitted, completed, cancelled;
    unsigned longest_queue;
    unsigned by_worker[WORKERS_MAX];
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, finished;
    struct queue queue[PRIORITIES];
    struct job **job; /* by ticket */
    unsigned jobs, job_room;
    unsigned active;
    bool closing;
    pthread_t thread[WORKERS_MAX];
    unsigned workers, started;
    struct statistics statistics;
};

/* ------------------------------------------------------------ queues */

static void queue_init(struct queue *q)
{
    q->first = NULL;
    q->last = &q->first;
    q->length = 0;
}

static void queue_put(struct queue *q, struct job *job)
{
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    q->length++;
}

static struct job *queue_take(struct queue *q)
{
    struct job *job = q->first;
    if (!job)
        return NULL;
    q->first = job->next;
    if (!q->first)
        q->last = &q->first;
    q->length--;
    return job;
}

static bool queue_remove(struct queue *q, struct job *job)
{
    for (struct job **at = &q->first; *at; at = &(*at)->next) {
        if (*at != job)
            continue;
        *at = job->next;
        if (q->last == &job->next)
            q->last = at;
        q->length--;
        return true;
    }
    return false;
}

static unsigned waiting_jobs(const struct pool *p)
{
    unsigned count = 0;
    for (int i = 0; i < PRIORITIES; i++)
        count += p->queue[i].length;
    return count;
}

/* The most urgent job; called with the lock. */
static struct job *next_job(struct pool *p)
{
    for (int i = 0; i < PRIORITIES; i++) {
        struct job *job = queue_take(&p->queue[i]);
        if (job)
            return job;
    }
    return NULL;
}

/* ------------------------------------------------------------ workers */

static void run_job(struct pool *p, struct job *job, unsigned number)
{
    job->state = JOB_RUNNING;
    p->active++;
    pthread_mutex_unlock(&p->lock);
    long result = job->function(job->argument);
    pthread_mutex_lock(&p->lock);
    job->result = result;
    job->state = JOB_DONE;
    p->active--;
    p->statistics.completed++;
    p->statistics.by_worker[number]++;
    pthread_cond_broadcast(&p->finished);
}

static void *worker(void *data)
{
    struct pool *p = data;
    pthread_mutex_lock(&p->lock);
    unsigned number = p->started++;
    for (;;) {
        struct job *job = next_job(p);
        if (job)
            run_job(p, job, number);
        else if (p->closing)
            break;
        else
            pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ------------------------------------------------------------ the pool */

static struct pool *pool_new(unsigned workers)
{
    struct pool *p = need(calloc(1, sizeof *p));
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->finished, NULL);
    for (int i = 0; i < PRIORITIES; i++)
        queue_init(&p->queue[i]);
    p->workers = workers;
    for (unsigned i = 0; i < workers; i++)
        p->thread[i] = spawn(worker, p);
    return p;
}

static unsigned pool_submit(struct pool *p, unsigned priority, job_function function, long argument)
{
    struct job *job = need(calloc(1, sizeof *job));
    job->function = function;
    job->argument = argument;
    job->priority = priority < PRIORITIES ? priority : PRIORITIES - 1;
    pthread_mutex_lock(&p->lock);
    if (p->jobs == p->job_room) {
        p->job_room = p->job_room ? 2 * p->job_room : 8;
        p->job = need(realloc(p->job, p->job_room * sizeof *p->job));
    }
    unsigned ticket = p->jobs;
    job->ticket = ticket;
    p->job[p->jobs++] = job;
    queue_put(&p->queue[job->priority], job);
    p->statistics.submitted++;
    if (waiting_jobs(p) > p->statistics.longest_queue)
        p->statistics.longest_queue = waiting_jobs(p);
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
    return ticket;
}

static bool pool_cancel(struct pool *p, unsigned ticket)
{
    pthread_mutex_lock(&p->lock);
    struct job *job = ticket < p->jobs ? p->job[ticket] : NULL;
    bool removed = job && job->state == JOB_QUEUED && queue_remove(&p->queue[job->priority], job);
    if (removed) {
        job->state = JOB_CANCELLED;
        p->statistics.cancelled++;
        pthread_cond_broadcast(&p->finished);
    }
    pthread_mutex_unlock(&p->lock);
    return removed;
}

static bool pool_result(struct pool *p, unsigned ticket, long *result)
{
    pthread_mutex_lock(&p->lock);
    struct job *job = p->job[ticket];
    while (job->state == JOB_QUEUED || job->state == JOB_RUNNING)
        pthread_cond_wait(&p->finished, &p->lock);
    bool done = job->state == JOB_DONE;
    if (done)
        *result = job->result;
    pthread_mutex_unlock(&p->lock);
    return done;
}

static void pool_wait_idle(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->active || waiting_jobs(p))
        pthread_cond_wait(&p->finished, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pool_close(struct pool *p)
{
#ifdef FIXED
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
#else
    p->closing = true;
    pthread_cond_broadcast(&p->work);
#endif
    for (unsigned i = 0; i < p->workers; i++)
        join(p->thread[i]);
}

static struct statistics pool_free(struct pool *p)
{
    struct statistics s = p->statistics;
    for (unsigned i = 0; i < p->jobs; i++)
        free(p->job[i]);
    free(p->job);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->finished);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return s;
}

/* ------------------------------------------------------------ tests */

static long square(long n) { return n * n; }

static long triangle(long n)
{
    long sum = 0;
    for (long i = 1; i <= n; i++)
        sum += i;
    return sum;
}

static void results_by_ticket(void)
{
    struct pool *p = pool_new(2);
    unsigned a = pool_submit(p, 1, square, 5), b = pool_submit(p, 0, triangle, 6);
    long result = 0;
    CU_ASSERT_TRUE(pool_result(p, a, &result));
    CU_ASSERT_EQUAL(result, 25);
    CU_ASSERT_TRUE(pool_result(p, b, &result));
    CU_ASSERT_EQUAL(result, 21);
    pool_close(p);
    struct statistics s = pool_free(p);
    CU_ASSERT_EQUAL(s.completed, 2);
    CU_ASSERT_EQUAL(s.by_worker[0] + s.by_worker[1], 2);
}

static void idle_then_close(void)
{
    struct pool *p = pool_new(2);
    pool_submit(p, 2, square, 3);
    pool_wait_idle(p);
    pool_close(p);
    struct statistics s = pool_free(p);
    CU_ASSERT_EQUAL(s.submitted, s.completed);
}

static void cancelled_or_done(void)
{
    struct pool *p = pool_new(1);
    unsigned ticket = pool_submit(p, 1, square, 7);
    bool cancelled = pool_cancel(p, ticket);
    long result = 0;
    CU_ASSERT_EQUAL(pool_result(p, ticket, &result), !cancelled);
    CU_ASSERT_TRUE(cancelled || result == 49);
    pool_close(p);
    struct statistics s = pool_free(p);
    CU_ASSERT_EQUAL(s.completed + s.cancelled, 1);
}

static const struct app_test tests[] = { { "results_by_ticket", results_by_ticket },
                                         { "idle_then_close", idle_then_close },
                                         { "cancelled_or_done", cancelled_or_done } };
APP_MAIN("thread_pool", tests)
