#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a rerun proves, by kind: a race in both orders, a deadlock's cycle with stacks and locks, the waiter
# that nobody wakes, the block that was freed. Of correct twins, nothing.
. "${top_srcdir:?}/tests/lib.sh"
# find_kind NAME KINDS SOURCE: recorded, and searched for these kinds alone.
find_kind() {
    compile "$1" "$3"
    status 0 "$heddle" record -o "$1.$2" "./$1"
    "$heddle" analyze --kinds "$2" "$1.$2"/*.trace >out 2>err || (($? == 1)) || fail "analyze $1"
}

find_kind hidden_race_test race "$examples/hidden_race/hidden_race_test.c"
status 1 "$heddle" replay hidden_race_test.race/count-1.witness
# shellcheck disable=SC2016
has out 'race confirmed: 0 \(write of `y`, hidden_race_test\.c:[0-9]+\) and 0\.1 \(read of `y`, hidden_race_test\.c:[0-9]+\) stood before it at once, and nothing orders them$'
has out '^ *0 first: the test passed$'
has out '^ *0\.1 first: CU_ASSERT_EQUAL\(y,2\) failed'
status 1 "$heddle" replay --format json hidden_race_test.race/count-1.witness
has out '"confirmation":"race"'
status 1 "$heddle" replay -n 10 hidden_race_test.race/count-1.witness
has out '10 of 10 runs ended so'

find_kind abba_test deadlock "$examples/abba/abba_test.c"
status 1 "$heddle" replay abba_test.deadlock/swap-1.witness
has out '^ *the cycle: 0\.1 -> 0\.2 -> 0\.1$'
# shellcheck disable=SC2016
has out '^ *0\.1 waits for `right_lock` \(abba_test\.c:[0-9]+\); holds `left_lock` \(abba_test\.c:[0-9]+\)$'
has out '^ *#0 move_right \(abba_test\.c:[0-9]+\)$'
has out '^ *#0 move_left \(abba_test\.c:[0-9]+\)$'
hasnt out '\?|libheddle|libffi'
status 1 "$heddle" replay --format json abba_test.deadlock/swap-1.witness
has out '"confirmation":"deadlock"'

find_kind lost_wakeup_test wakeup "$examples/lost_wakeup/lost_wakeup_test.c"
status 1 "$heddle" replay lost_wakeup_test.wakeup/one_item-1.witness
# shellcheck disable=SC2016
has out '^ *0 waits for `changed` \(lost_wakeup_test\.c:[0-9]+\), and nobody is left to wake it$'
status 1 "$heddle" replay --format json lost_wakeup_test.wakeup/one_item-1.witness
has out '"confirmation":"lost wakeup"'

find_kind use_after_free_shutdown_test memory "$examples/use_after_free_shutdown/use_after_free_shutdown_test.c"
status 1 "$heddle" replay --format json use_after_free_shutdown_test.memory/shutdown-1.witness
has out '"confirmation":"use after free"'

# Whatever is predicted of a correct twin, no rerun fails or proves a race, a deadlock or the like.
for source in "$examples"/*/*_fixed_test.c "$examples"/gate_lock/gate_lock_test.c; do
    grep -q CUnit "$source" || continue # tests/frameworks.sh has the others
    grep -q '<heddle/cunit\.h>' "$source" || continue
    twin=$(basename "$source" .c)
    find_kind "$twin" race,deadlock,wakeup,memory "$source"
    mapfile -t all < <(find "$twin.race,deadlock,wakeup,memory" -name '*.witness')
    ((${#all[@]})) || continue
    "$heddle" replay --format json "${all[@]}" >out 2>err || (($? != 1)) || fail "$twin fails"
    hasnt out '"confirmation":"(race|deadlock|lost wakeup|use after free)"'
done
