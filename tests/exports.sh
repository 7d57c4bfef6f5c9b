#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library exports heddle_*, the call-outs and the names it interposes: nothing else.
. "${top_srcdir:?}/tests/lib.sh"
nm -D --defined-only "$top_builddir/.libs/libheddle.so" | awk '{print $3}' | sed 's/@.*//' | sort -u >names
grep -Ev '^(heddle_|__tsan_)' names >rest || true
sed -n 's/;/\n/gp' "$top_srcdir/record/libheddle.map" | tr -d ' {}' | grep -E '^[a-zA-Z_0-9]+$' | sort -u >allowed
comm -23 rest allowed >leaked
[[ ! -s leaked ]] || fail "leaked symbols: $(tr '\n' ' ' <leaked)"
comm -13 rest allowed >absent
[[ ! -s absent ]] || fail "in the map but not in the library: $(tr '\n' ' ' <absent)"
has names '^__tsan_read4$'
checks=$((checks + 2))
