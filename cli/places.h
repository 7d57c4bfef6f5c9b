/* SPDX-License-Identifier: Apache-2.0
 * Where the tool's own files are: beside the running program, in the build tree
 * or below the prefix it was moved to. The caller frees. */
#ifndef HD_PLACES_H
#define HD_PLACES_H

char *hd_place_library(void); /* folder of libheddle.so */
char *hd_place_include(void); /* folder of heddle/cunit.h */
char *hd_place_gdb(void);     /* the gdb commands */

#endif
