/* SPDX-License-Identifier: Apache-2.0
 * Primitives of the user's own, declared in one line each:
 *
 *     acquire int  my_lock(ptr, int)   object=1
 *     release void my_unlock(ptr)      object=1
 *     try     int  my_trylock(ptr)     object=1 success=0
 *     acquire void giant_lock()        object=giant
 *     signal  int  my_post(ptr)        object=1
 *     wait    int  my_take(ptr)        object=1
 *
 *     KIND TYPE NAME(TYPES) object=N|WORD [success=V] [recursive] [count=N]
 *
 * | kind     | becomes                                                       |
 * |----------|---------------------------------------------------------------|
 * | acquire  | a lock; waits while another thread has the object             |
 * | try      | a lock, or a failed trylock where the result is not `success` |
 * | release  | an unlock                                                     |
 * | signal   | adds one to the object's count, as a semaphore's post         |
 * | wait     | takes one off, waits where there is none; `count` to begin    |
 *
 * An object is the argument with that number, from 1, or one with a name where
 * the functions have no such argument. Empty lines and what follows a # are
 * skipped. Used in the test and in its parent, so nothing here allocates. */
#ifndef HD_DECLARE_H
#define HD_DECLARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_DECLARED_ARGUMENTS 12
#define HD_DECLARED_NAME 80
#define HD_DECLARED_LINE 512

enum hd_declared_kind { HD_ACQUIRES, HD_RELEASES, HD_TRIES, HD_SIGNALS, HD_WAITS };

enum hd_c_type {
    HD_C_VOID, HD_C_CHAR, HD_C_UCHAR, HD_C_SHORT, HD_C_USHORT, HD_C_INT, HD_C_UINT, HD_C_LONG, HD_C_ULONG,
    HD_C_POINTER, HD_C_FLOAT, HD_C_DOUBLE
};

struct hd_declaration {
    enum hd_declared_kind kind;
    char name[HD_DECLARED_NAME];
    enum hd_c_type result, argument[HD_DECLARED_ARGUMENTS];
    unsigned arguments;
    unsigned object;                    /* argument, from 1; 0: by name */
    char object_name[HD_DECLARED_NAME];
    bool has_success, recursive;
    int64_t success;
    uint32_t count;
};

enum hd_declare_result { HD_DECLARE_ONE, HD_DECLARE_BLANK, HD_DECLARE_BAD };

/* One line; where it is bad, what is wrong in `error`. */
enum hd_declare_result hd_declare_parse(const char *line, struct hd_declaration *, char *error, size_t error_size);

/* Every declaration of a file, in order. 0, or -1 and "FILE:LINE: what; remedy". `each` may be NULL. */
int hd_declare_file(const char *path, void (*each)(const struct hd_declaration *, void *), void *data, char *error,
                    size_t error_size);

#endif
