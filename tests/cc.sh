#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle cc: one step, two steps, a shared library, both compilers; without heddle nothing changes.
. "${top_srcdir:?}/tests/lib.sh"
source=$examples/bank/bank_test.c
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export HEDDLE_CC=$compiler
    mkdir -p $compiler
    compile $compiler/one "$source"
    "$heddle" cc -O2 -c -o $compiler/two.o "$source"
    "$heddle" cc -o $compiler/two $compiler/two.o -lcunit
    "$heddle" cc -shared -fPIC -o $compiler/libbank.so -Dmain=bank_main "$source" -lcunit
    echo 'int bank_main(void); int main(void) { return bank_main(); }' >$compiler/main.c
    "$heddle" cc -o $compiler/three $compiler/main.c -L$compiler -lbank "-Wl,-rpath,$work/$compiler"
    for program in one two three; do
        ldd "$compiler/$program" >libraries
        has libraries libheddle
        hasnt libraries libtsan
        runs_free "./$compiler/$program"
        status 1 "$heddle" check -o "$compiler/$program.out" "./$compiler/$program"
        has out '1 FAILING$'
        # shellcheck disable=SC2016
        has out 'lost update on `balance`'
    done
    status 0 "$heddle" cc --version
    status 0 "$heddle" cc -E "$source"
done
# Neighbours that gcc would store at once are seen one by one.
if command -v gcc >/dev/null; then
    HEDDLE_CC=gcc "$heddle" cc -O2 -o neighbours "$examples/double_checked_init/double_checked_init_test.c" -lcunit
    status 0 "$heddle" record ./neighbours
    status 0 "$heddle" show heddle.out/first_use.trace
    has out ' write settings(\.[a-z]+)? = 3 '
    hasnt out 'unseen write'
fi
unset HEDDLE_CC
one_line 2 'would link libtsan' "$heddle" cc -fsanitize=thread "$source"
HEDDLE_CC=/none/cc one_line 2 'set HEDDLE_CC' "$heddle" cc "$source"

# The include alone, without heddle: plain CUnit.
cc -I"$top_srcdir/record/include" -o plain "$source" -lcunit -pthread
runs_free ./plain
# C++ too.
if command -v g++ >/dev/null; then
    echo 'int main() { int *p = new int(0); int v = *p; delete p; return v; }' >cpp.cc
    "$heddle" c++ -o cpp cpp.cc
    status 0 "$heddle" record ./cpp
fi
# A program linked with libtsan is named as such.
if cc -fsanitize=thread -o tsan -x c - <<<'int main(void) { return 0; }' 2>/dev/null; then
    one_line 2 'linked with libtsan' "$heddle" record ./tsan
fi
# A variable of blanks names no compiler.
HEDDLE_CC='  ' status 0 "$heddle" cc -c -o blanks.o "$source"
