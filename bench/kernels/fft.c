/* SPDX-License-Identifier: Apache-2.0
 * Fast Fourier transforms, one a worker, there and back, over a shared table of roots. */
#include <math.h>

#include "kernel.h"

#define N 65536
#define ROUNDS 6

static double re[WORKERS][N], im[WORKERS][N], cosine[N / 2], sine[N / 2];

static void transform(double *x, double *y, double sign)
{
    for (int i = 1, j = 0; i < N; i++) {
        int bit = N >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = x[i], u = y[i];
            x[i] = x[j], y[i] = y[j];
            x[j] = t, y[j] = u;
        }
    }
    for (int half = 1; half < N; half *= 2)
        for (int i = 0; i < N; i += 2 * half)
            for (int k = 0; k < half; k++) {
                double c = cosine[k * (N / 2 / half)], s = sign * sine[k * (N / 2 / half)];
                int p = i + k, q = p + half;
                double u = x[q] * c - y[q] * s, v = x[q] * s + y[q] * c;
                x[q] = x[p] - u, y[q] = y[p] - v;
                x[p] += u, y[p] += v;
            }
}

static void *there_and_back(void *arg)
{
    double *x = re[(intptr_t)arg], *y = im[(intptr_t)arg];
    for (int round = 0; round < ROUNDS; round++) {
        transform(x, y, 1);
        transform(x, y, -1);
        for (int i = 0; i < N; i++)
            x[i] /= N, y[i] /= N;
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N / 2; i++) {
        cosine[i] = cos(2 * M_PI * i / N);
        sine[i] = sin(2 * M_PI * i / N);
    }
    for (int i = 0; i < N; i++)
        re[0][i] = re[1][i] = i % 1000;
    in_parallel(there_and_back);
    return fabs(re[0][999] - 999) > 1e-6 || fabs(re[1][999] - 999) > 1e-6;
}
