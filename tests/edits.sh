#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A witness and the program's later life: rebuilt, elsewhere, with other flags, moved, edited, fixed.
. "${top_srcdir:?}/tests/lib.sh"
bank=$examples/bank/bank_test.c
compile bank_test "$bank"
status 1 "$heddle" check ./bank_test
witness=heddle.out/transfer-1.witness
"$heddle" replay "$witness" >out || true
sed -n 2p out >failure

# fails_alike PROGRAM OPTION...: the same failure as recorded, whatever line it is on.
fails_alike() {
    status 1 "$heddle" replay "${@:2}" --program "$1" "$witness"
    sed 's/[a-z_]*\.c:[0-9]*/:/' failure >was
    grep 'CU_ASSERT' out | sed 's/[a-z_]*\.c:[0-9]*/:/' >is
    same was is
}

# The same source again: byte for byte, in another folder, without and with much optimisation.
compile bank_test "$bank"
status 1 "$heddle" replay -n 20 "$witness"
has out '20 of 20 runs ended so'
mkdir elsewhere
cp "$bank" elsewhere/
(cd elsewhere && compile again_test bank_test.c)
fails_alike elsewhere/again_test
fails_alike elsewhere/again_test --loose
for level in -O0 -O2 -O3; do
    compile level_test "$bank" $level
    fails_alike ./level_test --loose
done

# Lines above, a new function, locks and accesses in between: found again, and said.
sed 's/^static long balance;/\n\n\nint unused(void);\nint unused(void) { return 3; }\n&/' "$bank" >moved.c
compile moved_test moved.c
fails_alike ./moved_test --loose
has out '^drift: step [0-9]+: 0\.2 stops at moved\.c:[0-9]+, was bank_test\.c:[0-9]+$'
sed 's/^static pthread_mutex_t lock.*/&\nstatic pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER; static int visits;/;
     s/^\( *\)pthread_mutex_lock(&lock);/\1pthread_mutex_lock(\&other); visits++; pthread_mutex_unlock(\&other);\n&/' \
    "$bank" >edited.c
grep -q 'visits++' edited.c || fail 'the edit did not take'
compile edited_test edited.c
fails_alike ./edited_test --loose
has out '^drift: step [0-9]+: 0\.[12] makes [0-9]+ synchronizations more on the way$'

# The fix: the schedule is no longer possible, and why; without waiting for a time-out.
awk '/^static void \*deposit/ { print "static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;"; inside = 1 }
     inside && /return NULL/ { print "    pthread_mutex_unlock(&whole);" }
     { print }
     inside && /^\{/ { print "    pthread_mutex_lock(&whole);" }
     /^\}/ { inside = 0 }' "$bank" >bank_fixed_test.c
compile bank_fixed_test bank_fixed_test.c
status 125 timeout 20 "$heddle" replay --loose --program ./bank_fixed_test "$witness"
# shellcheck disable=SC2016
has out 'no longer possible: thread 0\.[12] now holds `whole` from bank_fixed_test\.c:[0-9]+, which 0\.[12] waits for \(bank_fixed_test\.c:[0-9]+\) at step [0-9]+$'
status 125 timeout 20 "$heddle" replay --loose --format json --program ./bank_fixed_test "$witness"
has out '"text":"no longer possible: '
# What the schedule hangs on is gone, or the whole test.
compile gone_test "$examples/bank/bank_fixed_test.c"
status 125 "$heddle" replay --loose --program ./gone_test "$witness"
# shellcheck disable=SC2016
has out 'no longer possible: 0\.[12] no longer makes its 2nd lock \(`lock`, bank_test\.c:[0-9]+\)$'
compile abba_test "$examples/abba/abba_test.c"
one_line 2 "abba_test has no test 'bank/transfer'" "$heddle" replay --loose --program ./abba_test "$witness"
# A loose replay leaves the verdict of the recorded program alone.
status 0 "$heddle" show heddle.out/transfer-1.verdict
has out 'FAILING'
