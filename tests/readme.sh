#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What README.md shows is what happens: its commands are run, its output is compared.
. "${top_srcdir:?}/tests/lib.sh"
cp "$examples"/bank/* .
export PATH=$top_builddir:$PATH
sed -n '/^## 60 seconds/,/^## What/p' "$top_srcdir/README.md" >story
mapfile -t commands < <(sed -n 's/^\$ //p' story)
((${#commands[@]} >= 3)) || fail 'README.md shows no commands'
expected=(0 1 1)
for i in 0 1 2; do
    status "${expected[$i]}" sh -c "${commands[$i]}"
    cp out "out.$i"
done
sed -n '/^\$ heddle check/,/^\$ heddle replay/p' story | sed '1d;$d;2s/[0-9]\+/N/g' >shown
sed '1s/[0-9]\+/N/g' out.1 >seen # how many alternatives there are is up to the compiler
same shown seen
# shellcheck disable=SC2016
has out.2 'lost update on `balance`: FAILING'
