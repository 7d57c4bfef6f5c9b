#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The account against every reachable state of random STD traces, through the command alone.
. "${top_srcdir:?}/tests/lib.sh"
command -v python3 >/dev/null || { echo 'no python3 here' && exit 77; }
status 0 python3 "$top_srcdir/tests/audit.py" "$heddle" 400 1
has out '^400 passed, 0 failed: [0-9]{4,} candidates, [0-9]{3,} triplets, [0-9]{3,} races, [1-9][0-9]* deadlocks$'
# A join waits for all of a thread, also for a last access to what nobody else touches.
printf 'T0|fork(T1)|1\nT1|r(V0)|2\nT1|fork(T2)|3\nT2|r(V2)|4\nT1|join(T2)|5\nT1|w(V0)|6\nT0|r(V0)|7\n' >join.std
status 1 "$heddle" analyze --account account join.std
has account '^race	5	6		witness	'
