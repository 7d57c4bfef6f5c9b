/* SPDX-License-Identifier: Apache-2.0
 * Four threads of one function, and a main that runs the one test its argument
 * names: each test of real code is a run of its own. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

#define CREW 4

struct member {
    pthread_t thread;
    int number; /* 0 to CREW - 1 */
    int error;  /* what the member's work came to; 0: well */
};

static inline int crew_run(void *(*work)(void *))
{
    struct member member[CREW] = { 0 };
    int errors = 0;
    for (int i = 0; i < CREW; i++) {
        member[i].number = i;
        if (pthread_create(&member[i].thread, NULL, work, &member[i]) != 0)
            abort();
    }
    for (int i = 0; i < CREW; i++) {
        pthread_join(member[i].thread, NULL);
        errors += member[i].error != 0;
    }
    return errors;
}

/* Reruns go side by side: each has a folder of its own. */
static inline void own_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/realcode-XXXXXX");
    if (!mkdtemp(path))
        abort();
}

struct named_test {
    const char *name;
    void (*run)(void);
};

static inline int run_named(const char *suite_name, const struct named_test *test, int argc, char **argv)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
    for (; test->name; test++)
        if (argc < 2 || strcmp(argv[1], test->name) == 0)
            CU_add_test(suite, test->name, test->run);
    CU_basic_run_tests();
    int failures = (int)CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures ? 1 : 0;
}

#endif
