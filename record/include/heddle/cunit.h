/* SPDX-License-Identifier: Apache-2.0
 * The one added line: include this after CUnit's header and the tests record,
 * however they are registered (CU_add_test, CU_ADD_TEST, tables) and run (basic,
 * automated, console, CU_run_all_tests). Set-up and tear-down functions of a
 * suite belong to each test; its initialisation and clean-up to none. */
#ifndef HEDDLE_CUNIT_H
#define HEDDLE_CUNIT_H

#include <heddle/test.h>

#endif
