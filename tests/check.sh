#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle check: how deep it looks, its account, baselines, other schedules, and what it leaves behind.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
command -v jq >/dev/null || { echo 'no jq here' && exit 77; }
unset SOURCE_DATE_EPOCH

# accounts FILE: every account in heddle.json adds up, and the whole is the sum of the tests.
accounts() {
    status 0 jq -e '[.account, .tests[].account] | all(.alternatives ==
        .impossible + .harmless + .failing + .diverged + .open + .suppressed)' "$1"
    status 0 jq -e '.account.alternatives == ([.tests[].account.alternatives] | add) and
        .account.failing == ([.tests[].account.failing] | add)' "$1"
}

# Failures that need two, three, four reorderings at once, and their twins.
"$heddle" cc -g -O1 -o deep "$programs/deep.c"
status 0 "$heddle" check --depth 0 -o shallow.out ./deep 2
for depth in 2 3 4; do
    status 1 "$heddle" check ./deep $depth
    adds_up out
    has out 'stale read of `word.*` \(deep\.c:25\)'
    cp out found
    accounts heddle.out/heddle.json
    while read -r witness; do
        status 1 "$heddle" replay -n 10 "$witness"
        has out '10 of 10 runs ended so'
    done < <(sed -n 's/^ *replay: *heddle replay *//p' found)
    status 0 "$heddle" check ./deep $depth fixed
    has out '^  all [0-9]+ alternatives tried or impossible'
    accounts heddle.out/heddle.json
done
status 0 "$heddle" check --depth 1 ./deep 3 fixed
has out '^  all [0-9]+ alternatives tried or impossible, up to 2 at once \(--depth tries more\)$'
"$heddle" cc -g -O1 -o one_after_another "$programs/one_after_another.c"
status 1 "$heddle" check ./one_after_another
has out '3 context switches$'

# Ten correct tests: nothing found, and nothing left.
compile ten_tests "$programs/ten_tests.c"
status 0 "$heddle" check -o ten.out ./ten_tests
has out '^ten_tests: 10 tests, [0-9]+ alternatives: [0-9]+ impossible, [0-9]+ harmless, 0 FAILING$'
has out '^  all [0-9]+ alternatives tried or impossible$'
accounts ten.out/heddle.json
status 0 jq -e '.failing_findings == 0 and .account.closed' ten.out/heddle.json
has ten.out/junit.xml 'tests="10" failures="0"'

