#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bad input gets one clear line and exit 2, a diverging replay 125; nothing is overwritten.
. "${top_srcdir:?}/tests/lib.sh"
compile bank_test "$examples/bank/bank_test.c"
compile abba_test "$examples/abba/abba_test.c"
status 1 "$heddle" check ./bank_test
witness=heddle.out/transfer-1.witness trace=heddle.out/transfer.trace
cp -r heddle.out before

one_line 2 "unknown command 'chek'" "$heddle" chek
for command in record analyze replay check show; do
    one_line 2 "unknown option '--mistyped'; see 'heddle $command --help'" "$heddle" "$command" --mistyped x
    status 0 "$heddle" "$command" --help
    has out "^usage: heddle $command"
done
one_line 2 "'-o' needs a value" "$heddle" record -o
one_line 2 "seed wants a number" "$heddle" record --seed x ./bank_test
status 0 "$heddle" cc --help
status 0 "$heddle" --version
status 2 "$heddle"

one_line 2 './none: no such program' "$heddle" record ./none
one_line 2 './none: no such program' "$heddle" check ./none
one_line 2 'none.trace: No such file' "$heddle" analyze none.trace
one_line 2 'none.witness: No such file' "$heddle" replay none.witness
one_line 2 'none: No such file' "$heddle" show none
one_line 2 'none: No such file' "$heddle" convert none
one_line 2 "unknown option '--mistyped'; see 'heddle convert --help'" "$heddle" convert --mistyped x
status 0 "$heddle" convert --help
has out '^usage: heddle convert'
one_line 2 "unknown format 'xml'; there are text and json" "$heddle" show --format xml $trace
one_line 2 '--stats is of a trace' "$heddle" show --stats $witness
one_line 2 'one file expected' "$heddle" convert
echo hello >text
chmod +x text
one_line 2 'text: not an ELF program' "$heddle" record ./text
printf '#!/bin/sh\n' >script
chmod +x script
one_line 2 'script: a script' "$heddle" check ./script
one_line 2 'not built with heddle; build it with CC="heddle cc"' "$heddle" record /bin/true
one_line 2 'text: not a heddle trace' "$heddle" analyze text
one_line 2 'text: not a heddle' "$heddle" show text
one_line 2 'text: not a heddle' "$heddle" convert text
one_line 2 'a heddle trace, not a witness' "$heddle" replay $trace
one_line 2 'a heddle witness, not a trace' "$heddle" analyze $witness
: >empty
one_line 2 'empty' "$heddle" analyze empty
one_line 2 'wakes_without_waiting: contradicts itself: event 9: .*; record again' \
    "$heddle" analyze "$top_srcdir/tests/corpus/trace/wakes_without_waiting"

# A cut trace is read up to the cut, and says so; a cut head is no trace.
size=$(stat -c %s $trace)
head -c $((size - 7)) $trace >cut.trace
status 0 "$heddle" show cut.trace
has out 'cut'
head -c 5 $trace >head.trace
one_line 2 'head.trace: ' "$heddle" analyze head.trace
{ head -c 40 $trace; head -c 200 /dev/urandom; } >damaged.trace
status 2 "$heddle" show damaged.trace
has err 'damaged.trace: '
head -c 30 $witness >cut.witness
one_line 2 'cut.witness: ' "$heddle" replay cut.witness

# Another program: its tests are not there. Another build of the same one: it diverges, exit 125.
one_line 2 "has no test 'bank/transfer'" sh -c "'$heddle' replay --program ./abba_test $witness 2>&1 >/dev/null | tail -n 1 >&2; exit 2"
status 2 "$heddle" replay --program ./abba_test $witness
sed 's/long seen = balance;/pthread_mutex_unlock(\&lock); pthread_mutex_lock(\&lock); long seen = balance;/' \
    "$examples/bank/bank_test.c" >edited.c
compile edited_test edited.c
status 125 "$heddle" replay --program ./edited_test $witness
has out 'step 3: 0\.2: expected read, .*; got unlock, '
# Built anew without an edit that matters, the schedule still fits.
sed 's/^long balance/\n\n\n&/' "$examples/bank/bank_test.c" >moved.c
compile moved_test moved.c -DMOVED
status 1 "$heddle" replay --program ./moved_test $witness
has err 'was built anew'

# A folder that cannot be made; no file of the old results was touched by any of this.
one_line 2 'text/out: Not a directory' "$heddle" record -o text/out ./bank_test
rm -f heddle.out/*.verdict before/*.verdict
diff -r heddle.out before || fail 'an error changed the results'
