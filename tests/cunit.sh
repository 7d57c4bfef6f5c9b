#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CUnit: every form of registration, every runner, assertions in any thread.
. "${top_srcdir:?}/tests/lib.sh"
compile cunit_forms "$programs/cunit_forms.c"
compile cunit_workers "$programs/cunit_workers.c"
compile marked "$programs/marked.c"

# CUnit's own memory is not the user's: no event comes from its library.
none_from_cunit() { # TRACE
    "$top_builddir/tests/trace_modules" "$1" >modules
    has modules 'cunit_(forms|workers)$'
    hasnt modules 'libcunit'
}

for form in add macro tables; do
    for runner in basic automated console plain; do
        out=$form.$runner
        status 0 "$heddle" record -o "$out" ./cunit_forms $form $runner <<<$'r\nq'
        "$heddle" show "$out/counts.trace" >counts
        has counts '^test     forms/counts'
        has counts '^outcome  passed'
        has counts ' 0 alloc .* set_up '
        has counts ' 0 write torn_down = 7 '
        hasnt counts 'opened'
        [[ $(grep -c 'assertion held' counts) == 3 ]] || fail "$out: not three assertions"
        has counts '0\.1 assertion held .* cunit_forms.c:[0-9]+'
        has counts '\*fixture >= 6 \(.*cunit_forms.c:[0-9]+\)'
        "$heddle" show "$out/fails.trace" >fails
        has fails '^outcome  assertion failed'
        has fails 'FAILED: seen == 2 \(.*cunit_forms.c:[0-9]+\)'
        has fails 'FAILED: seen == 3 '
        hasnt fails 'write seen = 4'
        has fails ' 0 write torn_down = 5  tear_down '
        "$heddle" show "$out/passes.trace" >passes
        has passes '^outcome  passed'
        none_from_cunit "$out/fails.trace"
        none_from_cunit "$out/counts.trace"
        [[ $(ls "$out") == $'counts.trace\nfails.trace\npasses.trace' ]] || fail "$out: other traces: $(ls "$out")"
        sed -n 's/ = [0-9]\{8,\}//; /^outcome/,$p' counts >"$out.counts"
        same "$out.counts" add.basic.counts
    done
done

# What CUnit itself says is what it says without heddle.
for form in add tables; do
    ./cunit_forms $form basic >plain.out
    status 0 "$heddle" record -o said.out ./cunit_forms $form basic
    sed 's/Elapsed.*//' plain.out >a
    sed 's/Elapsed.*//' out >b
    same a b
done

# Worker threads: counted exactly, a fatal failure ends its thread alone.
status 0 "$heddle" record -o workers.out ./cunit_workers
"$heddle" show workers.out/fatal.trace >fatal
has fatal '0\.1 assertion failed '
has fatal '0\.2 assertion failed '
has fatal 'FAILED: .*before == 2.* \(fatal outside the test.s thread: ends thread\) \(.*cunit_workers.c:[0-9]+\)'
has fatal '0\.2 end'
hasnt fatal 'write after'
has fatal ' 0 assertion held'
"$heddle" show workers.out/soft.trace >soft
[[ $(grep -c 'assertion held' soft) == 400 && $(grep -c 'assertion failed' soft) == 201 ]] ||
    fail "$(grep -c 'assertion held' soft) held, $(grep -c 'assertion failed' soft) failed with the outcome"
has soft ' alloc '
for trace in fatal soft; do
    none_from_cunit workers.out/$trace.trace
done

# Tests marked by hand; one is left by longjmp.
status 0 ./marked
status 0 "$heddle" record -o marked.out ./marked
for test in good:passed bad:'assertion failed' later:passed; do
    "$heddle" show "marked.out/${test%%:*}.trace" >shown
    has shown "^outcome  ${test#*:}"
done
[[ ! -e marked.out/main.trace ]] || fail 'main was recorded beside its tests'
has shown ' write value = 3  later '
