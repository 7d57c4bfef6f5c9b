/* SPDX-License-Identifier: Apache-2.0
 * ThreadSanitizer's annotations around a spinlock that is not instrumented. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_destroy(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateRWLockCreate(const char *, int, const volatile void *);
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long);
void AnnotateRWLockReleased(const char *, int, const volatile void *, long);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t, const char *);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);

static int word;
long balance = 100, hits, rw;

static void take(void)
{
    __tsan_mutex_pre_lock(&word, 0);
    while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
        ;
    __tsan_mutex_post_lock(&word, 0, 1);
}

static int try_take(void)
{
    __tsan_mutex_pre_lock(&word, 1 << 4);
    int failed = __atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE);
    __tsan_mutex_post_lock(&word, failed ? 1 << 4 | 1 << 5 : 1 << 4, 1);
    return !failed;
}

static void give(void)
{
    __tsan_mutex_pre_unlock(&word, 0);
    __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
    __tsan_mutex_post_unlock(&word, 0);
}

static void *deposit(void *unused)
{
    take();
    long seen = balance;
#ifdef BUGGY
    give();
    take();
#endif
    balance = seen + 10;
    give();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    __tsan_mutex_create(&word, 0);
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "a statistic");
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    if (!try_take() || try_take())
        return 1;
    give();
    AnnotateRWLockCreate(__FILE__, __LINE__, &rw);
    AnnotateRWLockAcquired(__FILE__, __LINE__, &rw, 0);
    AnnotateRWLockReleased(__FILE__, __LINE__, &rw, 0);
    AnnotateRWLockAcquired(__FILE__, __LINE__, &rw, 1);
    AnnotateRWLockReleased(__FILE__, __LINE__, &rw, 1);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    __tsan_release(&hits);
    __tsan_acquire(&hits);
    AnnotateHappensBefore(__FILE__, __LINE__, &hits);
    AnnotateHappensAfter(__FILE__, __LINE__, &hits);
    __tsan_mutex_destroy(&word, 0);
    assert(balance == 120);
    return 0;
}
