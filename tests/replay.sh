#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reruns in number, what they confirm, what they leave; use after free; alternatives of alternatives.
. "${top_srcdir:?}/tests/lib.sh"
compile bank_test "$examples/bank/bank_test.c"
compile abba_test "$examples/abba/abba_test.c"
status 1 "$heddle" check ./bank_test
status 1 "$heddle" check ./abba_test
failing=heddle.out/transfer-1.witness
mapfile -t all < <(ls heddle.out/*.witness)

# The same whatever -j; shares make a whole; the worst of several is the exit status.
status 1 "$heddle" replay "${all[@]}"
cp out one
status 1 "$heddle" replay -j 2 "${all[@]}"
same one out
{ "$heddle" replay --slice 1/2 "${all[@]}" || true; "$heddle" replay --slice 2/2 "${all[@]}" || true; } | sort >shares
sort one >sorted
same sorted shares
one_line 2 "slice wants K/N" "$heddle" replay --slice 3/2 "$failing"
status 0 "$heddle" replay heddle.out/audit-1.witness
# shellcheck disable=SC2016
has out '0\.2 read `balance` = 100 \(bank_test\.c:[0-9]+\), recorded 110'

# Machine-readable; the rerun's trace is a trace; another command line.
status 1 "$heddle" replay --format json "$failing"
has out '"verdict":"FAILING"'
status 1 "$heddle" replay --trace-out rerun.trace "$failing"
status 0 "$heddle" show rerun.trace
has out '^outcome  assertion failed'
cp bank_test moved_test
status 1 "$heddle" replay "$failing" -- ./moved_test
status 1 "$heddle" analyze -o again.out heddle.out/transfer.trace

# A diverging rerun says where the values first were other ones.
compile strays "$programs/strays.c"
printf 2 >input
status 0 "$heddle" record -o file.out ./strays file
"$heddle" analyze --kinds nondet file.out/main.trace >out || true
printf 1 >input
status 125 timeout 20 "$heddle" replay file.out/main-2.witness
has out 'diverged$'
has out 'step [0-9]+: 0\.[12]: expected '
# shellcheck disable=SC2016
has out 'first other value: 0 read `.*` = 49 \(strays\.c:[0-9]+\), recorded 50; .*input, time'
STRAY=2 status 0 "$heddle" record -o call.out ./strays
"$heddle" analyze --kinds nondet call.out/main.trace >out || true
status 125 timeout 20 "$heddle" replay call.out/main-2.witness
# shellcheck disable=SC2016
has out 'first other value: 0\.1 read `rounds` = 1 \(strays\.c:[0-9]+\), recorded 2; 0 wrote it \(strays\.c:[0-9]+\): the same write, of what it had from no memory: input, time, or what a call returned'

# Another environment moves the arguments, not the schedule; the padding is not the program's business.
status 0 "$heddle" record -o plain.out ./strays file
cp plain.out/main.trace one.trace
LONGER=$(printf '%0333d' 0) status 0 "$heddle" record -o plain.out ./strays file
"$heddle" show one.trace | grep -v ' [0-9a-f]\{12\}' >one.text
"$heddle" show plain.out/main.trace | grep -v ' [0-9a-f]\{12\}' >two.text
[[ $(wc -l <one.text) == $(wc -l <two.text) ]] || fail 'the environment changes the events'

# Use after free needs no sanitizer; its twin is clean.
compile use_after_free "$programs/use_after_free.c"
status 1 "$heddle" check -v -o free.out ./use_after_free
has out 'FAIL late/[0-9]+  use after free of '
has out 'use after free: 0\.1 (read|write)s memory \(use_after_free\.c:[0-9]+\) that 0\.2 freed'
hasnt out 'FAIL in_time'
adds_up out

# Two reorderings: the first is harmless, the second fails; not without the depth.
compile two_steps "$programs/two_steps.c"
status 0 "$heddle" check --depth 0 -o flat.out ./two_steps
adds_up out
status 1 "$heddle" check -o deep.out ./two_steps
# shellcheck disable=SC2016
has out 'FAIL strict/[0-9]+  lost update on `count`'
hasnt out 'FAIL loose'
adds_up out
witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
status 1 "$heddle" replay -n 20 "$witness"
has out '20 of 20 runs ended so'

# What a test prints can be its oracle: kept, shown, compared with the recorded order's.
compile prints "$programs/prints.c"
status 0 "$heddle" record -o prints.out ./prints
"$heddle" analyze --kinds nondet prints.out/main.trace >out || true
status 0 "$heddle" replay prints.out/main-1.witness
hasnt out 'last was'
status 0 "$heddle" replay --output prints.out/main-1.witness
has out '^stdout:$'
has out '^last was 1$'
has out '^stderr:$'
has out '^done$'
status 1 "$heddle" replay --compare-output prints.out/main-1.witness
has out 'line 2 of its output is "last was 1", was "last was 2"'
status 1 "$heddle" replay --compare-output -n 5 --format json --output prints.out/main-1.witness
has out '"runs":5,"alike":5'
has out '"stdout":"two threads\\nlast was 1\\n"'
compile prints_sum "$programs/prints.c" -DSUM
status 0 "$heddle" record -o sum.out ./prints_sum
"$heddle" analyze --kinds nondet sum.out/main.trace >out || true
status 0 "$heddle" replay --compare-output sum.out/*.witness
# A failing schedule is the shortest: how many switches it has, how many of them are force.
status 1 "$heddle" replay --format json "$failing"
has out '"context_switches":2,"constraints":1'

# A thread that is left before an access has another turn, more than once.
compile two_turns "$programs/two_turns.c"
status 1 "$heddle" check -o turns.out ./two_turns
hasnt out diverged
adds_up out
