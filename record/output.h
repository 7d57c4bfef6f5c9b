/* SPDX-License-Identifier: Apache-2.0
 * What the program prints, kept in memory: the first part of it, however much it
 * is. The program writes to a file that never makes it wait, so that who reads
 * it, and when, does not change its schedule. */
#ifndef HD_OUTPUT_H
#define HD_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#define HD_OUTPUT_KEPT (64u << 10)

struct hd_kept_output { int fd; uint64_t dropped; }; /* fd -1: none */
struct hd_text { char *bytes; size_t size; uint64_t total; };

int hd_output_open(struct hd_kept_output *);
void hd_output_close(struct hd_kept_output *);
void hd_output_bound(struct hd_kept_output *); /* now and then: gives back what is not kept */
void hd_output_take(const struct hd_kept_output *, struct hd_text *); /* the caller frees `bytes` */

#endif
