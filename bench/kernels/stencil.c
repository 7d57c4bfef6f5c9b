/* SPDX-License-Identifier: Apache-2.0
 * A five-point stencil; workers are joined after every step, and read each
 * other's border rows in the next. */
#include "kernel.h"

#define N 400
#define STEPS 300

static double grid[2][N][N];
static int from;

static void *rows(void *arg)
{
    int part = (int)(intptr_t)arg, first = 1 + part * (N - 2) / WORKERS, end = 1 + (part + 1) * (N - 2) / WORKERS;
    double(*in)[N] = grid[from], (*out)[N] = grid[1 - from];
    for (int i = first; i < end; i++)
        for (int j = 1; j < N - 1; j++)
            out[i][j] = 0.2 * (in[i][j] + in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        grid[0][i][0] = grid[1][i][0] = 1;
    for (int step = 0; step < STEPS; step++) {
        in_parallel(rows);
        from = 1 - from;
    }
    return !(grid[from][N / 2][1] > 0.5);
}
