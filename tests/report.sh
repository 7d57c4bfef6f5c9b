#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle report: every format is well-formed, says what check found, escapes what it is given, and
# is the same twice.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
for tool in jq xmllint; do
    command -v "$tool" >/dev/null || { echo "no $tool here" && exit 77; }
done
unset SOURCE_DATE_EPOCH
files=(report.html junit.xml heddle.sarif heddle.json)

# well_formed DIR: all four, by their own rules.
well_formed() {
    local wrong counts
    status 0 xmllint --noout --nonet --schema "$top_srcdir/tests/junit.xsd" "$1/junit.xml"
    counts='sum(//testsuite/@tests) = count(//testcase) and /*/@tests = count(//testcase)
        and sum(//testsuite/@failures) = count(//failure) and /*/@failures = count(//failure)'
    [[ $(xmllint --nonet --xpath "$counts" "$1/junit.xml") == true ]] ||
        fail "$1/junit.xml: the counts are not those of its cases"
    status 0 jq -e '.version == 1 and (.findings | type == "array")' "$1/heddle.json"
    wrong=$(jq -r -f "$top_srcdir/tests/sarif.jq" "$1/heddle.sarif") || fail "$1/heddle.sarif does not parse"
    [[ -z $wrong ]] || fail "$1/heddle.sarif: $wrong"
    status 0 xmllint --noout --nonet "$1/report.html"
    hasnt "$1/report.html" '<script|https?://|@import|url\('
    checks=$((checks + 2))
}

# page DIR: a browser opens it, has nothing to complain about and shows the timeline.
page() {
    command -v chromium >/dev/null || return 0
    HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
        --user-data-dir="$work/profile" --dump-dom "file://$PWD/$1/report.html" >dom 2>log ||
        fail "chromium: $(tail -n 3 log)"
    hasnt log CONSOLE
    has dom '<table class="tl"'
    has dom 'class="hand (right|left)"'
}

# jq_is EXPECTED FILTER FILE
jq_is() {
    local got
    got=$(jq -r "$2" "$3")
    [[ $got == "$1" ]] || fail "$3: $2 is '$got', not '$1'"
    checks=$((checks + 1))
}

for example in bank abba hidden_race; do
    compile "${example}_test" "$examples/$example/${example}_test.c"
    status 1 "$heddle" check -o "$example.out" "./${example}_test"
    cp out summary
    status 0 "$heddle" report "$example.out"
    for file in "${files[@]}"; do
        [[ -s $example.out/$file ]] || fail "no $example.out/$file"
        has out "^$example.out/$file\$"
    done
    well_formed "$example.out"
    jq_is 1 '[.findings[] | select(.verdict == "FAILING")] | length' "$example.out/heddle.json"
    jq_is 1 '[.runs[0].results[] | select(.level == "error")] | length' "$example.out/heddle.sarif"
    jq_is 'true true' '.findings[0] | "\(.recorded_run != []) \(.witness_run != [])"' "$example.out/heddle.json"
    has "$example.out/junit.xml" '^<testsuites .* failures="1"'
    # The lines to copy are those of check.
    sed -n 's/^ *\(replay\|debug\): *//p' summary >lines
    while read -r line; do
        grep -Fq -- "$line" "$example.out/report.html" || fail "report.html has no: $line"
        checks=$((checks + 1))
    done <lines
    status 0 "$heddle" report -o again "$example.out"
    for file in "${files[@]}"; do
        same "$example.out/$file" "again/$file"
    done
done
page bank.out
page abba.out

# What the finding is, in each format.
jq_is 'atomicity:deposit:deposit:test_transfer:balance' '.findings[0].id' bank.out/heddle.json
jq_is 'atomicity:deposit:deposit:test_transfer:balance' \
    '.runs[0].results[0].partialFingerprints["heddleFindingId/v1"]' bank.out/heddle.sarif
jq_is '110 100' '.findings[0].roles[0] | "\(.value) \(.other_value)"' bank.out/heddle.json
jq_is '0 0.1 0.2' '[.runs[0].results[0].codeFlows[0].threadFlows[].id] | join(" ")' bank.out/heddle.sarif
jq_is '0.2 read `balance` 100' \
    '.findings[0].witness_run[] | select(.role == "r") | "\(.thread) \(.event) \(.value)"' bank.out/heddle.json
jq_is '0.1 waits to lock `right_lock`,0.2 waits to lock `left_lock`' \
    '[.findings[0].witness_run[] | select(.event | startswith("waits to lock")) | "\(.thread) \(.event)"] | sort | join(",")' \
    abba.out/heddle.json
has bank.out/report.html 'class="hit"><i> +17</i> +long seen = balance;'
has bank.out/report.html 'class="e differs">read `balance` = <b>100</b>'

# The failing run is shown to its end: check keeps its trace. Without it, up to where the schedule ends.
jq_is 3 '.tests | length' bank.out/heddle.json
jq_is 'CU_ASSERT_EQUAL(balance,130) failed' \
    '[.findings[0].witness_run[] | select(.differs) | .event] | .[-1]' bank.out/heddle.json
jq_is '100 120 110' \
    '[.findings[0].witness_run[] | select(.differs and .value) | .value] | join(" ")' bank.out/heddle.json
cp -r bank.out no_trace.out
rm no_trace.out/transfer-1.trace
status 0 "$heddle" report no_trace.out
well_formed no_trace.out
jq_is false '.findings[0].witness_run_is_a_rerun' no_trace.out/heddle.json
jq_is '0.2 read `balance` 100' '.findings[0].witness_run[-1] | "\(.thread) \(.event) \(.value)"' no_trace.out/heddle.json

# A rerun of another witness by that name is not shown.
status 0 "$heddle" replay --trace-out abba.out/swap-1.trace abba.out/swap-2.witness
status 0 "$heddle" report abba.out
jq_is false '.findings[0].witness_run_is_a_rerun' abba.out/heddle.json
jq_is 1 '.tests | length' abba.out/heddle.json

# One finding, however often it was met; the failing occurrence is the one shown.
cp -r hidden_race.out met
cp met/count-1.witness met/count-0.witness
status 0 "$heddle" report met
well_formed met
jq_is '1' '.findings | length' met/heddle.json
jq_is '2 FAILING' '.findings[0] | "\(.occurrences | length) \(.verdict)"' met/heddle.json
jq_is 'not replayed' '.findings[0].occurrences[1].verdict' met/heddle.json
has met/report.html 'Also seen'

# Without its trace a witness still says what it is about.
rm met/count.trace
status 0 "$heddle" report met
well_formed met
jq_is '1 trace is missing' '"\(.findings | length) \(.tests[0].recorded)"' met/heddle.json

# The same program checked twice gives the same reports.
for file in "${files[@]}"; do
    mv "hidden_race.out/$file" "first.$file"
done
status 1 "$heddle" check -o hidden_race.out ./hidden_race_test
status 0 "$heddle" report hidden_race.out
for file in "${files[@]}"; do
    same "first.$file" "hidden_race.out/$file"
done

# A program without findings, a format at a time, a time that was asked for.
compile bank_fixed_test "$examples/bank/bank_fixed_test.c"
status 0 "$heddle" check -o fixed.out ./bank_fixed_test
status 0 env SOURCE_DATE_EPOCH=86400 "$heddle" report fixed.out
well_formed fixed.out
has fixed.out/report.html 'nothing fails'
has fixed.out/report.html '1970-01-02T00:00:00Z'
has fixed.out/junit.xml 'timestamp="1970-01-02T00:00:00Z"'
jq_is '1970-01-02T00:00:00Z' '.time' fixed.out/heddle.json
status 0 "$heddle" report -o some --format json,junit fixed.out
[[ $(ls some) == $'heddle.json\njunit.xml' ]] || fail "more or less than asked for: $(ls some)"

# Markup in names stays text.
compile hostile "$programs/hostile_names_test.c"
status 1 "$heddle" check -o hostile.out ./hostile
status 0 "$heddle" report hostile.out
well_formed hostile.out
has hostile.out/report.html 'a&lt;i&gt;&amp;&#39;b&#39;/&lt;b&gt;&amp;&quot;x&quot;'
hasnt hostile.out/report.html '<b>&|<img|<i>&'
jq_is '<b>&"x"' '.tests[1].test' hostile.out/heddle.json
jq_is '2' '.failing_findings' hostile.out/heddle.json
jq_is 'fails as recorded' '.findings[0].pattern' hostile.out/heddle.json
page hostile.out
# So it does in every other name and value that a file can hold.
cp -r bank.out forged.out
cp hidden_race.out/* forged.out/
rm forged.out/report.html forged.out/junit.xml forged.out/heddle.*
for file in forged.out/*; do
    "$top_builddir/tests/forge" texts "$file" "$file" $'</script><b onload=\'x\'>&"]]>--\x01\xff' || fail "forge $file"
done
status 0 "$heddle" report --format html,junit,sarif,json,perfetto forged.out
well_formed forged.out
status 0 jq -e '.traceEvents | length > 0' forged.out/heddle.perfetto.json
has forged.out/report.html '&lt;b onload=&#39;x&#39;&gt;&amp;&quot;\]\]&gt;'
hasnt forged.out/report.html '<b onload|]]>'
hasnt forged.out/junit.xml '<b onload|]]>'
jq_is $'</script><b onload=\'x\'>&"]]>--\ufffd\ufffd' '.findings[0].title' forged.out/heddle.json
for file in forged.out/*.trace forged.out/*.witness forged.out/*.verdict; do
    "$heddle" show --format json "$file" >shown || fail "show $file"
    status 0 jq -es 'length > 0' shown
done

# A long run is shown where it matters: the value read before the hand-over and the one after it.
"$heddle" cc -g -O1 -o long_run "$programs/long_run.c"
status 1 "$heddle" check -o long.out ./long_run
status 0 "$heddle" report long.out
well_formed long.out
jq_is true '.findings[0] | [.recorded_run, .witness_run | length <= 120] | all' long.out/heddle.json
jq_is true '[.findings[0].witness_run[].skipped_before // 0] | add > 300' long.out/heddle.json
jq_is '0.1 0,0.2 0,0.2 1,0.1 1,0 1' '[.findings[0].witness_run[] | select(.value) | "\(.thread) \(.value)"] | join(",")' long.out/heddle.json
has long.out/report.html '[0-9]+ more events'

# A trace of another tool has neither program nor values.
mkdir imported
printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\nT1|r(x)|4\nT0|join(T1)|5\n' >race.std
status 0 "$heddle" convert -o imported/race.trace race.std
status 1 "$heddle" analyze imported/race.trace
status 0 "$heddle" report imported
well_formed imported
jq_is 'not replayed' '.findings[0].verdict' imported/heddle.json

# Bad input.
mkdir empty
one_line 2 "empty: no trace and no witness in it; run 'heddle check" "$heddle" report empty
one_line 2 'nowhere: No such file' "$heddle" report nowhere
one_line 2 "unknown format 'pdf'; there are html, junit, sarif, json and perfetto" "$heddle" report --format html,pdf bank.out
one_line 2 "unknown option '--mistyped'; see 'heddle report --help'" "$heddle" report --mistyped
one_line 2 'one folder expected' "$heddle" report bank.out abba.out
status 0 "$heddle" report --help
has out '^usage: heddle report'
head -c 40 bank.out/transfer-1.witness >bank.out/audit-1.witness
one_line 2 'audit-1.witness' "$heddle" report bank.out

# The failing runs for a trace viewer, on request: a track a thread, time rises, hand-overs in pairs.
rm bank.out/audit-1.witness
[[ ! -e bank.out/heddle.perfetto.json ]] || fail 'perfetto was not asked for'
status 0 "$heddle" report --format perfetto bank.out
has out '^bank.out/heddle.perfetto.json$'
status 0 jq -e '[.traceEvents[] | select(.ph == "X")] | length > 20 and all(.dur == 1 and .ts >= 0 and .tid > 0)' \
    bank.out/heddle.perfetto.json
status 0 jq -e '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id) | length > 3 and all(length == 2)' \
    bank.out/heddle.perfetto.json
status 0 jq -e '[.traceEvents[] | select(.name == "process_name") | .args.name] ==
    ["lost update on `balance`: as recorded", "lost update on `balance`: as it fails"]' bank.out/heddle.perfetto.json
