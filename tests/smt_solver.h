/* SPDX-License-Identifier: Apache-2.0
 * One z3 process that reads SMT-LIB 2 text from us and answers line by line. */
#ifndef HD_SMT_SOLVER_H
#define HD_SMT_SOLVER_H

#include <stdio.h>

enum smt_answer { SMT_UNSAT, SMT_SAT, SMT_GAVE_UP };

struct smt_solver;

/* NULL: there is no z3. `effort` bounds what one question may cost, in z3's own unit. */
struct smt_solver *smt_solver_start(unsigned long effort);
/* For what a question needs; nothing of before is left. */
FILE *smt_solver_fresh(struct smt_solver *);
FILE *smt_solver_input(struct smt_solver *);
/* To the one question written since the last answer. */
enum smt_answer smt_solver_answer(struct smt_solver *);
/* Returns the seconds of CPU time it took. */
double smt_solver_end(struct smt_solver *);

#endif
