#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command has a page that lists exactly its options, and completion that knows them.
. "${top_srcdir:?}/tests/lib.sh"
export PATH=$top_builddir:$PATH
commands=$(heddle --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

for command in $commands; do
    page=$top_srcdir/doc/heddle-$command.1
    [[ -f $page ]] || fail "no page of heddle $command"
    heddle "$command" --help | grep -Eo -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u >options
    # Options of the page are what a tagged paragraph begins with.
    sed 's/\\-/-/g; s/\\f.//g' "$page" | grep -A1 '^\.TP' | grep -Eo -- '[ ,"]--[a-z][a-z-]*' | tr -d ' ,"' | sort -u >listed
    sed 's/\\-/-/g' "$page" >plain
    grep -- '^--' options | sort -u >long
    [[ $command == cc ]] || same long listed
    while read -r option; do
        grep -Eq -- "(^|[^a-z-])$option([^a-z-]|\$)" plain || fail "heddle-$command.1 has no $option"
        checks=$((checks + 1))
    done <options
    # shellcheck source=/dev/null
    (
        source "$top_srcdir/completion/heddle.bash"
        COMP_WORDS=(heddle "$command" -) COMP_CWORD=2 COMPREPLY=()
        _heddle
        printf '%s\n' "${COMPREPLY[@]}" | sort -u
    ) >completed
    same options completed
done
(
    # shellcheck source=/dev/null
    source "$top_srcdir/completion/heddle.bash"
    COMP_WORDS=(heddle '') COMP_CWORD=1 COMPREPLY=()
    _heddle
    printf '%s\n' "${COMPREPLY[@]}"
) >completed
for command in $commands c++; do
    has completed "^${command//+/\\+}\$"
    has "$top_srcdir/completion/_heddle" "^    '${command//+/\\+}:"
done
! command -v zsh >/dev/null || status 0 zsh -n "$top_srcdir/completion/_heddle"

# The pages are well-formed.
for page in "$top_srcdir"/doc/*.[135]; do
    has "$page" '^\.SH SEE ALSO$'
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 man --warnings -l -Tutf8 -Z "$page" >/dev/null 2>warnings || true
        [[ ! -s warnings ]] || fail "$page: $(head -n 3 warnings)"
        checks=$((checks + 1))
    fi
done
for page in heddle-api.3 heddle-trace.5 heddle-witness.5; do
    [[ -f $top_srcdir/doc/$page ]] || fail "no $page"
done
# What the headers declare is in the page of the interface.
grep -Eho 'HEDDLE_[A-Z_]+\(|heddle_(test_begin|test_end|declare|framework)\(' "$top_srcdir"/record/include/heddle/heddle.h |
    tr -d '(' | sort -u | grep -v HEDDLE_DECLARE >names
while read -r word; do
    has "$top_srcdir/doc/heddle-api.3" "$word"
done <names
