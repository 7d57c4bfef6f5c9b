/* SPDX-License-Identifier: Apache-2.0
 * LU decomposition without pivoting; workers share the rows below the pivot in
 * blocks of steps and are joined after each. */
#include <math.h>

#include "kernel.h"

#define N 640
#define BLOCK 16

static double m[N][N];
static int step_from;

static void eliminate(int i, int k)
{
    double factor = m[i][k] /= m[k][k];
    for (int j = k + 1; j < N; j++)
        m[i][j] -= factor * m[k][j];
}

static void *rows(void *arg)
{
    int from = step_from, end = from + BLOCK;
    for (int i = end + (int)(intptr_t)arg; i < N; i += WORKERS)
        for (int k = from; k < end; k++)
            eliminate(i, k);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = i == j ? N : 1.0 / (1 + i + j);
    for (step_from = 0; step_from < N; step_from += BLOCK) {
        for (int k = step_from; k < step_from + BLOCK; k++)
            for (int i = k + 1; i < step_from + BLOCK; i++)
                eliminate(i, k);
        in_parallel(rows);
    }
    return !(fabs(m[N - 1][N - 1] - N) < 1);
}
