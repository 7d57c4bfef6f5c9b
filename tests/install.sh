#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installed below another root, the tool finds its own files, and pkg-config the flags.
. "${top_srcdir:?}/tests/lib.sh"
make -s -C "$top_builddir" install DESTDIR="$work/root" >log 2>&1 || fail "$(tail -n 5 log)"
prefix=$(dirname "$(dirname "$(find "$work/root" -path '*/bin/heddle')")")
for file in bin/heddle lib/libheddle.so include/heddle/cunit.h include/heddle/heddle.h \
    include/heddle/framework.h include/heddle/check.h include/heddle/cmocka.h include/heddle/criterion.h include/heddle/unity.h \
    lib/pkgconfig/heddle.pc share/heddle/heddle_gdb.py share/man/man1/heddle.1 \
    share/man/man1/heddle-check.1 share/man/man3/heddle-api.3 share/man/man5/heddle-trace.5 \
    share/bash-completion/completions/heddle share/zsh/site-functions/_heddle; do
    [[ -e $prefix/$file ]] || fail "$file is not installed"
    checks=$((checks + 1))
done
"$prefix/bin/heddle" cc -o bank_test "$examples/bank/bank_test.c" -lcunit
status 1 "$prefix/bin/heddle" check ./bank_test
has out '1 FAILING$'
# Flags by pkg-config do what heddle cc does.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root
read -ra flags <<<"$(pkg-config --cflags --libs heddle)"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -O1 -o by_$compiler "$examples/bank/bank_test.c" "${flags[@]}" -lcunit
    ldd by_$compiler >libraries
    has libraries libheddle
    hasnt libraries libtsan
    LD_LIBRARY_PATH=$prefix/lib status 1 "$prefix/bin/heddle" check -o "$compiler.out" ./by_$compiler
    has out '1 FAILING$'
    # shellcheck disable=SC2016
    has out 'lost update on `balance` \(bank_test\.c:[0-9]+\)'
done
