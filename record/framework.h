/* SPDX-License-Identifier: Apache-2.0
 * What the adapters of test frameworks share.
 *
 * The framework's own code and memory are not the user's. While a thread is
 * *quiet* it has the baton and makes no events: hd_self is NULL, as outside of
 * every test. It is quiet in the framework, loud in the user's functions.
 *
 * An assertion begins with its text, quiet, and holds when the framework comes
 * back from it. Where the framework leaves instead (longjmp, exit, abort) it
 * failed; that is noted before the way out is taken, so nothing is lost.
 * Frameworks longjmp to the thread that runs the test: in another thread that
 * would be another thread's stack, so a failed assertion ends that thread.
 *
 * | exported              | by adapters' headers                                      |
 * |-----------------------|-----------------------------------------------------------|
 * | heddle_quiet, _loud   | around the framework's own code                           |
 * | heddle_loud_from      | likewise; a longjmp beyond that frame is quiet again      |
 * | heddle_assertion      | begins; file, line and text must outlive it               |
 * | heddle_assertion_held | ends it                                                   |
 * | heddle_compared       | memory that the framework is about to compare             |
 */
#ifndef HD_FRAMEWORK_H
#define HD_FRAMEWORK_H

#include <stdbool.h>
#include <stdint.h>

struct hd_thread;

void hd_quiet(void);
void hd_loud(void);
void hd_framework_left(uintptr_t stack_pointer); /* a longjmp to there: quiet, if that is the framework */
struct hd_thread *hd_quiet_thread(void); /* the calling one, if it is; else NULL */

void hd_assertion_begin(const char *file, unsigned line, const char *text, uint64_t pc);

void hd_assertion_hold(void);

/* The assertion under way failed: the framework leaves it, by longjmp or with the process. False: there is none. */
bool hd_assertion_left(bool jumps);

/* What the framework says about a failure, beside the text: the first words count. */
void hd_assertion_said(const char *words);
void hd_failure_forget(void);
void hd_failure_at(const char *file, unsigned line);

/* The test is left by other means; `text` where the framework said nothing. */
void hd_failure_without_assertion(const char *text);

/* A failure that the framework has not seen: it came in another thread. */
bool hd_failure_unseen(void);

#endif
