/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "conformance.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct fixture fix;
static char notes[1 << 16];
static size_t noted;

void note(const char *call, long result, int error)
{
    if (noted + 512 < sizeof notes)
        noted += (size_t)snprintf(notes + noted, 512, "  %.400s = %ld, errno %d\n", call, result, error);
}

static void set_up(void)
{
    static const char content[] = "hello world\n12 34\nlast line\n";
    int ends[2];
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    strcpy(fix.path, "fixture");
    unlink(fix.path);
    fix.file = open(fix.path, O_RDWR | O_CREAT, 0600);
    fix.bad = -1;
    if (write(fix.file, content, sizeof content - 1) < 0 || pipe(ends) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, fix.socket) != 0 || write(ends[1], content, 20) < 0 ||
        write(fix.socket[1], content, 20) < 0)
        _exit(3);
    fix.readable = ends[0];
    fix.writable = ends[1];
    lseek(fix.file, 0, SEEK_SET);
    fix.stream = fopen(fix.path, "r+");
    fix.listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(fix.listener, (struct sockaddr *)&name, sizeof name);
    listen(fix.listener, 4);
}

static void tear_down(void)
{
    if (fix.stream)
        fclose(fix.stream);
    int open_ones[] = { fix.file, fix.readable, fix.writable, fix.socket[0], fix.socket[1], fix.listener };
    for (unsigned i = 0; i < sizeof open_ones / sizeof *open_ones; i++)
        close(open_ones[i]);
}

static void ended_early(void *unused)
{
    (void)unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    noted = 0;
    note("cancelled", 1, 0);
}

static int cancels;

static void *run(void *p)
{
    const struct conformance_case *c = p;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    set_up();
    pthread_cleanup_push(ended_early, NULL);
    if (cancels) {
        pthread_cancel(pthread_self());
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    }
    c->run();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (cancels)
        noted = 0;
    pthread_cleanup_pop(0);
    return NULL;
}

static void both_ways(const struct conformance_case *c)
{
    for (cancels = 0; cancels < 2; cancels++) {
        pthread_t thread;
        noted = 0;
        notes[0] = 0;
        pthread_create(&thread, NULL, run, (void *)c);
        pthread_join(thread, NULL);
        tear_down();
        printf("%s%s\n%.*s", c->name, cancels ? ", to be cancelled" : "", (int)noted, notes);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM); /* for the thread that waits for it */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    const struct conformance_case *tables[] = { threads_cases, files_cases, memory_cases };
    for (unsigned i = 0; i < 3; i++)
        for (const struct conformance_case *c = tables[i]; c->name; c++)
            if (argc < 2 || strcmp(argv[1], c->name) == 0)
                both_ways(c);
    return 0;
}
