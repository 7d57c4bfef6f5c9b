#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every interposed function answers what the real one does: results, errno, cancellation points. The same
# programs run plain, built with heddle and alone, and recorded; what they say must not differ. A name in
# record/libheddle.map that no such program calls fails the test.
. "${top_srcdir:?}/tests/lib.sh"
cases=("$programs"/conformance.c "$programs"/conformance_{threads,files,memory}.c)
echo '1 2 3 4 5' >input

for flags in '-O0 -fno-builtin' '-O2 -D_FORTIFY_SOURCE=2'; do
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        # shellcheck disable=SC2086
        $compiler -w $flags -o plain "${cases[@]}" -pthread
        # shellcheck disable=SC2086
        HEDDLE_CC=$compiler "$heddle" cc -w $flags -o conformance "${cases[@]}" -pthread
        timeout 100 ./plain <input >plain.out
        (($(wc -l <plain.out) > 400)) || fail "the program says little: $(wc -l <plain.out) lines"
        timeout 100 ./conformance <input >alone.out
        same plain.out alone.out
        for seed in 0 1 2; do
            timeout 100 "$heddle" record --seed $seed -o out.d ./conformance <input >recorded.out 2>err || fail "recorded: $(tail -n 1 err)"
            same plain.out recorded.out
        done
        nm -D --undefined-only plain | awk '{ sub(/@.*/, "", $NF); print $NF }' >>called
    done
done

# What other tests compare in the same way: tests/libc.sh, tests/primitives.sh, tests/process.sh, tests/declare.sh.
for program in libc_memory libc_io blocking pipes overflows primitives aborts forks jumps; do
    for flags in -O0 '-O2 -D_FORTIFY_SOURCE=2' '-O1 -D_FILE_OFFSET_BITS=64'; do
        # shellcheck disable=SC2086
        cc -w $flags -o other "$programs/$program.c" -pthread
        nm -D --undefined-only other | awk '{ sub(/@.*/, "", $NF); print $NF }' >>called
    done
done
sort -u called >called.all
tr ';' '\n' <"$top_srcdir/record/libheddle.map" | tr -d ' \t{}' | grep -Ev '^$|:$|[*]|^global:|^local:' |
    sort -u >interposed
(($(wc -l <interposed) > 250)) || fail 'few names in record/libheddle.map'
# Annotations, frameworks' names, C++'s guards and what fails an assertion have tests of their own.
grep -Ev '^(Annotate|CU_|cm_|__cxa_guard_|__assert_fail$)' interposed | comm -23 - called.all >uncovered
[[ ! -s uncovered ]] || fail "interposed, but no program compares: $(tr '\n' ' ' <uncovered)"
checks=$((checks + 1))
