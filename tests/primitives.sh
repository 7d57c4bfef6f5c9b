#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every primitive: the same behaviour plain, built with heddle cc and alone, and recorded; the events it
# must leave; the same events every time, idle and loaded.
. "${top_srcdir:?}/tests/lib.sh"
cc -g -O1 -pthread -o plain "$programs/primitives.c"
"$heddle" cc -g -O1 -o primitives "$programs/primitives.c"

# A trace without what clocks and process ids say.
text_of() {
    "$heddle" show "$1" | sed '/ in_ms \| timers \| semaphores /s/ = [0-9]*//'
}

# try CASE REGEX...: each regex is found in the trace.
try() {
    local case=$1 pattern
    shift
    status 0 ./plain "$case"
    status 0 ./primitives "$case"
    status 0 timeout 60 "$heddle" record -o "$case.out" ./primitives "$case"
    text_of "$case.out/main.trace" >"$case.text"
    for pattern in "$@"; do
        has "$case.text" "$pattern"
    done
    status 0 timeout 60 "$heddle" record -o "$case.out" ./primitives "$case"
    text_of "$case.out/main.trace" >"$case.again"
    same "$case.text" "$case.again"
}
try mutexes ' trylock failed mutex' ' lock timed out mutex' ' blocked before lock mutex' ' post semaphore' ' sleep'
try mutex_types ' lock ' ' unlock '
try robust_mutex ' lock robust' ' unlock robust'
try spinlocks ' lock spin' ' trylock failed spin' ' unlock spin' ' sched_yield'
try rwlocks ' read lock rwlock' ' write lock rwlock' ' rwlock unlock rwlock' ' read trylock failed' ' write trylock failed' ' lock timed out rwlock'
try conditions ' wait cond' ' wake up cond' ' signal cond' ' broadcast cond'
try barriers ' enter barrier barrier' ' leave barrier barrier'
try onces ' begin once once' ' end once once' ' pass once once'
try keys ' lock mutex  destructor'
try semaphores ' semaphore wait semaphore' ' semaphore wait failed semaphore' ' post semaphore'
try joins ' join 0\.1' ' join failed' ' join 0\.3'
try cancels ' cancel' ' write shared = 10'
try cancels_sleep ' cancel' ' write shared = 10'
try detached ' detach' ' write shared = 5'
try c11 ' lock mtx' ' trylock failed mtx' ' wait cnd' ' broadcast cnd' ' begin once flag' ' pass once flag' ' create 0\.2' ' join 0\.2'
try spinning ' atomic load .*plays' ' atomic store .*plays'
try spinning_and_counting ' atomic load .*waits_stop'
try atomics ' atomic update ' ' atomic load ' ' atomic store ' ' fence'
try timers ' sleep'
try files ' lock stderr| lock stack| lock ' ' unlock '
try thousand ' join 0\.1000'
try two_hundred ' join 0\.200'
try main_exits ' write shared = 77'
[[ $(grep -c ' write shared = [0-9]* .*counts' two_hundred.text) == 200 ]] || fail 'an event of 200 threads is missing'

# Ten seconds of sleep take none.
before=$SECONDS
status 0 "$heddle" record ./primitives long_sleep
((SECONDS - before < 8)) || fail 'sleep(10) was slept'

# Deadlocks end at once, with exit status and outcome.
for case in stuck stuck_cond; do
    status 1 timeout 60 "$heddle" record -o $case.out ./primitives $case
    status 0 "$heddle" show $case.out/main.trace
    has out '^outcome  deadlocked'
    has out ' blocked before '
done

# What nobody sees does not hang the run: the watchdog lets the others go on, and says so.
"$heddle" cc -g -O1 -o outside "$programs/outside.c"
for case in read futex busy; do
    status 0 timeout 60 "$heddle" record -o $case.out ./outside $case
    status 0 "$heddle" show $case.out/main.trace
    has out 'taken while it (slept|computed) outside'
    has out ' write shared = '
done

# 100 of 100, idle and loaded.
repeat() {
    local i
    for case in conditions barriers spinning timers; do
        for ((i = 0; i < 50; i++)); do
            timeout 60 "$heddle" record -o rep.out ./primitives $case 2>/dev/null
            text_of rep.out/main.trace | cmp -s - $case.text || fail "$case: run $i differs"
        done
        checks=$((checks + 1))
    done
}
repeat
load
repeat
idle
for seed in 1 2 3 4 5; do
    for case in conditions barriers spinning rwlocks semaphores; do
        status 0 timeout 60 "$heddle" record --seed $seed -o seed.out ./primitives $case
        text_of seed.out/main.trace >first
        status 0 timeout 60 "$heddle" record --seed $seed -o seed.out ./primitives $case
        text_of seed.out/main.trace >second
        same first second
    done
done
