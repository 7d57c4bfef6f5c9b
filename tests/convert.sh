#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Traces of other tools: read, written, refused where they cannot have happened, repaired on request.
. "${top_srcdir:?}/tests/lib.sh"
corpus=$top_srcdir/tests/corpus

# STD there and back is the same, modulo whitespace.
status 0 "$heddle" convert -o mutex.trace "$corpus/std/mutex.std"
status 0 "$heddle" convert mutex.trace
same out "$corpus/std/mutex.std"
sed 's/|/ |\t/g; s/$/\r\n/' "$corpus/std/mutex.std" >spaced.std
status 0 "$heddle" convert -o again.std spaced.std
same again.std "$corpus/std/mutex.std"
cp "$corpus/std/mutex.std" nameless
status 0 "$heddle" convert nameless
same out "$corpus/std/mutex.std"
status 0 "$heddle" convert --to trace -o anything nameless
status 0 "$heddle" show anything
has out '^ +2 +T0 read V1  nameless:3$'
has out '^ +7 +T1 write V1.x\[0\]  nameless:14$'
has out 'T1 is 0\.1'
"$heddle" convert --to trace nameless >piped.trace
same piped.trace anything

# A wait on a condition, a location that is text, marks of begin and end.
status 0 "$heddle" show "$corpus/std/condition.std"
has out ' main wait S, releasing L  condition:2$'
has out ' main wake up S  '
has out ' b signal S  '
has out ' main create b  file\.c:3$'
has out ' b end  condition:11$'

# SPD: recognised by content; begin and end count once, requests and branches are nothing.
cp "$corpus/spd/mutex.data" nameless
status 0 "$heddle" convert -o spd.std nameless
cat >expected.std <<'END'
T0|fork(T1)|7
T0|acq(L3)|1
T0|w(V2)|2
T0|rel(L3)|3
T1|acq(L3)|4
T1|r(V2)|5
T1|rel(L3)|6
T0|join(T1)|8
END
same spd.std expected.std
status 0 "$heddle" show --stats nameless
has out '^events   12$'
has out '^bytes    146 \(12\.17 per event\)$'
has out '^ +2  start$'

# What cannot have happened is refused, with its place; repaired, it is well-formed.
refused() { # PLACE REPAIRS LINE...
    local place=$1 repairs=$2
    shift 2
    printf '%s\n' "$@" >bad.std
    one_line 2 "^heddle convert: bad\.std: $place.*; .*--repair" "$heddle" convert -o bad.trace bad.std
    [[ ! -e bad.trace ]] || fail 'a refused trace was written'
    status 0 "$heddle" convert --repair -o repaired.std bad.std
    has err "^heddle convert: bad\.std: $repairs"
    status 0 "$heddle" convert -o repaired.trace repaired.std
    rm -f repaired.trace
}
refused 'line 2: T2 acquires L, which T1 holds' '2 repairs: 1 acquire .*, 1 release' \
    'T1|acq(L)|1' 'T2|acq(L)|2' 'T1|rel(L)|3' 'T2|rel(L)|4'
printf '%s\n' 'T1|acq(L)|1' 'T1|rel(L)|0' 'T2|acq(L)|2' 'T2|rel(L)|4' >expected.std
same repaired.std expected.std
refused 'line 2: T2 releases L, which another thread holds' '1 repair: 1 release' 'T1|acq(L)|1' 'T2|rel(L)|2'
refused 'line 1: T1 releases L, which nobody holds' '1 repair: ' 'T1|rel(L)|1' 'T1|w(V)|2'
refused 'line 1: T1 runs before its fork \(line 2\)' '1 repair: 1 fork' 'T1|w(V)|1' 'T0|fork(T1)|2'
refused 'line 2: T0 forks T1, which is already there' '1 repair: 1 fork' 'T0|fork(T1)|1' 'T0|fork(T1)|1'
refused 'line 2: T0 joins T1, which runs on' '1 repair: 1 join' 'T0|fork(T1)|1' 'T0|join(T1)|1' 'T1|w(V)|1'
refused 'line 2: T1 ends, but it runs on' '1 repair: 1 mark' 'T1|w(V)|1' 'T1|end()|2' 'T1|w(V)|3'
refused 'line 3: T1 wakes up on S, which nobody signalled' '1 repair: 1 wake' 'T1|acq(L)|1' 'T1|rel(L)|1' 'T1|wake(S)|2'
refused 'line 1: T1 wakes up on S without a release' '1 repair: 1 wake' 'T1|wake(S)|2' 'T1|w(V)|2'
refused "line 2: unknown operation 'jump'" '1 repair: 1 unreadable place' 'T1|w(V)|1' 'T1|jump(V)|1'
refused 'line 2: not thread.operation' '1 repair: ' 'T1|w(V)|1' 'hello'
refused 'line 3: T2 acquires L, which T1 holds' '1 repair: 1 acquire of a lock whose holder has ended' \
    'T1|acq(L)|1' 'T1|end()|2' 'T2|acq(L)|3'
refused 'line 4: b acquires L, which a holds' '1 repair: 1 acquire of a lock whose holder .* waits' \
    'a|acq(L)|1' 'a|acq(M)|2' 'a|rel(M)|3' 'b|acq(L)|4' 'b|sig(S)|5' 'a|wake(S)|6' 'a|acq(M)|7'
one_line 2 'faults\.data: event 6: the file ends here, its header says 1152921504606846976 events' \
    "$heddle" convert "$corpus/spd/faults.data"
status 0 "$heddle" convert --repair "$corpus/spd/faults.data"
has err ' repairs: '
head -c 60 "$corpus/spd/mutex.data" >cut.data
one_line 2 'cut\.data: event 5: the file ends here, its header says 16 events' "$heddle" convert cut.data
head -c 7 "$corpus/spd/mutex.data" >head.data
one_line 2 'head\.data: .*shorter than its header' "$heddle" convert head.data

# A recorded trace as STD is well-formed; what STD cannot say is said.
compile bank_test "$examples/bank/bank_test.c"
status 0 "$heddle" record ./bank_test
status 0 "$heddle" convert -o bank.std heddle.out/transfer.trace
status 0 "$heddle" convert -o bank.trace bank.std
has bank.std '^T0\.1\|acq\(L0\)\|'
grep -c '|[rw](' bank.std >in.std
"$heddle" show heddle.out/transfer.trace | grep -Ec ' (read|write) ' >in.trace
same in.std in.trace
status 0 "$heddle" convert -o kinds.std "$corpus/trace/kinds.trace"
has err 'STD has no word for some events, left out: .*1 enter barrier'

# Wrong files and wrong options; a full disk.
one_line 2 'none/x\.std: cannot be written' "$heddle" convert -o none/x.std bank.std
one_line 2 'standard output: No space' sh -c "'$heddle' convert bank.std >/dev/full"
one_line 2 '/dev/stdout: No space left' sh -c "'$heddle' convert --to trace bank.std >/dev/full"
one_line 2 'standard output: No space' sh -c "'$heddle' show --format json bank.std >/dev/full"
one_line 2 'x\.txt: neither \.std nor \.trace' "$heddle" convert -o x.txt bank.std
one_line 2 "unknown format 'xml'" "$heddle" convert --to xml bank.std
one_line 2 'compressed' "$heddle" convert <(gzip -c bank.std)
one_line 2 'a heddle witness, not a trace' "$heddle" convert "$corpus/witness/lost_update.witness"
