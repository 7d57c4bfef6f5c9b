/* SPDX-License-Identifier: Apache-2.0
 * Parallel quicksort of two halves, then a merge. */
#include "kernel.h"

#define N 1000000

static int data[N], merged[N];

static void quicksort(int *v, int n)
{
    while (n > 1) {
        int pivot = v[n / 2], i = 0, j = n - 1;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                int x = v[i];
                v[i++] = v[j];
                v[j--] = x;
            }
        }
        quicksort(v, j + 1);
        v += i;
        n -= i;
    }
}

static void *half(void *arg)
{
    quicksort(data + (intptr_t)arg * (N / WORKERS), N / WORKERS);
    return NULL;
}

int main(void)
{
    uint32_t state = 1;
    for (int i = 0; i < N; i++)
        data[i] = (int)next_random(&state);
    in_parallel(half);
    for (int i = 0, p = 0, q = N / 2; i < N; i++)
        merged[i] = q == N || (p < N / 2 && data[p] <= data[q]) ? data[p++] : data[q++];
    for (int i = 1; i < N; i++)
        if (merged[i - 1] > merged[i])
            return 1;
    return 0;
}
