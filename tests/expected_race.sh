#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Races that the program says are meant are counted, and are no findings; others stay.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
"$heddle" cc -g -O1 -o expected_race "$programs/expected_race.c"

# races HOW EXPECTED NAME...: the races that are findings are on these, no others.
races() {
    local how=$1 expected=$2
    shift 2
    status 0 "$heddle" record -o "$how" ./expected_race "$how"
    status 1 "$heddle" analyze --kinds race --account account -o "$how" "$how/main.trace"
    if ((expected)); then
        has out "[(, ]$expected expected races?\)\$"
    else
        hasnt out 'expected races?\)'
    fi
    [[ $(cut -f 5 account | grep -c witness) == "$(sed -nE '1s/.*impossible, ([0-9]+) witness.*/\1/p' out)" ]] ||
        fail 'an expected race has left the account'
    sed -n 's/.*data race on `\([^`]*\)`.*/\1/p' out | sed 's/ from .*//' | sort -u >on
    printf '%s\n' "$@" | sort -u >wanted
    same on wanted
}
races plain 0 hits misses table[1] 'block of 4 bytes'
races hits 1 misses table[1] 'block of 4 bytes'
races early 1 misses table[1] 'block of 4 bytes'
races sized 1 hits misses 'block of 4 bytes'
races block 1 hits misses table[1]
races reused 0 hits misses table[1] 'block of 4 bytes'
status 0 "$heddle" show early/main.trace
has out ' expected race hits'
has out '^ +said before any test \(.*expected_race\.c:[0-9]+\)$'
status 0 "$heddle" show --format json hits/main.trace
has out '"kind":"expected race",.*"datum":"hits",.*"bytes":4'
status 1 "$heddle" analyze --kinds race --format json -o json hits/main.trace
has out '"expected_races": 1'

# Without heddle the macro is nothing.
cc -I"$top_srcdir/record/include" -o plain_race "$programs/expected_race.c" -pthread || fail 'does not build without heddle'
status 0 ./plain_race hits
