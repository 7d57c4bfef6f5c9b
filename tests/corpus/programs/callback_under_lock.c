/* SPDX-License-Identifier: Apache-2.0
 * class: callback under lock
 * bug: the observer is called with the subject's lock held, and locks its own subject from the other side
 * expect: FAILING, deadlock */
#include "threads.h"

struct subject { pthread_mutex_t lock; int value; void (*changed)(int); };

static pthread_mutex_t view_lock = PTHREAD_MUTEX_INITIALIZER;
static int shown;
static void show(int);
static struct subject model = { PTHREAD_MUTEX_INITIALIZER, 0, show };

static void show(int value)
{
    pthread_mutex_lock(&view_lock);
    shown = value;
    pthread_mutex_unlock(&view_lock);
}

static void *change(void *unused)
{
    pthread_mutex_lock(&model.lock);
    int value = ++model.value;
#ifdef FIXED
    pthread_mutex_unlock(&model.lock);
    model.changed(value);
#else
    model.changed(value);
    pthread_mutex_unlock(&model.lock);
#endif
    return unused;
}

static void *redraw(void *unused)
{
    pthread_mutex_lock(&view_lock);
    pthread_mutex_lock(&model.lock);
    shown = model.value;
    pthread_mutex_unlock(&model.lock);
    pthread_mutex_unlock(&view_lock);
    return unused;
}

int main(void)
{
    run_two(change, redraw);
    assert(shown == 0 || shown == 1);
}
