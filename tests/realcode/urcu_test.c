/* SPDX-License-Identifier: Apache-2.0
 * liburcu from four threads; its atomics are inline assembler, and its grace
 * periods wait where nobody sees them.
 * queue: two enqueue, two dequeue under the queue's lock. queue_without_lock:
 * two dequeue without it. stack: all push and pop. grace_period: readers
 * against a writer that waits before it frees. no_grace_period: it does not. */
#define _LGPL_SOURCE
#include "crew.h"

#include <urcu.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

#define ITEMS 3

struct item {
    int value;
    struct cds_wfcq_node queue;
    struct cds_wfs_node stack;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct cds_wfs_stack stack;
static int sum[CREW];
static int locked;

static struct item *make_item(int value)
{
    struct item *item = calloc(1, sizeof *item);
    item->value = value;
    cds_wfcq_node_init(&item->queue);
    cds_wfs_node_init(&item->stack);
    return item;
}

static struct item *dequeue(void)
{
    struct cds_wfcq_node *node =
        locked ? cds_wfcq_dequeue_blocking(&head, &tail) : __cds_wfcq_dequeue_blocking(&head, &tail);
    return node ? caa_container_of(node, struct item, queue) : NULL;
}

static void *use_queue(void *data)
{
    struct member *me = data;
    struct item *item;
    if (me->number < 2)
        for (int i = 0; i < ITEMS; i++)
            cds_wfcq_enqueue(&head, &tail, &make_item(1 + me->number * ITEMS + i)->queue);
    else
        for (int i = 0; i < ITEMS && (item = dequeue()) != NULL; i++) {
            sum[me->number] += item->value;
            free(item);
        }
    return NULL;
}

static void pass_through_queue(int with)
{
    struct item *item;
    int total = 0;
    locked = with;
    memset(sum, 0, sizeof sum);
    cds_wfcq_init(&head, &tail);
    CU_ASSERT_EQUAL(crew_run(use_queue), 0);
    while ((item = dequeue()) != NULL) {
        total += item->value;
        free(item);
    }
    for (int i = 0; i < CREW; i++)
        total += sum[i];
    CU_ASSERT_EQUAL(total, 2 * ITEMS * (2 * ITEMS + 1) / 2);
}

static void queue(void) { pass_through_queue(1); }
static void queue_without_lock(void) { pass_through_queue(0); }

static void *use_stack(void *data)
{
    struct member *me = data;
    cds_wfs_push(&stack, &make_item(1 + me->number)->stack);
    struct cds_wfs_node *node = cds_wfs_pop_blocking(&stack);
    if (node) {
        struct item *item = caa_container_of(node, struct item, stack);
        sum[me->number] = item->value;
        free(item);
    } else
        me->error = 1;
    return NULL;
}

static void push_and_pop(void)
{
    int total = 0;
    memset(sum, 0, sizeof sum);
    cds_wfs_init(&stack);
    CU_ASSERT_EQUAL(crew_run(use_stack), 0);
    for (int i = 0; i < CREW; i++)
        total += sum[i];
    CU_ASSERT_EQUAL(total, CREW * (CREW + 1) / 2);
}

struct pair { int one, two; };
static struct pair *current;
static int waits;

static void *read_or_replace(void *data)
{
    struct member *me = data;
    rcu_register_thread();
    if (me->number == 0) {
        struct pair *fresh = malloc(sizeof *fresh), *old = current;
        *fresh = (struct pair){ 7, 7 };
        rcu_assign_pointer(current, fresh);
        if (waits)
            synchronize_rcu();
        *old = (struct pair){ 0, 1 };
        free(old);
    } else {
        rcu_read_lock();
        struct pair *seen = rcu_dereference(current);
        me->error = seen->one != seen->two;
        rcu_read_unlock();
    }
    rcu_unregister_thread();
    return NULL;
}

static void replace_under_readers(int wait)
{
    waits = wait;
    current = malloc(sizeof *current);
    *current = (struct pair){ 3, 3 };
    CU_ASSERT_EQUAL(crew_run(read_or_replace), 0);
    free(current);
}

static void grace_period(void) { replace_under_readers(1); }
static void no_grace_period(void) { replace_under_readers(0); }

int main(int argc, char **argv)
{
    static const struct named_test tests[] = { { "queue", queue },
                                               { "queue_without_lock", queue_without_lock },
                                               { "stack", push_and_pop },
                                               { "grace_period", grace_period },
                                               { "no_grace_period", no_grace_period },
                                               { NULL, NULL } };
    return run_named("urcu", tests, argc, argv);
}
