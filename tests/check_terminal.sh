#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a terminal there are colours and a bar; elsewhere plain lines that can be compared.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
unset NO_COLOR CI COLUMNS
export TERM=xterm LC_ALL=C.UTF-8
escape=$'\033'
compile bank_test "$examples/bank/bank_test.c"
compile thread_pool_fixed_test "$examples/thread_pool/thread_pool_fixed_test.c"

# Not a terminal: no escape, no bar, unless told so.
status 1 "$heddle" check ./bank_test
hasnt out "$escape"
[[ ! -s err ]] || fail 'something on stderr'
cp out plain
status 1 "$heddle" check --color always ./bank_test
has out "$escape\[31;1mFAIL$escape\[0m transfer/1"
sed "s/$escape\[[0-9;]*m//g" out >stripped
same stripped plain
status 1 "$heddle" check --color never ./bank_test
same out plain
one_line 2 "color is auto, always or never, not 'x'" "$heddle" check --color x ./bank_test

# Quiet: nothing where nothing fails.
status 0 "$heddle" check --quiet ./thread_pool_fixed_test
[[ ! -s out && ! -s err ]] || fail '--quiet says something'
status 1 "$heddle" check -q ./bank_test
same out plain

# Without UTF-8, ASCII.
LC_ALL=C.UTF-8 status 1 "$heddle" check -v ./bank_test
has out '│'
LC_ALL=C status 1 "$heddle" check -v ./bank_test
! LC_ALL=C grep -q $'[\x80-\xff]' out || fail 'not ASCII'
has out '^        >   17 \|     long seen'
has out '^       +-> '

# As wide as the terminal: the account is a table where it fits, else in words.
COLUMNS=100 status 1 "$heddle" check -v ./bank_test
has out '^  test +alternatives +impossible +harmless +FAILING +diverged +open$'
COLUMNS=50 status 1 "$heddle" check -v ./bank_test
has out '^  transfer: [0-9]+ alternatives: [0-9]+ impossible'
hasnt out '^  test +alternatives'

if ! script --version >/dev/null 2>&1; then
    echo 'no script here: no terminal to try'
    exit 0
fi
# on_terminal ENVIRONMENT...: what a terminal gets, from stdout and stderr.
on_terminal() {
    env "$@" script -qec "$heddle check ./thread_pool_fixed_test" /dev/null </dev/null >screen 2>&1 || fail "script: $(cat screen)"
}
on_terminal CI=
has screen "$escape\[1mthread_pool_fixed_test"
has screen '[0-9]+ of [0-9]+ alternatives +[0-9]+ s left'
has screen '█'
has screen 'report: heddle.out/report.html'
on_terminal CI= NO_COLOR=1
hasnt screen "$escape\[1m"
on_terminal CI=true
hasnt screen 's left'
on_terminal CI= TERM=dumb
hasnt screen "$escape"
on_terminal CI= LC_ALL=C
has screen '[#.]{20,}  [0-9]+ of'
