#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A part of the corpus, both ways: the planted bug fails, the twin never does. ./dev corpus runs all of it.
. "${top_srcdir:?}/tests/lib.sh"
corpus=$top_srcdir/tests/corpus

# build NAME OUT [FLAG]
build() {
    "$heddle" cc -g -O1 -Wall -Wextra -Werror -I"$corpus/programs" ${3:+"$3"} -o "$2" "$corpus/programs/$1.c" -lcunit ||
        fail "heddle cc $1.c ${3:-}"
}

# bug NAME: plain runs aside, check says FAILING, and the first witness fails again.
bug() {
    local witness
    build "$1" "$1"
    status 1 "$heddle" check -o "$1.out" "./$1"
    has out '[1-9][0-9]* FAILING'
    adds_up out
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)
    [[ -z $witness ]] || status 1 "$heddle" replay "$witness"
}

# no_bug NAME [FLAG]: nothing fails.
no_bug() {
    build "$1" "$1-fixed" "${2:-}"
    status 0 "$heddle" check -o "$1-fixed.out" "./$1-fixed"
    has out ' 0 FAILING'
    adds_up out
}

while IFS=$'\t' read -r program _ expected quick _; do
    [[ $quick == yes ]] || continue
    case $expected in
    FAILING) bug "$program" ;;
    harmless) no_bug "$program" ;;
    *) fail "programs.tsv: $program: expected '$expected'" ;;
    esac
    no_bug "$program" -DFIXED
done <"$corpus/programs.tsv"
((checks > 100)) || fail "programs.tsv names too few programs"

# The table and the folder agree, and every file says what it is.
grep -v '^#' "$corpus/programs.tsv" | cut -f 1 | sort >listed
for file in "$corpus"/programs/*.c; do
    basename "$file" .c
    for word in class bug expect; do
        has "$file" "^ \\* $word: "
    done
done | sort >there
same listed there

# Noise: a planted bug shows within some runs, a correct program is left as it is.
shown=no
for ((run = 0; run < 1000; run++)); do
    if ! HEDDLE=noise timeout 20 ./two_sections >out 2>err; then
        shown=yes
        break
    fi
done
[[ $shown == yes ]] || fail "noise: two_sections never failed"
hasnt err .
for run in 1 2 3 4 5; do
    HEDDLE=noise status 0 timeout 20 ./two_sections-fixed
done
