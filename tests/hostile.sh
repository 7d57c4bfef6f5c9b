#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files from elsewhere: they run no command that the user did not confirm, write nowhere but where they are told
# to, and take no more memory than there is. Who made his files himself is never asked.
. "${top_srcdir:?}/tests/lib.sh"
forge=$top_builddir/tests/forge
export TELLS=$work/told
limited() { timeout -k 1 60 "$@" </dev/null; }

# runs N: the program was started so often since.
runs() {
    local count=0
    [[ ! -f told ]] || count=$(wc -l <told)
    rm -f told
    [[ $count == "$1" ]] || fail "the program ran $count times, not $1"
    checks=$((checks + 1))
}

# refused PATTERN COMMAND...: exit 2, one line with the pattern and the remedies, nothing ran.
refused() {
    one_line 2 "$1.*give --yes, or the command itself after --" limited "${@:2}"
    runs 0
}

"$heddle" cc -g -O1 -o tells "$programs/tells.c"
status 1 limited "$heddle" check ./tells one 'two words'
witness=heddle.out/main-1.witness
[[ -f $witness ]] || fail "no $witness"
rm told

# ------------------------------------------------ who recorded it himself is not asked
status 1 limited "$heddle" replay "$witness"
runs 1
status 1 limited "$heddle" replay -n 3 "$witness"
runs 3
mkdir -p elsewhere/deep
cp -r heddle.out elsewhere/deep/
(cd elsewhere && status 1 limited "$heddle" replay "deep/$witness") || exit 1
has told "^$work: \\./tells one two words\$"
rm told
"$heddle" cc -g -O0 -o tells "$programs/tells.c"
status 1 limited "$heddle" replay "$witness"
cp tells another
status 1 limited "$heddle" replay --program ./another "$witness"
status 1 limited "$heddle" replay --slice 1/1 -j 2 "$witness" "$witness"
runs 4
printf 'acquire int my_lock(ptr) object=1\n' >locks
status 0 limited "$heddle" record --declare locks -o apart ./tells three
status 1 limited "$heddle" analyze --kinds nondet,race apart/main.trace
rm told
limited "$heddle" replay apart/main-1.witness >out 2>err || (($? == 1)) || fail 'replay of what was recorded and analyzed'
[[ -s told ]] || fail 'a recording of his own did not run'
rm told
[[ $(wc -l <state/heddle/commands) == 2 ]] || fail 'not two commands are known'
[[ $(stat -c %a state/heddle) == 700 ]] || fail 'others may look into the state'

# ------------------------------------------------ what came from elsewhere is shown, not run
mv state mine
refused "wants to run what you have not run here: cd $work && $work/tells one 'two words';" "$heddle" replay "$witness"
refused "cd $work && exec -a ./tells $work/another one 'two words';" "$heddle" replay --program ./another "$witness"
refused 'one' "$heddle" replay --loose "$witness"
refused 'one' "$heddle" replay --compare-output "$witness"
[[ ! -e state ]] || fail 'a refusal leaves a state'
status 1 limited "$heddle" replay --yes "$witness"
has told "^$work: \\./tells one two words\$"
runs 1
refused 'one' "$heddle" replay "$witness" # --yes is for once
status 1 limited "$heddle" replay "$witness" -- ./tells mine
has told "^$work: \\./tells mine\$"
runs 1
mv mine state

# One other word, folder, program or file of declarations is another command; an honest one beside it runs.
"$forge" command "$witness" word.witness "$work/tells" "$work" '' ./tells one 'two words' three
"$forge" command "$witness" folder.witness "$work/tells" "$work/elsewhere" '' ./tells one 'two words'
"$forge" command "$witness" program.witness "$work/another" "$work" '' ./tells one 'two words'
"$forge" command "$witness" path.witness ../another "$work" '' ./tells one 'two words'
"$forge" command "$witness" declare.witness "$work/tells" "$work" "$work/locks" ./tells one 'two words'
"$forge" command "$witness" name.witness "$work/tells" "$work" '' other one 'two words'
"$forge" command "$witness" joined.witness "$work/tells" "$work" '' ./tells 'one two words'
refused "tells one 'two words' three;" "$heddle" replay word.witness
refused "cd $work/elsewhere && " "$heddle" replay folder.witness
refused "exec -a ./tells $work/another one" "$heddle" replay program.witness
(cd elsewhere && one_line 2 "exec -a ./tells $work/another one" limited "$heddle" replay ../path.witness) || exit 1
refused "\\(declarations: $work/locks\\);" "$heddle" replay declare.witness
refused "exec -a other $work/tells" "$heddle" replay name.witness
refused "tells 'one two words';" "$heddle" replay joined.witness
status 2 limited "$heddle" replay -j 2 word.witness "$witness" folder.witness
has out 'FAILING'
[[ $(grep -c "wants to run" err) == 2 ]] || fail "not two are refused"
runs 1
# What a name hides is seen: controls, quotes, what is no ASCII.
"$forge" command "$witness" hidden.witness "$work/tells" "$work" '' ./tells $'\e[2K\rrm' "a'b" $'\xe2\x80\xae'
refused "tells \\$'\\\\x1b\\[2K\\\\x0drm' 'a'\\\\''b' \\$'\\\\xe2\\\\x80\\\\xae';" "$heddle" replay hidden.witness
# Nothing but the test's name is the witness's: given the program, there is nothing to confirm.
"$forge" command "$witness" bare.witness "$work/tells" "$work" '' ./gone
status 1 limited "$heddle" replay --program ./tells bare.witness
runs 1

