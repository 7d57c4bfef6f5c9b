#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Check, cmocka, Criterion, Unity-style runners, plain assert: each test of a suite has its own trace with
# every assertion; the planted bug fails, by the framework's own assertion; only that test is rerun.
. "${top_srcdir:?}/tests/lib.sh"
unset CK_FORK CK_RUN_SUITE CK_RUN_CASE CRITERION_JOBS

# have HEADER: is it there?
have() {
    local header=$1
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' \
        "$header" >probe.c
    if cc -c -o probe.o probe.c 2>/dev/null; then
        return 0
    fi
    echo "skipped: no <$header> here"
    return 1
}

build() { # OUT SOURCE FLAGS...
    "$heddle" cc -g -O1 -Wall -Wextra -Werror -o "$1" "${@:2}" || fail "heddle cc ${*:2}"
}

shown() { # TRACE: in ./shown
    "$heddle" show "$1" >shown
    has shown '^outcome '
}

# example NAME ASSERTION ENDING FLAGS...: the bug of two_deposits, found, failing, replayed alone; the twin is clean.
example() {
    local name=$1 held=$2 ending=$3 tests=${tests-2}
    shift 3
    build "${name}_test" "$examples/$name/${name}_test.c" "$@"
    build "${name}_fixed_test" "$examples/$name/${name}_fixed_test.c" "$@"
    runs_free "./${name}_test"
    status 1 timeout 60 "$heddle" check -o "$name.out" "./${name}_test"
    has out "^${name}_test: $tests tests?, [0-9]+ alternatives: [0-9]+ impossible, 0 harmless, 1 FAILING\$"
    # shellcheck disable=SC2016
    has out '^  FAIL (two_deposits|main)/1  lost update on `balance` '"\\(${name}_test\\.c:[0-9]+\\)  2 context switches\$"
    adds_up out
    has "$examples/README.md" "\[$name\]\($name/README\.md\)"
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
    if [[ $held ]]; then
        shown "$name.out/two_deposits.trace"
        has shown '^outcome  passed'
        has shown ' 0 assertion held  .*two_deposits'
        has shown "^ *$held \\(.*${name}_test\\.c:[0-9]+\\)\$"
        hasnt shown ' \?|libcmocka|libcriterion|Unity| ck_|cri_'
        # The set-up is the test's.
        has shown ' 0 write balance = 100 '
    fi
    status 1 timeout 60 "$heddle" replay "$witness"
    has out "^ *$ending failed \\(${name}_test\\.c:[0-9]+\\)\$"
    status 1 timeout 60 "$heddle" replay -n 20 "$witness"
    has out '20 of 20 runs ended so'
    if command -v gdb >/dev/null; then
        status 1 timeout 60 "$heddle" replay --gdb-batch stop.gdb "$witness"
        has out 'hit Breakpoint .*, (\S+ in )?deposit_ten \('
        has out "^ *$ending failed \\(${name}_test\\.c:[0-9]+\\)\$"
    fi
    status 0 timeout 60 "$heddle" check -o "$name.fixed.out" "./${name}_fixed_test"
    has out "^${name}_fixed_test: $tests tests?, .* 0 FAILING\$"
    adds_up out
}

# ends FOLDER TEST OUTCOME [LINE...]: its trace says so, and has these lines.
ends() {
    local folder=$1 test=$2 outcome=$3 line
    shown "$folder/$test.trace"
    has shown "^outcome  $outcome"
    for line in "${@:4}"; do
        has shown "$line"
    done
}

# count FOLDER N: of traces.
count() { [[ $(find "$1" -name '*.trace' | wc -l) == "$2" ]] || fail "$1 has $(find "$1" -name '*.trace' | wc -l) traces, not $2"; }

printf 'break deposit_ten\nrun\ndelete\ncontinue\n' >stop.gdb

# ------------------------------------------------------------------ plain assert
tests=1 example assert '' 'balance == 120'

# ------------------------------------------------------------------------ Unity
example unity 'TEST_ASSERT_EQUAL\(120, balance\)' 'TEST_ASSERT_EQUAL\(120, balance\)' -I "$examples/unity" \
    "$examples/unity/unity.c"
build unity_acts "$programs/unity_acts.c" -I "$examples/unity" "$examples/unity/unity.c"
status 2 "$heddle" record -o unity_acts.out ./unity_acts
count unity_acts.out 4
ends unity_acts.out holds passed 'TEST_ASSERT\(value == 2\)' 'TEST_ASSERT_EQUAL_STRING\("abc", text\)' ' read text = '
hasnt shown 'Unity'
ends unity_acts.out fails 'assertion failed' 'FAILED: TEST_ASSERT_EQUAL\(3, value\)' 'write torn_down = 2 '
hasnt shown 'Unity|write value = 50'
ends unity_acts.out in_worker 'assertion failed' '0\.1 assertion failed ' 'ends thread\)' 'write value = 52'
hasnt shown 'write value = 51'
ends unity_acts.out last passed

