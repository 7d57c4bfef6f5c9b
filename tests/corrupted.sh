#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A witness that was changed is refused; one that is wrong, or another program's, diverges. Nothing hangs,
# nothing fails that was not meant: over the failing witnesses of all examples.
. "${top_srcdir:?}/tests/lib.sh"
bend=$top_builddir/tests/bend_witness
limited() { timeout -k 1 20 "$@"; }

# bent HOW WITNESS WANTED...: every way to bend it so ends in one of these exit statuses.
bent() {
    local how=$1 witness=$2 n got made tried=0
    shift 2
    for ((n = 0; n < 12; n++)); do
        made=0
        "$bend" "$how" $n "$witness" bent.witness || made=$?
        ((made != 77)) || continue
        ((made == 0)) || fail "bend_witness $how $n $witness: exit $made"
        got=0
        limited "$heddle" replay bent.witness >out 2>err || got=$?
        [[ " $* " == *" $got "* ]] || fail "$witness, $how $n: exit $got, not $*"
        tried=$((tried + 1))
        checks=$((checks + 1))
    done
    all_tried=$((all_tried + tried))
}

all_tried=0
for folder in "$examples"/*/; do
    example=$(basename "$folder")
    source=$folder${example}_test.c
    [[ -f $source && $example != gate_lock ]] || continue
    grep -q CUnit "$source" || continue # tests/frameworks.sh has the others
    compile "${example}_test" "$source"
    "$heddle" check --depth 0 -o "$example.out" "./${example}_test" >found 2>err || (($? == 1)) || fail "check $example"
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' found | head -n 1)
    [[ $witness ]] || continue
    echo "$witness" >>witnesses

    # As it is on disk: whatever was changed, it is refused.
    for how in steps slices thread kind n k object; do
        bent $how "$witness" 2
    done
    # As if it were meant so: steps out of their thread's order, steps that do not exist.
    for how in 'steps!' 'kind!' 'n!' 'k!'; do
        bent "$how" "$witness" 125 2
    done
    # A thread missing, slices in another order, another lock: this may be a schedule of its own, but it ends.
    for how in 'slices!' 'thread!' 'object!'; do
        bent "$how" "$witness" 0 1 125 2
    done
done
((all_tried > 300)) || fail "only $all_tried were tried"

# Another program's witness.
while read -r witness; do
    for program in ./bank_test ./abba_test; do
        [[ $witness != ${program:2:4}* ]] || continue
        got=0
        limited "$heddle" replay --program $program "$witness" >out 2>err || got=$?
        ((got == 2 || got == 125)) || fail "$witness with $program: exit $got"
        hasnt out 'FAILING'
    done
done <witnesses

# A witness of an imported trace has no program to rerun.
printf 'T1|w(x)|1\nT2|w(x)|2\n' >race.std
"$heddle" analyze --kinds race race.std >out || true
one_line 2 'race\.std-1\.witness: from an imported trace; there is no program to rerun' "$heddle" replay race.std-1.witness
