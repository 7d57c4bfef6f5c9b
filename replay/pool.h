/* SPDX-License-Identifier: Apache-2.0
 * Independent jobs in processes of their own, a few at a time. Results come back
 * in the order of the jobs, whatever `jobs` is. */
#ifndef HD_POOL_H
#define HD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Runs in a child process; what it writes to `out` is the job's result. */
typedef void hd_pool_work(size_t job, FILE *out, void *data);

/* Called in order of the jobs, in this process. False: no further ones. */
typedef bool hd_pool_done(size_t job, const uint8_t *bytes, size_t size, void *data);

/* 0, or -1 and one line in `error` where no process could be made. */
int hd_pool_run(size_t count, unsigned jobs, hd_pool_work *work, hd_pool_done *done, void *data, char *error,
                size_t error_size);

#endif
