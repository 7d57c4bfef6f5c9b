/* SPDX-License-Identifier: Apache-2.0
 * Threads that wait for each other in read and write: a relay over pipes, a
 * writer that fills a pipe, and a reader that finds its data there at once. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define STAGES 3
#define ROUNDS 20

static int stage[STAGES + 1][2];
static char seen[STAGES][ROUNDS + 1];
static char large[200000];
static int flow[2], pair[2];
static size_t received;

static void *relay(void *p)
{
    long i = (long)p;
    for (int round = 0; round < ROUNDS; round++) {
        char c;
        if (read(stage[i][0], &c, 1) != 1)
            return NULL;
        seen[i][round] = c;
        c++;
        if (write(stage[i + 1][1], &c, 1) != 1)
            return NULL;
    }
    return p;
}

static void *fill(void *p)
{
    memset(large, 'x', sizeof large);
    size_t done = 0;
    while (done < sizeof large) {
        ssize_t n = write(flow[1], large + done, sizeof large - done);
        if (n < 0)
            break;
        done += (size_t)n;
    }
    close(flow[1]);
    return p;
}

static void *answer(void *p)
{
    char text[16] = "", head[4], tail[12] = "";
    struct iovec v[2] = { { head, 4 }, { tail, 11 } };
    if (recv(pair[1], text, 5, 0) == 5)
        send(pair[1], "pong!", 5, 0);
    if (readv(pair[1], v, 2) == 9)
        printf("%s %.4s|%s\n", text, head, tail);
    return p;
}

static void run_relay(void)
{
    pthread_t thread[STAGES];
    for (int i = 0; i <= STAGES; i++)
        if (pipe(stage[i]))
            return;
    for (long i = 0; i < STAGES; i++)
        pthread_create(&thread[i], NULL, relay, (void *)i);
    for (int round = 0; round < ROUNDS; round++) {
        char c = (char)('a' + round);
        if (write(stage[0][1], &c, 1) != 1 || read(stage[STAGES][0], &c, 1) != 1)
            return;
        putchar(c);
    }
    for (int i = 0; i < STAGES; i++)
        pthread_join(thread[i], NULL);
    printf("\n%s %s %s\n", seen[0], seen[1], seen[2]);
}

int main(void)
{
    pthread_t thread;
    char part[5000], word[8] = "";
    ssize_t n;
    run_relay();
    if (pipe(flow) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 2;
    pthread_create(&thread, NULL, fill, NULL);
    while ((n = read(flow[0], part, sizeof part)) > 0)
        received += (size_t)n;
    pthread_join(thread, NULL);
    printf("%zu\n", received);
    pthread_create(&thread, NULL, answer, NULL);
    send(pair[0], "ping!", 5, 0);
    recv(pair[0], word, 5, MSG_WAITALL);
    struct iovec v[2] = { { "abcd", 4 }, { "efghi", 5 } };
    n = writev(pair[0], v, 2);
    pthread_join(thread, NULL);
    printf("%s %zd\n", word, n);
    return 0;
}
