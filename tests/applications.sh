#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Applications of the corpus: the planted bug is found, the twin is clean. Here those
# that tests/corpus/applications.tsv has for make check; all of them: -a.
. "${top_srcdir:?run by make check}/tests/lib.sh"

folder=$top_srcdir/tests/corpus/applications
while IFS=$'\t' read -r application _ expected quick _; do
    [[ $application == \#* ]] && continue
    [[ $quick == yes || ${1:-} == -a ]] || continue
    [[ $expected == FAILING ]] || fail "$application: what is $expected?"
    compile "$application" -Wall -Wextra -Werror "$folder/$application.c"
    compile "$application-fixed" -Wall -Wextra -Werror -DFIXED "$folder/$application.c"
    status 1 "$heddle" check -o "$application.out" "./$application"
    has out '^  FAIL '
    status 0 "$heddle" check -o "$application-fixed.out" "./$application-fixed"
    hasnt out '^  FAIL '
done <"$top_srcdir/tests/corpus/applications.tsv"
