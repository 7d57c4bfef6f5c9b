/* SPDX-License-Identifier: Apache-2.0
 * A smaller trace that is still well formed and still shows something. */
#ifndef HD_SMT_SHRINK_H
#define HD_SMT_SHRINK_H

#include "tests/smt_encode.h"

/* The question's events move with the trace. The caller frees the new trace. */
struct made smt_shrink(const struct made *, struct smt_question *,
                       bool (*shows)(const struct made *, const struct smt_question *));

#endif
