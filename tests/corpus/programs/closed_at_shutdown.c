/* SPDX-License-Identifier: Apache-2.0
 * class: order violation at shutdown
 * bug: the log is closed while the last writer may still be at work
 * expect: FAILING, a write to a closed log */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int lines, refused;

static void *write_line(void *unused)
{
    pthread_mutex_lock(&lock);
    if (is_open)
        lines++;
    else
        refused++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void close_log(void)
{
    pthread_mutex_lock(&lock);
    is_open = false;
    pthread_mutex_unlock(&lock);
}

static void *write_slowly(void *unused)
{
    write_line(unused);
    compute();
    return unused;
}

int main(void)
{
    pthread_t a = spawn(write_line, NULL), b = spawn(write_slowly, NULL);
    join(b);
#ifdef FIXED
    join(a);
    close_log();
#else
    close_log();
    join(a);
#endif
    assert(lines == 2 && refused == 0);
}
