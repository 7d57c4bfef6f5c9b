/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/loose.h"

#include <stdio.h>

#include "proto/memory.h"
#include "replay/reanchor.h"

int hd_loose_fit(Heddle__Witness **witness, const struct hd_program *program, const struct hd_replay_options *o,
                 struct hd_lines *drift, char **impossible, char *error, size_t size)
{
    struct hd_replay now = { 0 };
    int failed = hd_replay_recorded_order(&now, *witness, program, o, error, size);
    *impossible = NULL;
    if (!failed && !now.trace) {
        snprintf(error, size, "%s has no test '%s%s%s'", program->path, (*witness)->header->suite,
                 *(*witness)->header->suite ? "/" : "", (*witness)->header->test);
        failed = -1;
    }
    Heddle__Witness *fitted = failed ? NULL : hd_reanchor(*witness, now.trace, drift, impossible);
    if (fitted) {
        heddle__witness__free_unpacked(*witness, NULL);
        *witness = fitted;
    }
    hd_replay_free(&now);
    return failed;
}

void hd_loose_verdict(struct hd_replay *r, const char *impossible)
{
    *r = (struct hd_replay){ .kind = HEDDLE__VERDICT__KIND__DIVERGED, .confirmation = "" };
    r->text = hd_format("no longer possible: %s", impossible);
    r->confirmed = hd_strdup("");
}
