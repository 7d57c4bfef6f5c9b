#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is recorded, that it survives every death, and that it is the same every time.
. "${top_srcdir:?}/tests/lib.sh"
compile aborts "$programs/aborts.c"
compile fatal "$programs/fatal.c"
compile sweeps "$programs/sweeps.c"

# A program without any macro: main is the test. Every death leaves the trace up to it.
check_death() { # HOW STATUS OUTCOME VALUE
    status "$2" "$heddle" record -o "$1.out" ./aborts "$1"
    status 0 "$heddle" show "$1.out/main.trace"
    has out "^outcome  $3"
    has out " write before = $4 "
    hasnt out ' write after '
}
ulimit -c 0
check_death abort 134 'crashed 6' 42
check_death _exit 3 'exited 3' 42
check_death exit 4 'exited 4' 42
check_death kill 137 'crashed 9' '[?]'
check_death segv 139 'crashed 11' 42
status 0 "$heddle" record -o none.out ./aborts none
status 0 "$heddle" show none.out/main.trace
has out '^outcome  passed'
has out ' write after = 1 '

# The trace is plain protobuf to anybody.
protoc --decode=heddle.TraceFile -I"$top_srcdir/proto" heddle.proto <none.out/main.trace >decoded
has decoded 'test: "main"'

# A fatal assertion, and the test after it.
status 0 "$heddle" record -o fatal.out ./fatal
status 0 "$heddle" show fatal.out/fatal.trace
has out '^outcome  assertion failed'
has out 'fatal.c:[0-9]+'
status 0 "$heddle" show fatal.out/next.trace
has out '^outcome  passed'
status 1 "$heddle" check -o check.out ./fatal
has out 'FAIL fatal/1  fails as recorded'

# The same event sequence every time; fewer events, the same ending, with the repeat filter.
for example in bank abba hidden_race; do
    compile "${example}_test" "$examples/$example/${example}_test.c"
    for run in 1 2 3; do
        status 0 "$heddle" record -o "$example.$run" "./${example}_test"
        for trace in "$example.$run"/*.trace; do
            "$heddle" show "$trace"
        done >"$example.$run.text"
    done
    same "$example.1.text" "$example.2.text"
    same "$example.1.text" "$example.3.text"
done
for run in 1 2; do
    status 0 "$heddle" record -o "sweeps.$run" ./sweeps
    "$heddle" show "sweeps.$run/main.trace" >"sweeps.$run.text"
done
same sweeps.1.text sweeps.2.text
status 0 "$heddle" record --all -o all.out ./sweeps
"$heddle" show all.out/main.trace >all.text
(($(wc -l <sweeps.1.text) * 20 < $(wc -l <all.text))) || fail 'the repeat filter keeps too much'
grep -E ' (lock|unlock|join|create|yield|write) ' all.text | sed 's/^ *[0-9]* *//' >all.sync
grep -E ' (lock|unlock|join|create|yield|write) ' sweeps.1.text | sed 's/^ *[0-9]* *//' >filtered.sync
same all.sync filtered.sync
has sweeps.1.text ' yield '
for seed in 1 2 3; do
    status 0 "$heddle" record --seed $seed -o seed.out ./sweeps
    "$heddle" show seed.out/main.trace >"seed.$seed.1"
    status 0 "$heddle" record --seed $seed -o seed.out ./sweeps
    "$heddle" show seed.out/main.trace >"seed.$seed.2"
    same "seed.$seed.1" "seed.$seed.2"
done

# A guest: nothing on stdout, no descriptor or variable left, and off means off.
./bank_test >plain.out
status 0 "$heddle" record -o guest.out ./bank_test
sed 's/Elapsed.*//' plain.out >a
sed 's/Elapsed.*//' out >b
same a b
HEDDLE=off status 77 "$heddle" record -o off.out ./bank_test
has err 'ran no test'
