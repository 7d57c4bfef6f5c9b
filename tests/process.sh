#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a test does to its process: fork, threads it leaves behind, signals, longjmp,
# exit in a worker, many threads. Nothing hangs, and the trace stays whole.
. "${top_srcdir:?}/tests/lib.sh"
for program in forks leftovers pool signals jumps worker_exits many_threads; do
    compile $program "$programs/$program.c"
done
limited() { timeout -k 1 60 "$@"; }

# The child of a fork is not in the trace; the parent says where it forked, and goes on.
status 0 ./forks
status 0 limited "$heddle" record -o forks.out ./forks
status 0 "$heddle" show forks.out/main.trace
has out '^outcome  passed'
[[ $(grep -c ' 0 fork  main  forks.c:' out) == 2 ]] || fail 'not two forks'
hasnt out ' write in_child'
[[ $(grep -c 'write counter' out) == 10 ]] || fail 'the child is in the trace'
has out '0 join 0\.1 '
status 0 limited "$heddle" check -o forks.check ./forks

# Threads that outlive their test neither hang the next one nor show up in it.
status 0 ./leftovers
for run in 1 2 3 4 5; do
    status 0 limited "$heddle" record -o "leftovers.$run" ./leftovers
    for test in leaves_threads goes_on joins_them; do
        status 0 "$heddle" show "leftovers.$run/$test.trace"
        has out '^outcome  passed'
    done
    status 0 "$heddle" show "leftovers.$run/leaves_threads.trace"
    has out '0\.1 blocked before lock gate '
    has out '0\.2 write turns '
    status 0 "$heddle" show "leftovers.$run/goes_on.trace"
    [[ $(grep -c 'write mine' out) == 40 ]] || fail 'goes_on is not all there'
    hasnt out 'write (turns|waited) '
done

# A worker of the suite's own is in no test, and no test waits for it in vain.
for run in 1 2 3 4 5 6 7 8 9 10; do
    status 0 limited "$heddle" record -o pool.out ./pool
    for test in first second; do
        status 0 "$heddle" show pool.out/$test.trace
        has out '^outcome  passed'
        has out '^threads  1$'
    done
done

# A handler at a known place is its thread's code; one in a waiting thread is named, not recorded.
for how in raise parked storm actions jump; do
    status 0 ./signals $how
done
status 0 limited "$heddle" record -o raise.out ./signals raise
status 0 "$heddle" show raise.out/main.trace
[[ $(grep -Ec ' 0 signal handler [0-9]+$' out) == 2 ]] || fail 'not two handlers'
has out ' write handled = 101  (inner|on_user)  signals.c:'
hasnt out 'unseen|unrecorded'
status 0 limited "$heddle" record -o parked.out ./signals parked
status 0 "$heddle" show parked.out/main.trace
has out '0\.1 signal handler'
has out 'unrecorded: it ran while its thread waited'
hasnt out ' 0\.1 (read|write) handled'
[[ $(grep -c 'write total' out) == 1 ]] || fail 'the waiting thread did not go on'
status 0 limited "$heddle" record -o actions.out ./signals actions
# A handler that jumps out of a wait: the thread goes on in its turn.
status 0 limited "$heddle" record -o jump.out ./signals jump
status 0 "$heddle" show jump.out/main.trace
has out '^outcome  passed'
has out ' 0 blocked before lock lock '
has out ' 0 write total = 5  (jumps|main)  signals.c:'
has out ' 0 signal handler'
for run in 1 2 3; do
    status 0 limited "$heddle" record -o storm.out ./signals storm
    status 0 "$heddle" show storm.out/main.trace
    has out '^outcome  passed'
    has out ' signal handler'
    [[ $(grep -c 'write total' out) == 4000 ]] || fail 'the storm lost events'
    has out 'write total = 4000 '
done

# After a longjmp the stack is that of the function it landed in.
status 0 ./jumps
status 0 limited "$heddle" record -o jumps.out ./jumps
status 0 "$heddle" show jumps.out/main.trace
has out '^outcome  passed'
[[ $(grep -c 'write landed = [123]  land ' out) == 3 ]] || fail 'three landings expected'
"$top_builddir/tests/trace_stacks" jumps.out/main.trace >stacks
has stacks '^write [0-9]+ jumps.c:[0-9]+ depth 2$'
awk '$2 == "'"$(awk '/landed\+\+/ { print FNR }' "$programs/jumps.c")"'" && $5 != 2 { exit 1 }' stacks ||
    fail "a landing keeps the frames it left: $(cat stacks)"
checks=$((checks + 1))

# exit in a worker: others still get their turn; the status is the program's.
status 0 limited "$heddle" record -o exit.out ./worker_exits 0
status 0 "$heddle" show exit.out/main.trace
has out '^outcome  passed'
has out '0\.2 write other = 2 '
hasnt out 'write never'
status 3 limited "$heddle" record -o exit.out ./worker_exits 3
status 0 "$heddle" show exit.out/main.trace
has out '^outcome  exited 3'

# 200 threads at once, 1,000 over time.
for once in 200 1; do
    status 0 limited "$heddle" record -o many.out ./many_threads 1000 $once
    status 0 "$heddle" show many.out/main.trace
    has out '^threads  1001$'
    has out 'write count = 1000 '
    [[ $(grep -c ' end$' out) == 1001 ]] || fail 'not every thread ended'
done
