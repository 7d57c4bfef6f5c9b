#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A small soak: programs of the corpus and their twins, recorded and replayed some times over, are the same each
# time; a program that is not, and one that leaves a file, is noticed. All of them, ten thousand times: ./dev soak.
. "${top_srcdir:?}/tests/lib.sh"
command -v python3 >/dev/null || exit 77

soak() { PYTHONDONTWRITEBYTECODE=1 "$top_srcdir/tests/corpus/soak" --build "$top_builddir" --asan none --budget 1 "$@"; }

status 0 soak 40 -o good --turn 3 --program two_sections --program semaphore_order --program key_value_leaked --program lru_cache
has out '^40 cycles on 8 of 8 programs in '
has out '^0 unexplained$'
has out '^ +40 recordings identical$'
has out '^ +[1-9][0-9]* replays FAILING as before$'
status 0 soak 48 -o good --resume --turn 3 --program two_sections --program semaphore_order --program key_value_leaked --program lru_cache
has out '^48 cycles on 8 of 8 programs in '
has out '^ +48 recordings identical$'

status 1 soak 12 -o bad --program "$programs/moody.c"
has out '^UNEXPLAINED [0-9]+: moody, cycle [0-9]+: recording'
has out '^UNEXPLAINED [0-9]+: moody, cycle [0-9]+: files left in TMPDIR'
hasnt out '^UNEXPLAINED [0-9]+: moody-fixed'
[[ $(find bad/kept -name what.json | wc -l) -ge 2 ]] || fail 'nothing was kept'

one_line 2 'no such program' soak 1 -o bad --program nosuch
