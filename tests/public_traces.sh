#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All public traces convert, or are refused for an acquire of a held lock and then repaired.
. "${top_srcdir:?}/tests/lib.sh"
shared=$top_srcdir/../shared
[[ -d $shared/traces ]] || exit 77

for data in "$shared"/traces/*.data; do
    test=$(basename "$data" .data)
    case $test in
    jigsaw | cache4j_dlf)
        one_line 2 "$test\.data: event [0-9]+: T[0-9]+ acquires L[0-9]+, which T[0-9]+ holds" \
            "$heddle" convert "$data"
        status 0 "$heddle" convert --repair -o "$test.std" "$data"
        ;;
    *) status 0 "$heddle" convert -o "$test.std" "$data" ;;
    esac
    status 0 "$heddle" convert -o "$test.trace" "$test.std"
    status 0 "$heddle" convert "$test.trace"
    same out "$test.std"
done
for packed in "$shared"/bench-traces/*8k.std.gz "$shared"/shapes/*/{conpool,philo,Barrier1}.std.gz; do
    gunzip -c "$packed" >plain.std
    status 0 "$heddle" convert -o plain.trace plain.std
    status 0 "$heddle" convert plain.trace
    same out plain.std
done
