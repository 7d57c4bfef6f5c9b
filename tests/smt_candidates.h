/* SPDX-License-Identifier: Apache-2.0
 * All candidates of a trace, and what the engine says of each. The list is made
 * from the trace alone; the engine's account has to name the same. */
#ifndef HD_SMT_CANDIDATES_H
#define HD_SMT_CANDIDATES_H

#include "tests/smt_encode.h"

enum smt_verdict { SMT_IMPOSSIBLE, SMT_WITNESS, SMT_OPEN, SMT_NOT_LISTED };

struct smt_candidate {
    struct smt_question question;
    enum smt_verdict verdict;
    char stage[16];
    unsigned rank; /* of the sample */
};

struct smt_candidates {
    struct smt_candidate *candidate; /* sorted */
    size_t count, room;
    unsigned long open, lines; /* of the whole account */
    unsigned patterns; /* lines that stand for more cycles, or for those cut short: not all are listed */
};

/* Those of the trace, with the engine's verdicts. False, after a line that says so: the engine lists others. */
bool smt_candidates_make(struct smt_candidates *, const struct smt_view *);
void smt_candidates_free(struct smt_candidates *);
/* SMT_NOT_LISTED where there is no such candidate. */
enum smt_verdict smt_candidates_verdict(const struct smt_candidates *, const struct smt_question *);

/* Which cycles over a semaphore are worth asking about is the engine's to choose; the witnesses are not. */
bool smt_waits_for_semaphore(const struct smt_view *, const struct smt_question *);

void smt_question_print(const struct smt_question *);
const char *smt_verdict_word(enum smt_verdict);
extern const char *const smt_kind_word[SMT_KINDS];

#endif
