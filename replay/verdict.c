/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/witness_file.h"

Heddle__Verdict hd_verdict_of(const char *witness_path, const struct hd_replay *r)
{
    const char *slash = strrchr(witness_path, '/');
    Heddle__Verdict v = HEDDLE__VERDICT__INIT;
    v.kind = r->kind;
    v.version = HD_FORMAT_VERSION;
    v.witness = (char *)(slash ? slash + 1 : witness_path);
    v.outcome = (Heddle__Outcome)r->outcome;
    v.detail = r->detail;
    v.text = r->text;
    v.confirmed = r->confirmed;
    v.slices_done = r->slices_done;
    v.events = r->trace ? r->trace->events : 0;
    v.confirmation = (char *)r->confirmation;
    v.more = r->more.line;
    v.n_more = r->more.count;
    v.context_switches = r->constraints.switches;
    v.constraints = r->constraints.forced;
    v.output = (ProtobufCBinaryData){ r->output.size, (uint8_t *)r->output.bytes };
    v.output_total = r->output.total;
    v.errors = (ProtobufCBinaryData){ r->errors.size, (uint8_t *)r->errors.bytes };
    v.errors_total = r->errors.total;
    return v;
}

int hd_verdict_save(const char *witness_path, const struct hd_replay *r, char *error, size_t size)
{
    size_t length = strlen(witness_path);
    if (length > 8 && strcmp(witness_path + length - 8, ".witness") == 0)
        length -= 8;
    char *path = hd_format("%.*s.verdict", (int)length, witness_path);
    Heddle__Verdict v = hd_verdict_of(witness_path, r);
    int failed = hd_verdict_write(path, &v, error, size);
    free(path);
    return failed;
}

const char *hd_verdict_word(Heddle__Verdict__Kind kind)
{
    switch (kind) {
    case HEDDLE__VERDICT__KIND__FAILING: return "FAILING";
    case HEDDLE__VERDICT__KIND__HARMLESS: return "harmless";
    case HEDDLE__VERDICT__KIND__DIVERGED: return "diverged";
    case HEDDLE__VERDICT__KIND__NOT_REACHED: return "not reached";
    default: return "unknown";
    }
}
