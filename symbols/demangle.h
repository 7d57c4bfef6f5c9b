/* SPDX-License-Identifier: Apache-2.0
 * C++ names as they are written. The C++ runtime knows how, and who has C++ programs has it; where it is not
 * there, a name stays as it is. */
#ifndef HD_DEMANGLE_H
#define HD_DEMANGLE_H

char *hd_demangled(const char *name); /* to be freed */

#endif
