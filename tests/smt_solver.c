// SPDX-License-Identifier: Apache-2.0
#include "tests/smt_solver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct smt_solver { FILE *to, *from; pid_t process; unsigned long effort; };

static void give_up(const char *what, const char *said)
{
    fprintf(stderr, "smt_test: z3 %s%s%s\n", what, *said ? ": " : "", said);
    exit(2);
}

/* What a failed exec has to say comes through a pipe that a good one closes. */
static pid_t start(int in, int out)
{
    int told[2], error = 0;
    if (pipe2(told, O_CLOEXEC))
        give_up("cannot be started", strerror(errno));
    pid_t process = fork();
    if (!process) {
        dup2(in, 0);
        dup2(out, 1);
        execlp("z3", "z3", "-in", "-smt2", (char *)NULL);
        error = errno;
        _exit(write(told[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    close(told[1]);
    if (process < 0 || read(told[0], &error, sizeof error) > 0) {
        if (process > 0)
            waitpid(process, NULL, 0);
        process = -1;
    }
    close(told[0]);
    return process;
}

struct smt_solver *smt_solver_start(unsigned long effort)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        give_up("cannot be started", strerror(errno));
    pid_t process = start(to[0], from[1]);
    close(to[0]);
    close(from[1]);
    if (process < 0) {
        close(to[1]);
        close(from[0]);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN);
    struct smt_solver *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct smt_solver){fdopen(to[1], "w"), fdopen(from[0], "r"), process, effort};
    if (!s->to || !s->from)
        abort();
    return s;
}

FILE *smt_solver_fresh(struct smt_solver *s)
{
    fprintf(s->to, "(reset)\n(set-option :rlimit %lu)\n", s->effort);
    return s->to;
}

FILE *smt_solver_input(struct smt_solver *s)
{
    return s->to;
}

enum smt_answer smt_solver_answer(struct smt_solver *s)
{
    char line[200];
    if (fflush(s->to) || !fgets(line, sizeof line, s->from))
        give_up("ended", "");
    line[strcspn(line, "\n")] = 0;
    if (!strcmp(line, "sat"))
        return SMT_SAT;
    if (!strcmp(line, "unsat"))
        return SMT_UNSAT;
    if (strcmp(line, "unknown"))
        give_up("does not understand", line);
    return SMT_GAVE_UP;
}

double smt_solver_end(struct smt_solver *s)
{
    struct rusage used = {0};
    fclose(s->to);
    fclose(s->from);
    wait4(s->process, NULL, 0, &used);
    free(s);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
