/* SPDX-License-Identifier: Apache-2.0
 * For every application of the corpus: threads without their ceremony, and a
 * main that runs a table of CUnit tests. */
#ifndef CORPUS_APP_H
#define CORPUS_APP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>
#ifndef PLAIN
#include <heddle/cunit.h>
#endif

static inline pthread_t spawn(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0)
        abort();
    return thread;
}

static inline void join(pthread_t thread)
{
    if (pthread_join(thread, NULL) != 0)
        abort();
}

static inline void *need(void *block)
{
    if (!block)
        abort();
    return block;
}

struct app_test {
    const char *name;
    void (*run)(void);
};

static inline int app_main(const char *name, const struct app_test *test, size_t count)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite(name, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        CU_add_test(suite, test[i].name, test[i].run);
    CU_basic_set_mode(CU_BRM_SILENT);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}

#define APP_MAIN(name, tests)                                            \
    int main(void)                                                       \
    {                                                                    \
        return app_main(name, tests, sizeof(tests) / sizeof *(tests));   \
    }

#endif
