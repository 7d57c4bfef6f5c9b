/* SPDX-License-Identifier: Apache-2.0
 * C11 threads. glibc's types are those of pthreads under other names, so every
 * function is its pthread counterpart, seen once. */
#include <errno.h>
#include <stdint.h>
#include <threads.h>

#include "record/noise.h"
#include "record/runtime.h"

_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "a mtx_t holds a mutex");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "a cnd_t holds a condition");
_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a once_flag is a once control");

static int result_of(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case EAGAIN: return thrd_error;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

#define REAL(name, type, parameters)                                                                 \
    typedef type name##_fn parameters;                                                               \
    static name##_fn *real;                                                                          \
    if (!real)                                                                                       \
        real = (name##_fn *)hd_real(#name);

struct start { thrd_start_t function; void *argument; };

static void *started(void *p)
{
    struct start *start = p;
    return (void *)(intptr_t)start->function(start->argument);
}

HD_EXPORT int thrd_create(thrd_t *handle, thrd_start_t function, void *argument)
{
    hd_noise();
    REAL(thrd_create, int, (thrd_t *, thrd_start_t, void *))
    if (!hd_self)
        return real(handle, function, argument);
    struct start *start = hd_arena(sizeof *start);
    *start = (struct start){ function, argument };
    return result_of(hd_create(handle, NULL, started, start, HD_CALLER));
}

HD_EXPORT int thrd_join(thrd_t handle, int *result)
{
    hd_noise();
    REAL(thrd_join, int, (thrd_t, int *))
    if (!hd_self)
        return real(handle, result);
    void *value = NULL;
    int error = hd_join(handle, &value, NULL, false, HD_CALLER);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return result_of(error);
}

HD_EXPORT int thrd_detach(thrd_t handle)
{
    REAL(thrd_detach, int, (thrd_t))
    return hd_self ? result_of(hd_detach(handle, HD_CALLER)) : real(handle);
}

HD_EXPORT void thrd_yield(void)
{
    REAL(thrd_yield, void, (void))
    if (hd_self)
        hd_yield(HD_CALLER);
    else
        real();
}

HD_EXPORT int thrd_sleep(const struct timespec *wish, struct timespec *left)
{
    REAL(thrd_sleep, int, (const struct timespec *, struct timespec *))
    if (!hd_self || wish->tv_sec < 0 || wish->tv_nsec < 0 || wish->tv_nsec >= 1000000000)
        return real(wish, left);
    uint64_t nanoseconds = (uint64_t)wish->tv_sec * 1000000000ull + (uint64_t)wish->tv_nsec;
    struct hd_deadline deadline = hd_deadline_after(nanoseconds);
    return hd_sleep(&deadline, nanoseconds, HD_CALLER);
}

HD_EXPORT void call_once(once_flag *flag, void (*function)(void))
{
    hd_noise();
    REAL(call_once, void, (once_flag *, void (*)(void)))
    if (hd_self)
        hd_once((pthread_once_t *)flag, function, HD_CALLER);
    else
        real(flag, function);
}

HD_EXPORT int mtx_lock(mtx_t *m)
{
    hd_noise();
    REAL(mtx_lock, int, (mtx_t *))
    return hd_self ? result_of(hd_mutex_lock((pthread_mutex_t *)m, NULL, HD_CALLER)) : real(m);
}

HD_EXPORT int mtx_trylock(mtx_t *m)
{
    hd_noise();
    REAL(mtx_trylock, int, (mtx_t *))
    return hd_self ? result_of(hd_mutex_trylock((pthread_mutex_t *)m, HD_CALLER)) : real(m);
}

HD_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict at)
{
    hd_noise();
    REAL(mtx_timedlock, int, (mtx_t *, const struct timespec *))
    if (!hd_self || at->tv_nsec < 0 || at->tv_nsec >= 1000000000)
        return real(m, at);
    struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);
    return result_of(hd_mutex_lock((pthread_mutex_t *)m, &deadline, HD_CALLER));
}

HD_EXPORT int mtx_unlock(mtx_t *m)
{
    hd_noise();
    REAL(mtx_unlock, int, (mtx_t *))
    return hd_self ? result_of(hd_mutex_unlock((pthread_mutex_t *)m, HD_CALLER)) : real(m);
}

HD_EXPORT int mtx_init(mtx_t *m, int type)
{
    REAL(mtx_init, int, (mtx_t *, int))
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)m);
    return real(m, type);
}

HD_EXPORT void mtx_destroy(mtx_t *m)
{
    REAL(mtx_destroy, void, (mtx_t *))
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)m, HD_CALLER);
    real(m);
}

HD_EXPORT int cnd_signal(cnd_t *c)
{
    hd_noise();
    REAL(cnd_signal, int, (cnd_t *))
    if (hd_self)
        hd_cond_signal((pthread_cond_t *)c, false, HD_CALLER);
    return real(c);
}

HD_EXPORT int cnd_broadcast(cnd_t *c)
{
    hd_noise();
    REAL(cnd_broadcast, int, (cnd_t *))
    if (hd_self)
        hd_cond_signal((pthread_cond_t *)c, true, HD_CALLER);
    return real(c);
}

HD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    hd_noise();
    REAL(cnd_wait, int, (cnd_t *, mtx_t *))
    if (!hd_self)
        return real(c, m);
    return result_of(hd_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, NULL, HD_CALLER));
}

HD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at)
{
    hd_noise();
    REAL(cnd_timedwait, int, (cnd_t *, mtx_t *, const struct timespec *))
    if (!hd_self || at->tv_nsec < 0 || at->tv_nsec >= 1000000000)
        return real(c, m, at);
    struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);
    return result_of(hd_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, &deadline, HD_CALLER));
}

HD_EXPORT int cnd_init(cnd_t *c)
{
    REAL(cnd_init, int, (cnd_t *))
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)c);
    return real(c);
}

HD_EXPORT void cnd_destroy(cnd_t *c)
{
    REAL(cnd_destroy, void, (cnd_t *))
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)c, HD_CALLER);
    real(c);
}