# ------------------------------------------------ on a terminal it is asked, and a yes is remembered
# asked ANSWER STATUS COMMAND...
asked() {
    local answer=$1 expected=$2 got=0
    shift 2
    printf '%s\n' "$answer" | timeout -k 1 60 script -qec "$(printf '%q ' "$@")" /dev/null >out 2>&1 || got=$?
    ((got == expected)) || fail "$* answered $answer: exit $got, not $expected"
    checks=$((checks + 1))
}
if command -v script >/dev/null; then
    for answer in n '' 'yes please'; do
        asked "$answer" 2 "$heddle" replay word.witness
        has out "^    cd $work && $work/tells one 'two words' three.?\$"
        has out 'Run it\? \[y/N\]'
        runs 0
    done
    asked y 1 "$heddle" replay word.witness
    has out 'Run it\?'
    runs 1
    status 1 limited "$heddle" replay word.witness
    runs 1
    asked n 2 "$heddle" replay folder.witness word.witness
    runs 0
    asked y 1 "$heddle" replay -j 2 folder.witness word.witness folder.witness
    [[ $(grep -c 'Run it' out) == 1 ]] || fail 'asked twice'
    runs 3
fi

# ------------------------------------------------ what is known is bounded, and only this user's
for ((i = 0; i < 3000; i++)); do printf '/%0400d \n' $i; done >state/heddle/commands
refused 'one' "$heddle" replay "$witness"
status 0 limited "$heddle" record -o apart ./tells one 'two words'
runs 1
status 1 limited "$heddle" replay "$witness"
runs 1
(($(stat -c %s state/heddle/commands) <= 1 << 20)) || fail 'the state grows without end'
has state/heddle/commands '^/0*2999 $'
hasnt state/heddle/commands '^/0*10 $'
chmod 777 state/heddle
refused 'one' "$heddle" replay "$witness"
chmod 700 state/heddle
# No place to keep anything: recording and checking do not mind.
XDG_STATE_HOME=/proc/none status 1 limited "$heddle" check -o apart ./tells four
[[ ! -s err ]] || fail 'check speaks of its state'
rm told
XDG_STATE_HOME=/proc/none refused 'four' "$heddle" replay apart/main-1.witness

# ------------------------------------------------ names lead nowhere
mkdir -p box/in/deep
compile climbing "$programs/climbing_names_test.c"
# Every file but those that are meant.
others() {
    find . -type f | grep -v '^\./\(box/in/deep/\(heddle\.out\|again\)/[^/]*\|box/in/deep/\(out\|err\)\|before\|after\|out\|err\|told\)$' | sort
}
others >before
(cd box/in/deep && status 1 limited "$heddle" check ../../../climbing) || exit 1
(cd box/in/deep && status 1 limited "$heddle" analyze -o again heddle.out/*.trace) || exit 1
(cd box/in/deep && limited "$heddle" replay heddle.out/*.witness >out 2>err || (($? == 1)) || fail 'replay') || exit 1
[[ ! -e /tmp/heddle-absolute.trace ]] || fail 'an absolute name'
others >after
same before after
[[ $(find box/in/deep/heddle.out -name '*.trace' | wc -l) -ge 4 ]] || fail 'not four tests were recorded'

# A witness's trace is a file beside it: neither another folder's, nor one that does not end.
mkfifo pipe heddle.out/pipe
for name in ../pipe pipe "$work/pipe" /dev/zero .; do
    "$forge" beside "$witness" heddle.out/beside.witness "$name"
    status 0 limited "$heddle" show heddle.out/beside.witness
    status 1 limited "$heddle" replay heddle.out/beside.witness
    one_line 2 'beside.witness: its trace is no file beside it; give it as TRACE' \
        limited "$heddle" show --verify heddle.out/beside.witness
done
rm heddle.out/beside.*
"$forge" command "$witness" pipe.witness "$work/tells" "$work" "$work/pipe" ./tells
status 2 limited "$heddle" replay --yes pipe.witness
has err "$work/pipe: no regular file; give the declarations with --declare"
# A folder with files that never end, and links out of it.
cp -r heddle.out links
for name in x.trace x.witness x.account main-1.verdict; do
    rm -f "links/$name"
    ln -s /dev/zero "links/$name"
done
mkfifo links/y.trace links/y.witness
echo precious >precious
for name in report.html junit.xml heddle.sarif heddle.json; do
    rm -f "links/$name"
    ln -s ../precious "links/$name"
done
status 0 limited "$heddle" report links
status 1 limited "$heddle" replay links/main-1.witness
[[ $(<precious) == precious ]] || fail 'a report is written through a link'
[[ ! -L links/report.html && -s links/report.html && ! -L links/main-1.verdict ]] || fail 'a link is still there'
status 1 limited "$heddle" check -o links ./tells one 'two words'

# ------------------------------------------------ a few bytes are not all memory
"$heddle" cc -g -O1 -o sweeps "$programs/sweeps.c"
status 0 limited "$heddle" record --all -o sweeps.out ./sweeps
"$forge" swollen sweeps.out/main.trace swollen.trace 600 || fail 'no compressed chunk in it'
small() { (ulimit -v 500000 && exec timeout -k 1 60 "$@"); }
if small "$heddle" --version >out 2>&1; then # sanitizers want more than that for themselves
    for command in show analyze; do
        one_line 2 'swollen.trace: holds more than [0-9]+ events, too many for the memory here; record with a smaller --size' \
            small "$heddle" $command swollen.trace
    done
    status 0 small "$heddle" show --stats sweeps.out/main.trace
fi
