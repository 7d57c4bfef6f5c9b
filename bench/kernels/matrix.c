/* SPDX-License-Identifier: Apache-2.0
 * Matrix product: shared input, private rows of the output. */
#include "kernel.h"

#define N 500

static double a[N][N], b[N][N], c[N][N];

static void *rows(void *arg)
{
    for (int i = (int)(intptr_t)arg; i < N; i += WORKERS)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i == j ? 2 : 0;
            b[i][j] = i + j;
        }
    in_parallel(rows);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += c[i][i];
    return sum != 2.0 * N * (N - 1);
}
