/* SPDX-License-Identifier: Apache-2.0
 * measure RUNS COMMAND...: the least wall time and CPU time (user and system, of
 * the command and all it waited for) of RUNS runs, in milliseconds, and the peak
 * memory of the command's own process in kB. Its output is dropped.
 * Exits with the command's status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cost { double wall, cpu; long memory; int status; };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* The peak stays readable until the process is reaped only in the accounting of
 * its memory, which is gone by then: ask while it runs. */
static long peak_of(pid_t pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static struct cost run(char **argv)
{
    struct cost c = { .memory = 0 };
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    siginfo_t info = { .si_pid = 0 };
    struct timespec tick = { 0, 2000000 };
    for (long kb; waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0;) {
        kb = peak_of(pid);
        c.memory = kb > c.memory ? kb : c.memory;
        if (now() - start < 20)
            tick.tv_nsec = 100000;
        else
            tick.tv_nsec = 5000000;
        nanosleep(&tick, NULL);
    }
    wait4(pid, &status, 0, &usage);
    c.wall = now() - start;
    c.cpu = ms(usage.ru_utime) + ms(usage.ru_stime);
    c.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return c;
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[1]) : 0;
    if (runs < 1) {
        fputs("usage: measure RUNS COMMAND...\n", stderr);
        return 2;
    }
    struct cost best = run(argv + 2);
    for (int i = 1; i < runs; i++) {
        struct cost c = run(argv + 2);
        best.wall = c.wall < best.wall ? c.wall : best.wall;
        best.cpu = c.cpu < best.cpu ? c.cpu : best.cpu;
        best.memory = c.memory > best.memory ? c.memory : best.memory;
        best.status = c.status ? c.status : best.status;
    }
    printf("%.2f %.2f %ld\n", best.wall, best.cpu, best.memory);
    return best.status;
}
