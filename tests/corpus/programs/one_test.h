/* SPDX-License-Identifier: Apache-2.0
 * ONE_TEST(name) { ... }: a CUnit program of that one test. */
#ifndef CORPUS_ONE_TEST_H
#define CORPUS_ONE_TEST_H

#include <CUnit/Basic.h>
#ifndef PLAIN
#include <heddle/cunit.h>
#endif

#define ONE_TEST(name)                                          \
    static void name(void);                                     \
    int main(void)                                              \
    {                                                           \
        if (CU_initialize_registry() != CUE_SUCCESS)            \
            return 2;                                           \
        CU_pSuite suite = CU_add_suite("corpus", NULL, NULL);   \
        CU_add_test(suite, #name, name);                        \
        CU_basic_set_mode(CU_BRM_SILENT);                       \
        CU_basic_run_tests();                                   \
        unsigned failures = CU_get_number_of_failures();        \
        CU_cleanup_registry();                                  \
        return failures != 0;                                   \
    }                                                           \
    static void name(void)

#endif
