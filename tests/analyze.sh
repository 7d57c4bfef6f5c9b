#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle analyze: kinds, formats, threads and the account, on the recorded examples.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
compile bank_test "$examples/bank/bank_test.c"
compile hidden_race_test "$examples/hidden_race/hidden_race_test.c"
compile abba_test "$examples/abba/abba_test.c"
status 0 "$heddle" record ./bank_test
status 0 "$heddle" record ./abba_test
status 0 "$heddle" record ./hidden_race_test
bank=heddle.out/transfer.trace
swap=heddle.out/swap.trace
count=heddle.out/count.trace

# Each kind finds its own, and nothing else.
status 1 "$heddle" analyze -o race --kinds race "$count"
has out '^  1  data race on `y`'
hasnt out 'lost update'
status 0 "$heddle" analyze -o race --kinds race "$bank" # wrong, but always under its lock
status 1 "$heddle" analyze -o nondet --kinds nondet "$bank"
has out '^  1  lost update on `balance`'
hasnt out 'data race'
status 1 "$heddle" analyze -o deadlock --kinds deadlock "$swap"
has out '^  1  deadlock between'
status 0 "$heddle" analyze -o none --kinds wakeup,memory,misuse "$bank" "$swap"
one_line 2 "unknown kind 'rice'" "$heddle" analyze --kinds rice "$bank"

# The account has one line a candidate, and its columns add up to the summary's.
status 1 "$heddle" analyze -o all --account account "$bank"
summary=$(head -n 1 out)
[[ $summary =~ :\ ([0-9]+)\ candidates:\ ([0-9]+)\ impossible,\ ([0-9]+)\ witness,\ ([0-9]+)\ open ]] || fail "$summary"
[[ $(wc -l <account) == "${BASH_REMATCH[1]}" ]] || fail "$summary, but $(wc -l <account) lines"
[[ $(cut -f 5 account | grep -c impossible) == "${BASH_REMATCH[2]}" ]] || fail 'impossible'
[[ $(cut -f 5 account | grep -c witness) == "${BASH_REMATCH[3]}" ]] || fail 'witness'
hasnt account '[^a-z0-9	-]'

# More threads change nothing; --all gives every feasible candidate a witness.
cp out one.out
status 1 "$heddle" analyze -j 3 -o all --account account.3 "$bank"
same out one.out
same account account.3
status 1 "$heddle" analyze --all -o every "$bank"
[[ $(find every -name '*.witness' | wc -l) == "${BASH_REMATCH[3]}" ]] || fail 'a feasible candidate without a witness'

# Values: without them more is feasible or the same; writers kept: less or the same.
feasible() {
    status 1 "$heddle" analyze -o values --kinds nondet "$@" "$bank"
    sed -n '1s/.*impossible, \([0-9]*\) witness.*/\1/p' out
}
((($(feasible --same-value) >= $(feasible)) && ($(feasible) >= $(feasible --strict-writers)))) || fail 'values'

status 1 "$heddle" analyze --format json -o json "$count"
python3 - out <<'PY' || fail 'not JSON, or not what was asked'
import json, sys
test = json.load(open(sys.argv[1]))[0]
assert test["candidates"] == test["impossible"] + test["witness"] + test["open"]
assert any(f["kind"] == "race" and f["file"] == "hidden_race_test.c" and f["line"] > 0 for f in test["findings"])
PY
one_line 2 "unknown format 'xml'" "$heddle" analyze --format xml "$bank"

# A search has a bound in memory, not only in states.
"$heddle" cc -g -O1 -DENTRIES=160 -DTHREADS=6 -o lockless_table "$programs/lockless_table.c" || fail 'lockless_table'
status 0 "$heddle" record -o lockless ./lockless_table
if ! grep -q __asan_init "$top_builddir/heddle" "$top_builddir"/.libs/heddle 2>/dev/null; then
    (ulimit -v 500000 && "$heddle" analyze -o lockless --kinds nondet lockless/main.trace >out 2>err) || [[ $? == 1 ]] ||
        fail 'lockless_table'
    has out '^main: [0-9]+ candidates: [0-9]+ impossible, [0-9]+ witness, [1-9][0-9]* open'
fi
