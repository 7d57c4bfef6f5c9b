#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The recipes of doc/recipes.md, as they stand there: the buggy test fails, its twin passes.
. "${top_srcdir:?}/tests/lib.sh"
export PATH=$top_builddir:$PATH
have() { command -v "$1" >/dev/null || { echo "skipped: no $1"; false; }; }
quietly() { "$@" >log 2>&1 || fail "$*: $(tail -n 15 log)"; }

# recipe LANGUAGE: the block of code in that language.
recipe() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$top_srcdir/doc/recipes.md" | sed '1d;$d'
}

# project FOLDER: with both programs.
project() {
    mkdir -p "$1"
    cp "$examples/bank/bank_test.c" "$examples/bank/bank_fixed_test.c" "$1"
}

project make
recipe make >make/Makefile
[[ -s make/Makefile ]] || fail 'no recipe for make'
status 2 make -C make check
has out ' 1 FAILING$'

if have automake && have autoconf; then
    project automake
    cd automake
    printf '%s\n' 'AC_INIT([bank],[1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' 'AC_CONFIG_FILES([Makefile])' 'AC_OUTPUT' >configure.ac
    {
        echo 'AM_CFLAGS = -g -O1'
        echo 'LDADD = -lcunit'
        echo 'check_PROGRAMS = bank_test bank_fixed_test'
        # shellcheck disable=SC2016
        echo 'TESTS = $(check_PROGRAMS)'
        recipe automake
    } >Makefile.am
    quietly autoreconf -fi
    quietly ./configure -q CC="heddle cc"
    status 2 make -j2 check
    has out '^FAIL: bank_test$'
    has out '^PASS: bank_fixed_test$'
    has bank_test.log '^  FAIL transfer/1 '
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' bank_test.log)
    status 1 heddle replay "$witness"
    status 0 heddle report heddle.out
    has heddle.out/junit.xml '^<testsuites .* tests="6" failures="1"'
    cd ..
fi

if have cmake; then
    project cmake
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(bank C)' 'enable_testing()'
        for program in bank_test bank_fixed_test; do
            printf '%s\n' "add_executable($program $program.c)" "target_link_libraries($program cunit)"
        done
        recipe cmake
        recipe cmake | sed '1d; s/NAME bank /NAME fixed /; s/(bank /(fixed /; s/bank_test/bank_fixed_test/'
    } >cmake/CMakeLists.txt
    CC="heddle cc" quietly cmake -S cmake -B cmake/build -DCMAKE_BUILD_TYPE=RelWithDebInfo
    quietly cmake --build cmake/build
    status 8 env -C cmake/build ctest
    has out 'fixed \.+ +Passed'
    has out 'bank \.+\*\*\*Failed'
fi

if have meson && have ninja; then
    project meson
    {
        echo "project('bank', 'c')"
        for program in bank_test bank_fixed_test; do
            echo "$program = executable('$program', '$program.c', dependencies: meson.get_compiler('c').find_library('cunit'))"
        done
        recipe meson
        recipe meson | sed "1d; s/test('bank'/test('fixed'/; s/bank_test/bank_fixed_test/"
    } >meson/meson.build
    CC="heddle cc" quietly meson setup meson/build meson
    quietly meson compile -C meson/build
    status 1 meson test -C meson/build
    has out 'bank +FAIL'
    has out 'fixed +OK'
fi

# The workflow's commands, with the baseline that the text makes.
project actions
cd actions
heddle cc -g -O1 -o bank_test bank_test.c -lcunit
# shellcheck disable=SC2016
write=$(sed -n 's/^The baseline is made once: `\(.*\)`\.$/\1/p' "$top_srcdir/doc/recipes.md")
status 1 sh -c "$write"
check=$(recipe yaml | sed -n 's/^ *- run: \(heddle check.*\)/\1/p')
status 0 sh -c "$check"
has out '^  known transfer/1 '
! python3 -c 'import yaml' 2>/dev/null || recipe yaml | python3 -c 'import sys, yaml; assert yaml.safe_load(sys.stdin)["jobs"]' ||
    fail 'the workflow is no YAML'
cd ..
