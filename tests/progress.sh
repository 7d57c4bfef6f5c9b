#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who waits by looking again and again gets there, whatever it looks at, also when the other one
# sleeps; with few events, and the same every time. Time limits outlast what looks busy.
. "${top_srcdir:?}/tests/lib.sh"
ways='mutex counting rwlock exchange semaphore value trylock flag atomic plain yield_plain yield_atomic yield_mutex sleep'
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    HEDDLE_CC=$compiler "$heddle" cc -g -O1 -o polls "$programs/polls.c"
    for way in $ways; do
        for slow in '' slow; do
            # shellcheck disable=SC2086
            status 0 timeout 20 ./polls $way $slow
            for seed in 0 5; do
                # shellcheck disable=SC2086
                status 0 timeout 60 "$heddle" record --seed $seed -o polls.out ./polls $way $slow
                sed 's/.*: \([0-9]*\) events.*/\1/' err >count
                [[ $way == counting || $way == value || $(<count) -lt 70000 ]] || fail "$way $slow: $(<count) events"
                "$heddle" show polls.out/main.trace >first
                # shellcheck disable=SC2086
                status 0 timeout 60 "$heddle" record --seed $seed -o polls.out ./polls $way $slow
                "$heddle" show polls.out/main.trace >second
                same first second
            done
        done
    done
done

# A wait with a time limit is not over because its waker takes some hundred locks before it signals.
"$heddle" cc -g -O1 -o limits "$programs/time_limit.c"
for seed in 0 1 2 3; do
    status 0 timeout 60 "$heddle" record --seed $seed -o limits.out ./limits
done
