/* SPDX-License-Identifier: Apache-2.0
 * class: flag published before data
 * bug: the node is linked into the list before it is filled
 * expect: FAILING, the reader sees an empty node */
#include "threads.h"

struct node { int key, value; struct node *next; };

static _Atomic(struct node *) head;

static void *insert(void *unused)
{
    struct node *n = calloc(1, sizeof *n);
#ifdef FIXED
    n->key = 7;
    n->value = 70;
    atomic_store(&head, n);
#else
    atomic_store(&head, n);
    n->key = 7;
    n->value = 70;
#endif
    return unused;
}

static void *find(void *unused)
{
    for (struct node *n = atomic_load(&head); n; n = n->next)
        assert(n->key == 7 && n->value == 70);
    return unused;
}

int main(void)
{
    run_two(insert, find);
    free(atomic_load(&head));
}