# ----------------------------------------------------------------------- cmocka
if have cmocka.h; then
    example cmocka 'assert_int_equal\(\*\(long \*\)\*state, 120\)' \
        'assert_int_equal\(\*\(long \*\)\*state, 120\): 0x6e != 0x78' -lcmocka
    build cmocka_acts "$programs/cmocka_acts.c" -lcmocka
    status 1 "$heddle" record -o cmocka_acts.out ./cmocka_acts
    count cmocka_acts.out 9
    ends cmocka_acts.out holds passed 'assert_string_equal\(text, "abc"\)' 'assert_in_range\(value, 1, 3\)' 'write torn_down'
    [[ $(grep -c 'assertion held' shown) == 12 ]] || fail 'not twelve assertions'
    ends cmocka_acts.out fails 'assertion failed' 'assert_string_equal\(text, "abd"\): "abc" != "abd"' 'write torn_down'
    hasnt shown 'write value = 50'
    ends cmocka_acts.out message 'assertion failed' 'fail_msg\("value is %d", value\)'
    ends cmocka_acts.out in_worker 'assertion failed' '0\.1 assertion failed ' 'ends thread\)' 'write value = 52'
    hasnt shown 'write value = 51'
    ends cmocka_acts.out mocks 'assertion failed' 'FAILED: 0x4 != 0x3 \(.*cmocka_acts\.c:[0-9]+\)'
    hasnt shown ' (alloc|free|read) '
    ends cmocka_acts.out unused_mock 'assertion failed' 'has remaining non-returned values'
    ends cmocka_acts.out skipped passed
    ends cmocka_acts.out never 'assertion failed' 'FAILED: the set-up'
    ends cmocka_acts.out last passed
fi

# ------------------------------------------------------------------------ Check
if have check.h; then
    read -ra check_libraries < <(pkg-config --libs check 2>/dev/null || echo -lcheck)
    for mode in yes no; do
        export CK_FORK=$mode
        example check 'balance == 120' 'balance == 120: balance == 110, 120 == 120' "${check_libraries[@]}"
    done
    unset CK_FORK
    build check_acts "$programs/check_acts.c" "${check_libraries[@]}"
    status 1 timeout 60 "$heddle" record -o forked.out ./check_acts all
    # What Check says is what it says without heddle: what kills a test, the deadlock alone.
    has out '^53%: Checks: 13, Failures: 4, Errors: 2$'
    has out 'crashes:0: .*Received signal 11'
    has out 'deadlocks:0: .*Received signal 9'
    count forked.out 13
    ends forked.out crashes crashed 'write value = 3 '
    ends forked.out aborts passed 'write value = 4 '
    ends forked.out exits passed 'write value = 5 '
    ends forked.out deadlocks deadlocked '0\.1 blocked before lock'
    ends forked.out in_worker 'assertion failed' '0\.1 assertion failed '
    status 1 timeout 60 "$heddle" record -o together.out ./check_acts
    count together.out 9
    ends together.out in_worker 'assertion failed' 'ends thread\)' 'write value = 52'
    for folder in forked.out together.out; do
        ends $folder holds passed '^ *value == 2 ' '^ *text == "abc" ' '^ *value > 1 ' 'write value = 99  tear_down'
        [[ $(grep -c 'assertion held' shown) == 7 ]] || fail 'not seven assertions'
        ends $folder message 'assertion failed' 'FAILED: value > 2: value is only 2 '
        hasnt shown 'write value = 50'
        ends $folder loop_3 passed 'write value = 103'
        ends $folder loop_4 'assertion failed' 'FAILED: _i < 4: _i == 4, 4 == 4 '
        ends $folder never 'assertion failed' 'FAILED: Failed: no good '
        ends $folder last passed
        ends $folder alone passed
    done
fi

# -------------------------------------------------------------------- Criterion
if have criterion/criterion.h; then
    example criterion '\(balance\) == \(120\)' '\(balance\) == \(120\)' -lcriterion
    # Criterion waits for its own first process: that is nobody's turn, on a loaded machine too.
    load
    status 1 timeout 60 "$heddle" replay -n 20 "$witness"
    idle
    has out '20 of 20 runs ended so'
    for kind in old new; do
        flag=()
        [[ $kind == old ]] || flag=(-DNEW_ASSERTIONS)
        build criterion_acts "$programs/criterion_acts.c" "${flag[@]}" -lcriterion
        status 1 timeout 60 "$heddle" record -o $kind.out ./criterion_acts
        has err 'Tested: 10 '
        count $kind.out 10
        ends $kind.out holds passed 'write value = 1  open_suite' 'write value = 2  open_test' 'write torn_down = 2  close_test'
        ends $kind.out fails 'assertion failed' 'write torn_down = 2  close_test'
        [[ $(grep -c 'FAILED:' shown) == 2 ]] || fail 'not two failed assertions'
        hasnt shown 'write value = 50'
        ends $kind.out crashes crashed
        ends $kind.out aborts passed
        ends $kind.out exits passed
        ends $kind.out deadlocks deadlocked
        ends $kind.out in_worker 'assertion failed' '0\.1 assertion failed ' 'ends thread\)' 'write value = 52'
        ends $kind.out each_2 'assertion failed' 'write value = 5 '
        ends $kind.out each_3 passed 'write value = 6 '
    done
    ends old.out holds passed '^ *\("abc"\) == \("abc"\) ' '^ *&value is not null '
    ends old.out fails 'assertion failed' 'FAILED: \(value\) == \(3\) ' 'FAILED: value is 2 '
    hasnt shown 'libcriterion|cr_|alloc'
fi
