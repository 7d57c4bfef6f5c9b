/* SPDX-License-Identifier: Apache-2.0
 * The environment lies above the stack: its size moves the program's arguments and
 * frames, and where a string begins decides in which pieces it is read. It is
 * padded, so that every run finds them at the same place within a page. */
#ifndef HD_ENVIRONMENT_H
#define HD_ENVIRONMENT_H

/* The last change to the environment before exec of `program`. */
void hd_environment_settle(const char *program);

#endif
