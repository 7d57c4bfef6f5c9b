#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reduction changes nothing: on every example and every test program that ends by itself, the recording that
# leaves repeats out and the one that has all accesses (--all) have the same synchronization and the same findings.
. "${top_srcdir:?}/tests/lib.sh"

# Everything that synchronizes, with the identity of its events: thread, n, kind, object.
synchronization() {
    for trace in "$1"/*.trace; do
        "$heddle" show "$trace" | grep -Ev '^[a-z]+ +[^ ]|^ *[0-9]+ +[0-9.]+ (read|write|unseen write|alloc|free) ' |
            sed -E 's/^ *[0-9]+ +//; s/ = [0-9]+ / /' |
            awk '/^[0-9.]+ outside/ { note = 1; next } note && /^ / { next } { note = 0; print }' # by the clock
    done
}

findings() {
    local trace witness
    for trace in "$1"/*.trace; do
        timeout 60 "$heddle" analyze "$trace" >/dev/null 2>&1 || (($? == 1)) || fail "heddle analyze $trace"
    done
    for witness in "$1"/*.witness; do
        [[ ! -f $witness ]] || "$heddle" show "$witness" | sed -n 1,2p
    done | sort -u
}

# When a lock is found taken by a thread that is not the test's is up to the clock.
without_strangers() { grep -Ev '^[0-9.]+ blocked before '; }

# agree PROGRAM ARG...: whatever its exit status, it is the same.
agree() {
    local first=0 second=0
    rm -rf reduced.out full.out
    timeout 60 "$heddle" record -o reduced.out "$@" >out 2>err || first=$?
    timeout 60 "$heddle" record --all -o full.out "$@" >out 2>err || second=$?
    ((first == second && first < 124)) || fail "$*: exit $first reduced, $second with --all"
    synchronization reduced.out | "$others" >reduced.sync
    synchronization full.out | "$others" >full.sync
    same reduced.sync full.sync
    findings reduced.out >reduced.findings
    findings full.out >full.findings
    same reduced.findings full.findings
}

others="cat"
for source in "$examples"/*/*_test.c; do
    # Those of other frameworks want other libraries; tests/frameworks.sh has them.
    "$heddle" cc -g -O1 -o program "$source" -lcunit 2>/dev/null || continue
    agree ./program
done
((checks >= 60)) || fail "few examples: $checks"

compile primitives "$programs/primitives.c"
for case in mutexes rwlocks conditions barriers onces semaphores joins cancels c11 spinning keys atomics detached; do
    agree ./primitives $case
done
compile polls "$programs/polls.c"
for way in mutex rwlock flag yield_mutex; do
    agree ./polls $way slow
done
compile many_threads "$programs/many_threads.c"
agree ./many_threads 20 5
for name in forks jumps two_steps marked use_after_free values reuse torn_copy; do
    compile $name "$programs/$name.c"
    agree ./$name
done
others=without_strangers
for name in leftovers pool; do
    compile $name "$programs/$name.c"
    agree ./$name
done

# Past its budget: synchronization and shared words stay; trace, summary and account say so.
compile sweeps_then_counts "$programs/sweeps_then_counts.c"
status 0 "$heddle" record -o reduced.out ./sweeps_then_counts # its findings: limits.sh
has err 'budget reached'
status 0 "$heddle" show reduced.out/main.trace
has out '^reduced  after a budget, accesses to shared words only$'
status 1 "$heddle" check -o check.out ./sweeps_then_counts
cat out err >account
has account '^heddle check: main: the recording is reduced: past its budget it has synchronization and shared words only$'
