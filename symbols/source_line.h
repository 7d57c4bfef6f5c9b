/* SPDX-License-Identifier: Apache-2.0
 * One line of a source, without the blanks around it. */
#ifndef HD_SOURCE_LINE_H
#define HD_SOURCE_LINE_H

#include <stdint.h>

/* "" where the file or the line is not there. `folder` is where a relative path begins. The caller frees. */
char *hd_source_line(const char *folder, const char *path, uint32_t line);

#endif
