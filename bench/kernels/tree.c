/* SPDX-License-Identifier: Apache-2.0
 * Binary search trees: one a worker, built and then walked again and again. */
#include "kernel.h"

#define NODES 40000
#define WALKS 60

struct node { struct node *left, *right; uint32_t key, visits; };

static uint64_t sum[WORKERS];

static struct node *insert(struct node *root, struct node *n)
{
    struct node **at = &root;
    while (*at)
        at = n->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = n;
    return root;
}

static uint64_t walk(struct node *n)
{
    if (!n)
        return 0;
    n->visits++;
    return n->key + walk(n->left) + walk(n->right);
}

static void *grow(void *arg)
{
    uint32_t state = (uint32_t)(intptr_t)arg;
    struct node *pool = calloc(NODES, sizeof *pool), *root = NULL;
    for (int i = 0; i < NODES; i++) {
        pool[i].key = next_random(&state);
        root = insert(root, &pool[i]);
    }
    for (int i = 0; i < WALKS; i++)
        sum[(intptr_t)arg] += walk(root);
    free(pool);
    return NULL;
}

int main(void)
{
    in_parallel(grow);
    return sum[0] == sum[1];
}
