#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The value of every write is the one that was written: all sizes and shapes, both compilers, every level of
# optimisation. A thread that reads it all finds nothing that nobody was seen writing.
. "${top_srcdir:?}/tests/lib.sh"

wrote() { has text " write $1 = $2  "; }

whole_values() {
    wrote w1 17
    wrote w2 8225
    wrote w4 1077952577
    wrote w8 9259542123273814145
    wrote w16 7016996765293437282
    wrote 'w16[+]8' 1591483802437686807
    wrote wf 1069547520
    wrote wd 4612811918334230528
    wrote wp 30584
    wrote wb 1
    wrote wv 286331154
    wrote 'array(\[0\])?' '(101|438086664293)' # one by one, or two in a word
    wrote 'array(\[3\]|[+]8)' '(104|446676598887)'
    wrote 'both.half\[1\]' 4660
    wrote wu.two 514
    wrote wu.four 67305986
    wrote wbits 178956813
    wrote s1 2
    wrote s2 771
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for level in 0 1 2 3 s; do
        HEDDLE_CC=$compiler "$heddle" cc -g -O$level -o values "$programs/values.c"
        for reduction in --all ''; do
            # shellcheck disable=SC2086
            status 0 "$heddle" record $reduction -o values.out ./values
            "$heddle" show values.out/main.trace >text
            hasnt text ' unseen write '
            has text '0\.1 read s4(\.a)? = 5  '
            has text '0\.1 read (s24\.c = 17|s8\.b = 12)  '
            whole_values
        done
    done
done
