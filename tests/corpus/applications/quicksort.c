/* SPDX-License-Identifier: Apache-2.0
 * class: order violation
 * bug: a worker takes its own task off the count before it adds the two halves;
 *      for a moment the count says that all is done
 * expect: FAILING, the array is not sorted when the caller looks at it
 *
 * A parallel quicksort: tasks on a stack, workers that split ranges, insertion
 * sort below a threshold, comparison functions, counts of what was done. */
#include "app.h"

#define TASKS_MAX 64
#define WORKERS 2
#define THRESHOLD 3

typedef int (*compare_function)(const void *, const void *);

struct range {
    size_t from, to; /* one past the last */
};

struct effort {
    unsigned splits, insertions, swaps;
};

struct sorter {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct range task[TASKS_MAX];
    unsigned tasks; /* on the stack */
    unsigned pending; /* on the stack or in work */
    bool closing;
    unsigned char *base;
    size_t size;
    compare_function compare;
    struct effort effort;
    pthread_t thread[WORKERS];
};

/* ------------------------------------------------------------ elements */

static unsigned char *element(const struct sorter *s, size_t i)
{
    return s->base + i * s->size;
}

static int compare_at(const struct sorter *s, size_t a, size_t b)
{
    return s->compare(element(s, a), element(s, b));
}

static void swap_at(const struct sorter *s, size_t a, size_t b, struct effort *e)
{
    unsigned char buffer[64];
    if (a == b)
        return;
    memcpy(buffer, element(s, a), s->size);
    memcpy(element(s, a), element(s, b), s->size);
    memcpy(element(s, b), buffer, s->size);
    e->swaps++;
}

static void insertion_sort(const struct sorter *s, struct range r, struct effort *e)
{
    for (size_t i = r.from + 1; i < r.to; i++)
        for (size_t k = i; k > r.from && compare_at(s, k - 1, k) > 0; k--)
            swap_at(s, k - 1, k, e);
    e->insertions++;
}

static void median_first(const struct sorter *s, struct range r, struct effort *e)
{
    size_t middle = r.from + (r.to - r.from) / 2, last = r.to - 1;
    if (compare_at(s, middle, last) > 0)
        swap_at(s, middle, last, e);
    if (compare_at(s, r.from, last) > 0)
        swap_at(s, r.from, last, e);
    if (compare_at(s, r.from, middle) < 0)
        swap_at(s, r.from, middle, e);
}

/* Where the pivot came to lie. */
static size_t split(const struct sorter *s, struct range r, struct effort *e)
{
    size_t end = r.from;
    median_first(s, r, e);
    for (size_t i = r.from + 1; i < r.to; i++)
        if (compare_at(s, i, r.from) < 0)
            swap_at(s, i, ++end, e);
    swap_at(s, r.from, end, e);
    e->splits++;
    return end;
}

/* ------------------------------------------------------------ tasks; with the lock */

static void push(struct sorter *s, struct range r)
{
    if (r.to - r.from < 2)
        return;
    if (s->tasks == TASKS_MAX)
        abort();
    s->task[s->tasks++] = r;
    s->pending++;
    pthread_cond_signal(&s->work);
}

static void finish_one(struct sorter *s)
{
    if (--s->pending == 0)
        pthread_cond_broadcast(&s->done);
}

static void add_effort(struct sorter *s, const struct effort *e)
{
    s->effort.splits += e->splits;
    s->effort.insertions += e->insertions;
    s->effort.swaps += e->swaps;
}

/* ------------------------------------------------------------ workers */

static void sort_range(struct sorter *s, struct range r)
{
    struct effort effort = { 0 };
    struct range left = { 0, 0 }, right = { 0, 0 };
    if (r.to - r.from <= THRESHOLD) {
        insertion_sort(s, r, &effort);
    } else {
        size_t pivot = split(s, r, &effort);
        left = (struct range){ r.from, pivot };
        right = (struct range){ pivot + 1, r.to };
    }
#ifndef FIXED
    pthread_mutex_lock(&s->lock);
    add_effort(s, &effort);
    finish_one(s);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
    push(s, left);
    push(s, right);
    pthread_mutex_unlock(&s->lock);
#else
    pthread_mutex_lock(&s->lock);
    add_effort(s, &effort);
    push(s, left);
    push(s, right);
    finish_one(s);
    pthread_mutex_unlock(&s->lock);
#endif
}

