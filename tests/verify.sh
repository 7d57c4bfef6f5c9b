#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle show --verify: every witness of every kind holds by its trace; one that was tampered with does not.
. "${top_srcdir:?}/tests/lib.sh"
command -v protoc >/dev/null || exit 77

# decode WITNESS, encode WITNESS: to text and back.
decode() {
    protoc --decode=heddle.WitnessFile -I"$top_srcdir/proto" heddle.proto <"$1"
}
encode() {
    protoc --encode=heddle.WitnessFile -I"$top_srcdir/proto" heddle.proto >"$1"
}

# tampered WITNESS PYTHON: beside it, with `slices`, a list of texts, or `rest`, the text around them, changed.
tampered() {
    local witness=$1 python=$2
    decode "$witness" >whole
    python3 -c '
import re, sys
lines = open("whole").read()
slices = re.findall(r"  slice \{\n.*?\n  \}\n", lines, re.S)
rest = re.sub(r"  slice \{\n.*?\n  \}\n", "", lines, flags=re.S)
roles = re.findall(r"    role \{\n.*?\n    \}\n", rest, re.S)
rest = re.sub(r"  digest: .*\n", "", rest)
exec(sys.argv[1])
rest = re.sub(r"\}\n\Z", "".join(slices) + "}\n", rest)
sys.stdout.write(rest)' "$python" >changed
    encode "${witness%/*}/tampered.witness" <changed
    cmp -s whole changed && fail "nothing was tampered with: $python"
    return 0
}

# refused WITNESS REGEX PYTHON: one line, exit 1.
refused() {
    tampered "$1" "$3"
    status 1 "$heddle" show --verify "${1%/*}/tampered.witness"
    [[ $(wc -l <out) == 1 && ! -s err ]] || fail 'not one line'
    has out "^${1%/*}/tampered\.witness: refused: $2"
}

# program NAME TEST: recorded and analyzed; every witness holds.
program() {
    local witness
    compile "$1_test" "$examples/$1/$1_test.c"
    status 0 "$heddle" record -o "$1" "./$1_test"
    status 1 "$heddle" analyze "$1/$2.trace"
    for witness in "$1/$2"-*.witness; do
        status 0 "$heddle" show --verify "$witness" "$1/$2.trace"
        has out "^$witness: holds\$"
        status 0 "$heddle" show --verify "$witness"
    done
}
program bank transfer
program abba swap
program hidden_race count
program lost_wakeup one_item
program use_after_free_shutdown shutdown
program rwlock_upgrade two_updates
program refcount last_one_closes
program semaphore_misuse two_visits
program dining dinner

bank=bank/transfer-1.witness
refused $bank 'event [0-9]+: comes before event [0-9]+, which it needs' 'slices.reverse()'
refused $bank '.' 'del slices[0]'
refused $bank 'the read is not next' 'del slices[-1]'
refused $bank "it is of the test 'other', the trace of 'transfer'" 'rest = rest.replace("test: \"transfer\"", "test: \"other\"")'
refused $bank 'it is of another build' 'rest = re.sub("build_id: \"..", "build_id: \"zz", rest)'
refused $bank 'the trace has no thread 0\.7' 'rest = rest.replace("thread: \"0.2\"", "thread: \"0.7\"")'
refused $bank "event [0-9]+ of the trace is not the finding's r" 'rest = re.sub("position: \d+", "position: 3", rest, 1)'
refused $bank "event 999999 of the trace is not the finding's r" 'rest = re.sub("position: \d+", "position: 999999", rest, 1)'
refused $bank 'slice 1: the trace has a .* where the witness has another step' \
    'slices[0] = re.sub(r"kind: \d+", "kind: 6", slices[0], 1)'
# The read would see its own writer: the slices are right, the finding is not.
refused $bank 'the read \(event [0-9]+\) would not see what the finding says' \
    'rest = re.sub(r"    role \{\n      name: \"c\".*?\n    \}\n", "", rest, flags=re.S) if "name: \"c\"" in rest else rest.replace("name: \"w\"", "name: \"c\"")'
# Without one of its halves there is no deadlock, no race, and the wait is not lost.
refused abba/swap-1.witness 'event [0-9]+ ' 'del slices[-1]'
refused hidden_race/count-2.witness '.' 'rest = rest.replace(roles[1], roles[0].replace("next", "before"))'
refused lost_wakeup/one_item-1.witness 'event [0-9]+ is not (done|next)' 'del slices[-1]'
refused use_after_free_shutdown/shutdown-1.witness '.' 'del slices[-1]'

# Of another trace, and what is no witness or no trace.
status 1 "$heddle" show --verify $bank abba/swap.trace
has out "refused: it is of the test 'transfer', the trace of 'swap'"
one_line 2 'none\.trace: No such file' "$heddle" show --verify $bank none.trace
one_line 2 'a heddle trace, not a witness' "$heddle" show --verify bank/transfer.trace bank/transfer.trace
one_line 2 'a heddle witness, not a trace' "$heddle" show --verify $bank $bank
one_line 2 'wants a witness and a trace' "$heddle" show --verify
one_line 2 'wants a witness and a trace' "$heddle" show --verify a b c

# What check has rerun and shortened holds as far as it goes.
status 1 "$heddle" check -o checked ./bank_test
for witness in checked/transfer-*.witness checked/audit-1.witness; do
    status 0 "$heddle" show --verify "$witness"
    has out ': holds'
done
# What it found in a rerun is of that rerun's trace.
one_line 2 'found in the rerun of witness 1; keep that' "$heddle" show --verify checked/audit-2.witness
status 0 "$heddle" replay --trace-out rerun.trace checked/audit-1.witness
status 0 "$heddle" show --verify checked/audit-2.witness rerun.trace
status 1 "$heddle" show --verify checked/audit-2.witness checked/audit.trace
