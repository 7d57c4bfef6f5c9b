/* SPDX-License-Identifier: Apache-2.0
 * class: errno and static buffers
 * bug: the last error is kept in a global, and looked at after another call
 * expect: FAILING, one thread's success hides the other's error */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "threads.h"

#ifdef FIXED
static _Thread_local int last_error;
#else
static int last_error;
#endif

static void try_open(const char *path)
{
    int fd = open(path, O_RDONLY);
    last_error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
}

static void *fails(void *unused)
{
    try_open("/nonexistent/file");
    assert(last_error == ENOENT);
    return unused;
}

static void *succeeds(void *unused)
{
    try_open("/dev/null");
    assert(last_error == 0);
    return unused;
}

int main(void)
{
    run_two(fails, succeeds);
}
