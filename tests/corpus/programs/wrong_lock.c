/* SPDX-License-Identifier: Apache-2.0
 * class: wrong lock
 * bug: the reset takes the lock of the other table
 * expect: FAILING, a visit survives the reset or is lost */
#include "threads.h"

static pthread_mutex_t visits_lock = PTHREAD_MUTEX_INITIALIZER, errors_lock = PTHREAD_MUTEX_INITIALIZER;
static int visits, errors;

static void *visit(void *unused)
{
    pthread_mutex_lock(&visits_lock);
    visits++;
    pthread_mutex_unlock(&visits_lock);
    pthread_mutex_lock(&errors_lock);
    errors++;
    pthread_mutex_unlock(&errors_lock);
    return unused;
}

static void *visit_again(void *unused)
{
#ifdef FIXED
    pthread_mutex_t *lock = &visits_lock;
#else
    pthread_mutex_t *lock = &errors_lock;
#endif
    pthread_mutex_lock(lock);
    visits++;
    pthread_mutex_unlock(lock);
    return unused;
}

int main(void)
{
    run_two(visit, visit_again);
    assert(visits == 2 && errors == 1);
}
