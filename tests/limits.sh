#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bounds of a recording: the budget of accesses, the size of the trace, a full disk, the
# death of the recorder; and that what is left out loses no finding.
. "${top_srcdir:?}/tests/lib.sh"
program=sweeps_then_counts
compile $program "$programs/$program.c"

text() { "$heddle" show "$1" >"$2" || fail "heddle show $1"; }

# Within the budget nothing is said; past it the trace, show and the summary say so.
compile bank_test "$examples/bank/bank_test.c"
status 0 "$heddle" record -o bank.out ./bank_test
hasnt err 'budget'
text bank.out/transfer.trace bank.text
hasnt bank.text '^reduced'
status 0 "$heddle" record -o full.out --all ./$program
hasnt err 'budget'
status 0 "$heddle" record -o reduced.out ./$program
has err 'budget reached: of later accesses, only those to shared words$'
text reduced.out/main.trace reduced.text
text full.out/main.trace full.text
has reduced.text '^reduced  after a budget, accesses to shared words only$'
hasnt full.text '^reduced'
(($(wc -l <reduced.text) * 2 < $(wc -l <full.text))) || fail 'the budget keeps too much'

# Synchronization, shared words and every identity are those of the full recording.
status 0 "$heddle" record -o again.out ./$program
text again.out/main.trace again.text
same reduced.text again.text
kept() { grep -E ' (start|end|create|join|yield) | (read|write) count ' "$1" | sed 's/^ *[0-9]* *//'; }
kept reduced.text >reduced.kept
kept full.text >full.kept
same reduced.kept full.kept

# What is left out loses no finding: full and reduced recordings have the same.
findings() { # TRACE-FOLDER
    local trace witness
    for trace in "$1"/*.trace; do
        "$heddle" analyze "$trace" >/dev/null || (($? == 1)) || fail "heddle analyze $trace"
    done
    for witness in "$1"/*.witness; do
        [[ ! -f $witness ]] || "$heddle" show "$witness" | head -n 2
    done | sort -u
}
findings reduced.out >reduced.findings
findings full.out >full.findings
# shellcheck disable=SC2016
has reduced.findings 'lost update on `count`'
same reduced.findings full.findings
for example in bank abba hidden_race; do
    for twin in "${example}_test" "${example}_fixed_test"; do
        compile "$twin" "$examples/$example/$twin.c"
        status 0 "$heddle" record -o "$twin.reduced" "./$twin"
        status 0 "$heddle" record --all -o "$twin.full" "./$twin"
        findings "$twin.reduced" >a
        findings "$twin.full" >b
        same a b
    done
done

# The bug is past the budget, and is found, run and replayed; the twin has none.
status 1 "$heddle" check -o check.out ./$program
# shellcheck disable=SC2016
has out 'FAIL main/[0-9]+  lost update on `count`'
status 0 "$heddle" check -o guarded.out ./$program guarded

# The size of a trace is bounded; synchronization goes on.
status 0 "$heddle" record --size 1 -o size.out ./$program 200000
has err 'size limit reached: no later accesses$'
(($(stat -c %s size.out/main.trace) < 1300000)) || fail 'the trace is larger than its bound'
text size.out/main.trace size.text
has size.text '^reduced  after a budget, accesses to shared words only, then none$'
has size.text ' join 0.2 '
status 0 "$heddle" record --memory 1 -o memory.out ./$program 200000

# A file that may not grow: the trace up to there reads back, and one line says why.
status 2 bash -c "ulimit -S -f 200; exec '$heddle' record -o small.out ./$program 200000"
has err 'main.trace: File too large; the trace ends there'
one_line 2 'cannot make the shared mapping: File too large' \
    bash -c "ulimit -f 200; exec '$heddle' record -o none.out ./$program"
text small.out/main.trace small.text
has small.text '^events   [0-9]+ \(cut\)$'
(($(wc -l <small.text) > 10000)) || fail 'little of the trace is left'

# The recorder dies: what it had written reads back, under its temporary name, and the program is gone.
"$heddle" record --all --size 1000 -o killed.out ./$program 200000000 2>/dev/null &
recorder=$!
temporary() { find killed.out -name '*.tmp' -size +100k 2>/dev/null; }
until [[ $(temporary) ]]; do
    kill -0 $recorder || fail 'the recorder ended by itself'
done
kill -KILL $recorder
wait $recorder 2>/dev/null || true
text "$(temporary)" killed.text
has killed.text '^events   [0-9]+ \(cut\)$'
has killed.text ' write own(\[[0-9]+\])* '