static void *worker(void *data)
{
    struct sorter *s = data;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->tasks && !s->closing)
            pthread_cond_wait(&s->work, &s->lock);
        if (!s->tasks)
            break;
        struct range r = s->task[--s->tasks];
        pthread_mutex_unlock(&s->lock);
        sort_range(s, r);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ------------------------------------------------------------ the sorter */

static struct sorter *sorter_new(void)
{
    struct sorter *s = need(calloc(1, sizeof *s));
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->done, NULL);
    for (int i = 0; i < WORKERS; i++)
        s->thread[i] = spawn(worker, s);
    return s;
}

/* Returns when the array is sorted. Elements of at most 64 bytes. */
static void sorter_sort(struct sorter *s, void *base, size_t count, size_t size, compare_function compare)
{
    pthread_mutex_lock(&s->lock);
    s->base = base;
    s->size = size;
    s->compare = compare;
    push(s, (struct range){ 0, count });
    while (s->pending)
        pthread_cond_wait(&s->done, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static struct effort sorter_free(struct sorter *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < WORKERS; i++)
        join(s->thread[i]);
    struct effort e = s->effort;
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->done);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return e;
}

/* ------------------------------------------------------------ tests */

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

struct person {
    char name[12];
    int age;
};

static int compare_people(const void *a, const void *b)
{
    const struct person *p = a, *q = b;
    return p->age != q->age ? compare_ints(&p->age, &q->age) : strcmp(p->name, q->name);
}

static bool is_sorted(const void *base, size_t count, size_t size, compare_function compare)
{
    const unsigned char *at = base;
    for (size_t i = 1; i < count; i++)
        if (compare(at + (i - 1) * size, at + i * size) > 0)
            return false;
    return true;
}

/* Sorted copies are compared, so that nothing gets lost on the way. */
static bool same_elements(const int *a, const int *b, size_t count)
{
    long sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] - b[i];
        squares += (long)a[i] * a[i] - (long)b[i] * b[i];
    }
    return sum == 0 && squares == 0;
}

static void sorts_numbers(void)
{
    int number[8] = { 5, 3, 8, 1, 9, 2, 7, 4 }, before[8];
    bool sorted;
    memcpy(before, number, sizeof before);
    struct sorter *s = sorter_new();
    sorter_sort(s, number, 8, sizeof *number, compare_ints);
    sorted = is_sorted(number, 8, sizeof *number, compare_ints);
    struct effort e = sorter_free(s);
    CU_ASSERT_TRUE(sorted);
    CU_ASSERT_TRUE(same_elements(number, before, 8));
    CU_ASSERT_TRUE(e.splits >= 1);
}

static void sorts_people(void)
{
    struct person person[5] = { { "eve", 30 }, { "adam", 31 }, { "cain", 12 }, { "abel", 12 }, { "seth", 4 } };
    struct sorter *s = sorter_new();
    sorter_sort(s, person, 5, sizeof *person, compare_people);
    bool sorted = is_sorted(person, 5, sizeof *person, compare_people);
    sorter_free(s);
    CU_ASSERT_TRUE(sorted);
    CU_ASSERT_STRING_EQUAL(person[4].name, "adam");
}

static int compare_falling(const void *a, const void *b)
{
    return compare_ints(b, a);
}

/* One sorter, one array after the other. */
static void sorts_twice(void)
{
    int number[4] = { 2, 4, 1, 3 };
    struct sorter *s = sorter_new();
    sorter_sort(s, number, 4, sizeof *number, compare_ints);
    bool rising = is_sorted(number, 4, sizeof *number, compare_ints);
    sorter_sort(s, number, 4, sizeof *number, compare_falling);
    bool falling = is_sorted(number, 4, sizeof *number, compare_falling);
    sorter_free(s);
    CU_ASSERT_TRUE(rising && falling);
}

static void nothing_to_do(void)
{
    int one = 1;
    struct sorter *s = sorter_new();
    sorter_sort(s, &one, 1, sizeof one, compare_ints);
    sorter_sort(s, &one, 0, sizeof one, compare_ints);
    struct effort e = sorter_free(s);
    CU_ASSERT_EQUAL(e.splits + e.insertions + e.swaps, 0);
}

static const struct app_test tests[] = { { "sorts_numbers", sorts_numbers },
                                         { "sorts_people", sorts_people },
                                         { "sorts_twice", sorts_twice },
                                         { "nothing_to_do", nothing_to_do } };
APP_MAIN("quicksort", tests)