# Every test's account is in every report.
compile bank_test "$examples/bank/bank_test.c"
status 1 "$heddle" check -v ./bank_test
cp out verbose
has verbose '^  transfer +[0-9]+ +[0-9]+ +[0-9]+ +1 +0 +0$'
accounts heddle.out/heddle.json
account=$(jq -r '.tests[] | select(.test == "transfer") | .account |
    "\(.alternatives) alternatives: \(.impossible) impossible, \(.harmless) harmless, \(.failing) FAILING"' heddle.out/heddle.json)
has heddle.out/junit.xml "<system-out>$account\$"
has heddle.out/report.html "<td>suite/transfer</td>|<td>[a-z/]*transfer</td>"
cells=$(jq -r '.tests[] | select(.test == "transfer") | .account |
    [.alternatives, .impossible, .harmless, .failing] | map("<td class=\"n\">\(.)</td>") | join("")' heddle.out/heddle.json)
has heddle.out/report.html "$cells"

# Why it fails: from the first read that differs to the assertion.
got=$(jq -r '[.findings[0].chain[] | "\(.thread) \(.event) \(.value) \(.recorded)"] | join("; ")' heddle.out/heddle.json)
[[ $got == '0.2 reads `balance` 100 110; 0.2 writes `balance` 120 130; 0.1 writes `balance` 110 110; 0 reads `balance` 110 130; 0 CU_ASSERT_EQUAL(balance,130) failed'* ]] ||
    fail "the chain is $got"
has verbose '^       why: +0.* reads `balance` = [0-9]+, recorded [0-9]+ \(bank_test\.c:[0-9]+\)$'
has verbose '^       +(→|->) CU_ASSERT_EQUAL\(balance,130\) failed'
has verbose '^       0\.2 reads `balance` = 100 before 0\.1 writes 110'
has verbose '^        >   17 (│|\|)     long seen = balance;$'
has verbose '^       id:      atomicity:deposit:deposit:test_transfer:balance$'
has verbose '^       kind:    atomicity$'
has heddle.out/report.html 'Why it fails'

# A baseline: what is known does not fail; what is new does.
status 1 "$heddle" check --write-baseline known ./bank_test
has known '^atomicity:deposit:deposit:test_transfer:balance$'
status 0 "$heddle" check --baseline known ./bank_test
has out ' 1 FAILING$'
has out '^  known transfer/1  lost update on `balance`'
status 0 jq -e '.findings[0].known and .known_findings == 1' heddle.out/heddle.json
has heddle.out/junit.xml '^<testsuites .* failures="0"'
status 0 jq -e '[.runs[0].results[] | select(.baselineState == "unchanged")] | length == 1' heddle.out/heddle.sarif
echo 'atomicity:other' >other
status 1 "$heddle" check --baseline other ./bank_test
status 0 jq -e '[.runs[0].results[] | select(.baselineState == "new")] | length == 1' heddle.out/heddle.sarif
one_line 2 'none: .*' "$heddle" check --baseline none ./bank_test
one_line 2 'not a baseline' "$heddle" check --baseline bank_test ./bank_test

# A recording that fails is a finding, and its schedule the witness.
"$heddle" cc -g -O1 -o fatal "$programs/fatal.c" -lcunit
status 1 "$heddle" check -o fatal.out ./fatal
has out '^  FAIL [a-z_]+/1  fails as recorded: '
witness=$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)
status 1 "$heddle" replay -n 5 "$witness"
has out '5 of 5 runs ended so'

# Where something diverged, other schedules are recorded: what they show counts, too.
"$heddle" cc -g -O1 -o unseen_order "$programs/unseen_order.c"
status 1 "$heddle" check --timeout 5 -o unseen.out ./unseen_order
has out ' 1 FAILING, 1 diverged$'
has out '^  FAIL main/[0-9]+  fails under another schedule: exit status 1  [1-3] context switch(es)?$'
adds_up out
witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
status 1 "$heddle" replay -n 10 "$witness"
has out '10 of 10 runs ended so'
status 0 "$heddle" check --timeout 5 -o unseen.out ./unseen_order fixed
has out '^  [1-9] of [0-9]+ alternatives are open or diverged'
status 0 jq -e '.account.recordings > 0 and (.account.closed | not)' unseen.out/heddle.json
[[ -z $(find unseen.out -name '.again*') ]] || fail 'other recordings were left behind'

# By priorities: the same seed gives the same run, and seeds differ.
for seed in 1 2 3 4 5 6; do
    "$heddle" record --seed $seed --priorities 20 -o by.out ./deep 3 2>/dev/null || true
    "$heddle" show by.out/main.trace >"by.$seed"
    "$heddle" record --seed $seed --priorities 20 -o by.out ./deep 3 2>/dev/null || true
    "$heddle" show by.out/main.trace | cmp -s - "by.$seed" || fail "seed $seed gives two runs"
    checks=$((checks + 1))
done
[[ $(md5sum by.? | cut -c1-32 | sort -u | wc -l) -gt 1 ]] || fail 'all seeds give the same run'

# An earlier run of the program leaves nothing; another program's files stay.
mkdir shared
echo 'not ours' >shared/notes.witness
status 1 "$heddle" check -o shared ./bank_test
status 0 "$heddle" check -o shared ./deep 2 fixed
[[ -f shared/transfer-1.witness && -f shared/main.trace ]] || fail 'a file of the other program is gone'
hasnt shared/report.html 'transfer'
touch shared/main-99.rerun
cp shared/main-1.witness shared/main-77.witness
status 0 "$heddle" check -o shared ./deep 1 fixed
[[ ! -e shared/main-77.witness ]] || fail 'a witness of an earlier run is left'
has shared/notes.witness 'not ours'
status 1 "$heddle" replay shared/transfer-1.witness
# The same name in another program is another file.
"$heddle" cc -g -O1 -o other_deep "$programs/deep.c"
status 0 "$heddle" check -o shared ./other_deep 1 fixed
[[ -f shared/main.trace && -f shared/other_deep.main.trace ]] || fail "two programs' main: $(ls shared)"

# A rerun finds the same descriptors open as the recording did, however many run at a time.
"$heddle" cc -g -O1 -o descriptors "$programs/descriptors.c"
for jobs in 1 4; do
    status 0 "$heddle" check -j $jobs ./descriptors open.log
done
[[ $(wc -l <open.log) -gt 4 && $(sort -u open.log | wc -l) == 1 ]] || fail "other descriptors: $(sort open.log | uniq -c)"

# Twice the same: byte for byte.
export SOURCE_DATE_EPOCH=86400
for program in bank_test ten_tests; do
    "$heddle" check -o twice.out ./$program >first 2>&1 || true
    rm -rf saved
    cp -r twice.out saved
    "$heddle" check -o twice.out ./$program >second 2>&1 || true
    same first second
    for file in report.html junit.xml heddle.sarif heddle.json; do
        same saved/$file twice.out/$file
    done
    "$heddle" check -j 1 -o twice.out ./$program >second 2>&1 || true
    same first second
    same saved/heddle.json twice.out/heddle.json
done
