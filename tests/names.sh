#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is shown has the name that the source has: parts of variables by their types, C++ as it is written.
. "${top_srcdir:?}/tests/lib.sh"

shows() { has text " $1  "; }

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    HEDDLE_CC=$compiler "$heddle" cc -g -O0 -o parts "$programs/parts.c"
    status 0 "$heddle" record ./parts
    status 0 "$heddle" show heddle.out/main.trace
    mv out text
    shows 'lock pool\.lock'
    shows 'write pool\.size = 1'
    shows 'write pool\.item\[2\]\.id = 2'
    shows 'write pool\.item\[1\]\.both\.letter\[3\] = 3'
    shows 'write pool\.item\[1\]\.both\.word = 4'
    shows 'write pool\.item\[0\]\.corner\[1\]\[2\]\.y = 5'
    shows 'write pool\.item\[3\]\.nameless = 6'
    shows 'write own\.owner = 7'
    shows 'write [a-z.]*calls[.0-9]*\[1\] = 8'
    # Eight bytes of a row of corners are two of them: that has no name of its own.
    shows 'write pool\.item\[3\]\.corner\+16 = 0'
    checks=$((checks + 10))

    # Without debug information, what the symbol table has.
    HEDDLE_CC=$compiler "$heddle" cc -O0 -o bare "$programs/parts.c"
    strip -g bare
    status 0 "$heddle" record ./bare
    status 0 "$heddle" show heddle.out/main.trace
    has out ' lock pool\+8  '
    has out ' write pool = 1  '
done

for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    echo 'int main() { return 0; }' >probe.cpp
    $compiler -o probe probe.cpp 2>/dev/null || continue
    HEDDLE_CXX=$compiler "$heddle" c++ -g -O0 -o spaces "$programs/spaces.cpp" || fail "heddle c++ with $compiler"
    status 0 "$heddle" record ./spaces
    status 0 "$heddle" show heddle.out/main.trace
    has out ' lock shop::stock\.lock  '
    has out ' write shop::stock\.count = 3  shop::Stock::add\(int\)  '
    hasnt out ' _Z'
done
