#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every file, for people and for programs.
. "${top_srcdir:?}/tests/lib.sh"
corpus=$top_srcdir/tests/corpus

json() { # FILE LINES: as many objects, one a line; left in ./out
    status 0 "$heddle" show --format json "$1"
    "$top_builddir/tests/json_lines" <out >count || fail "$1: not JSON"
    [[ $(<count) == "$2" ]] || fail "$1: $(<count) objects, not $2"
    checks=$((checks + 1))
}

# Every kind of event is there, in words.
kinds=$(grep -c '^HD_KIND(' "$top_srcdir/proto/kinds.def")
status 0 "$heddle" show "$corpus/trace/kinds.trace"
has out '^ +2 +0 create 0\.1$'
has out '^ +13 +0 blocked before lock kinds\+0x4$'
has out '^ +FAILED: x == 1 \(kinds\.c:3\)$'
has out '^ +21 +0 lock timed out kinds\+0x4 \(write lock\)$'
has out '^ +22 +0 wait kinds\+0x68, releasing kinds\+0x4$'
has out '^ +26 +0 enter barrier kinds\+0x4, generation 3$'
has out '^ +29 +0 semaphore wait kinds\+0x4 \(its count was 2\)$'
has out '^ +37 +0 sleep 2\.5 ms$'
has out '^ +40 +0\.1 atomic update kinds\+0x388 = 7 -> 8$'
has out '^ +41 +0\.1 fence release$'
has out '^ +47 +0\.1 cancel 0\.1$'
json "$corpus/trace/kinds.trace" 48
has out '^\{"position":40,"thread":"0\.1","kind":"atomic update",.*"value":7,"second":8[,}]'
has out '"kind":"wait",.*"object":"kinds\+0x68","releases":"kinds\+0x4"'
((kinds >= 48)) || fail "kinds.def has $kinds kinds: fewer than the corpus"

# The same trace as text and as JSON has the same events; the stats add up.
compile bank_test "$examples/bank/bank_test.c"
status 1 "$heddle" check ./bank_test
trace=heddle.out/transfer.trace
events=$("$heddle" show $trace | sed -n 's/^events  *//p')
json $trace "$events"
has out '"kind":"write","n":[0-9]+,"k":[0-9]+,"datum":"balance","address":"0x[0-9a-f]+","size":8,"value":[0-9]+,'
has out '"function":"deposit","file":"bank_test\.c","line":[0-9]+'
status 0 "$heddle" show --stats $trace
has out "^events   $events\$"
has out '^bytes    [0-9]+ \([0-9]+\.[0-9]{2} per event\)$'
has out '^threads  3$'
has out '^objects  1$'
sum=$(sed '1,/^$/d' out | awk '{ sum += $1 } END { print sum }')
[[ $sum == "$events" ]] || fail "the counts by kind add up to $sum, not $events"
status 0 "$heddle" show --stats --format json $trace
"$top_builddir/tests/json_lines" <out >/dev/null || fail 'stats: not JSON'
has out "\"events\":$events,"
json heddle.out/transfer-1.witness 1
has out '"title":"lost update on .balance."'
has out '"stop":\{"kind":"read",'
json heddle.out/transfer-1.verdict 1
has out '^\{"verdict":"FAILING","witness":"transfer-1\.witness"'
json "$corpus/verdict/two.verdict" 2

# Many threads stay readable: a column each while there is room, then from the left again.
for n in $(seq 0 199); do
    printf 'T%d|w(V)|%d\n' "$n" "$n"
done >wide.std
status 0 "$heddle" show wide.std
has out '^ {6}63 {65}T63 write V  wide:63$'
has out '^ {6}64  T64 write V  wide:64$'
json wide.std 200

# No names that could be mistaken for text of ours, and none that are not UTF-8.
printf 'T0|w("quoted\\name")|1\n' >odd.std
json odd.std 1
has out '"datum":"\\"quoted\\\\name\\""'
sed 's/"quoted/\xffquoted/' odd.std >latin.std
one_line 2 'latin\.std: line 1: a name that is not printable' "$heddle" show latin.std

# The story of a witness: a column a thread, values before and after, the ordering that matters in one sentence.
status 0 "$heddle" show heddle.out/transfer-1.witness
# shellcheck disable=SC2016
{
    has out '^0\.2 reads `balance` = 100 before 0\.1 writes 110 '
    has out '^ {6}0 {29}0\.1 {27}0\.2$'
    has out '^ +2> write `balance` = 100  \(bank_test\.c:[0-9]+\)$'
    has out '^ +[0-9]+  {31}lock `lock`  \(bank_test\.c:[0-9]+\)$'
    has out '^ +[0-9]+> {61}read `balance` = 100 \(recorded:$'
}
widest() {
    awk '{ if (length($0) > most) most = length($0) } END { print most }' story
}
for columns in 60 80 120 200; do
    COLUMNS=$columns "$heddle" show heddle.out/transfer-1.witness | sed -n '/^what happens/,/^schedule/p' >story
    (($(widest) <= columns)) || fail "$columns columns, but a line of $(widest)"
    checks=$((checks + 1))
done
# shellcheck disable=SC2016
has story ' read `balance` = 100 \(recorded: 110\)  \(bank_test\.c:[0-9]+\)$'
# Without the trace, and with one of another program, the schedule is told all the same.
cp heddle.out/transfer-1.witness alone.witness
status 0 "$heddle" show alone.witness
has out '^   2 +0\.1 runs until just before '
hasnt out '^what happens'
for n in $(seq 1 40); do
    printf 'T%d|w(V)|%d\n' "$n" "$n"
done >many.std
status 1 "$heddle" analyze --kinds race many.std
status 0 "$heddle" show --verify many.std-1.witness
COLUMNS=80 "$heddle" show many.std-1.witness | sed -n '/^what happens/,/^schedule/p' >story
(($(widest) <= 80)) || fail "80 columns, but a line of $(widest)"
