/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/syscall.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long before, after;

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "abort";
    before = 42;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "exit") == 0)
        exit(4);
    if (strcmp(how, "kill") == 0) {
        before = 43;
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    if (strcmp(how, "segv") == 0)
        *(volatile long *)8 = 1;
    after = 1;
    return 0;
}
