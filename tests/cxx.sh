#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# C++: static variables are made once, whoever comes meanwhile waits, and a constructor that throws leaves it to the next.
. "${top_srcdir:?}/tests/lib.sh"
ran=0
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    echo 'int main() { return 0; }' >probe.cpp
    $compiler -o probe probe.cpp 2>/dev/null || continue
    ran=$((ran + 1))
    export HEDDLE_CXX=$compiler
    "$heddle" c++ -g -O1 -o fixed "$programs/static_guard.cpp" || fail "heddle c++ with $compiler"
    "$heddle" c++ -g -O1 -DBUGGY -o buggy "$programs/static_guard.cpp"
    "$heddle" c++ -g -O1 -DTHROWS -o throws "$programs/static_guard.cpp"
    for program in fixed buggy throws; do
        runs_free "./$program"
    done
    status 0 "$heddle" record ./throws
    status 0 "$heddle" show heddle.out/main.trace
    [[ $(grep -c ' begin once guard variable for ' out) == 2 && $(grep -c ' end once guard variable for ' out) == 2 ]] ||
        fail 'a constructor that throws, and one that does not'
    hasnt out ' unseen write guard variable for '
    status 0 timeout 120 "$heddle" check --budget 5 ./throws
    hasnt out 'not reached'
    status 0 timeout 120 "$heddle" check ./fixed
    has out '^fixed: 1 test, [0-9]+ alternatives: [0-9]+ impossible, [0-9]+ harmless, 0 FAILING$'
    adds_up out
    status 1 timeout 120 "$heddle" check -o buggy.out ./buggy
    has out '^  FAIL main/[0-9]+ '
    status 1 "$heddle" replay -n 20 "$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)"
    has out '20 of 20 runs ended so'
done
((ran)) || exit 77
