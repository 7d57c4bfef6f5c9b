#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Suppressions: what they match, what they say of themselves, and what is wrong with a bad file.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
compile bank_test "$examples/bank/bank_test.c"
compile hidden_race_test "$examples/hidden_race/hidden_race_test.c"
status 0 "$heddle" record ./hidden_race_test
count=heddle.out/count.trace
status 1 "$heddle" analyze -o plain "$count"
cp out plain.out
summary=$(sed -n '1s/ (.*//p' out)

# analyze [OPTION]...: of the recorded trace; the candidates stay counted whatever is suppressed.
analyze() {
    local expected=$1
    shift
    rm -rf found
    status "$expected" "$heddle" analyze -o found "$@" "$count"
    [[ $(head -n 1 out) == "$summary"* ]] || fail 'the columns have changed'
}

# What is generated matches, in the same trace and in another build of the program.
analyze 1 --gen-suppressions
sed -n '/^{$/,/^}$/p' out >generated
has generated '^   heddle:race$'
has generated '^   fun:worker$'
analyze 0 --suppressions generated
has out '\(0 findings, 2 suppressed\)$'
hasnt err .
[[ ! -d found || -z $(ls found) ]] || fail 'a suppressed finding has a witness'
sed 's/^#include <heddle/\n\n\n&/' "$examples/hidden_race/hidden_race_test.c" >moved.c
compile moved_test moved.c -DMOVED
status 0 "$heddle" record -o moved ./moved_test
status 0 "$heddle" analyze --suppressions generated moved/count.trace
status 1 "$heddle" analyze --format json --gen-suppressions -o found "$count"
python3 - out <<'PY' || fail 'json'
import json, sys
found = json.load(open(sys.argv[1]))[0]["findings"]
assert len(found) == 2 and all(f["suppression"].startswith("{\n   ") for f in found)
PY

# one LINE...: a suppression of those lines after its name, in ./one.
one() {
    { printf '{\n   a name of some words\n'; printf '   %s\n' "$@"; printf '}\n'; } >one
}

# drops N LINE...: it drops N of the two findings.
drops() {
    local dropped=$1 expected
    shift
    one "$@"
    expected=$((dropped < 2))
    analyze $expected --suppressions one
    if ((dropped)); then
        has out "[(, ]$dropped suppressed\)\$"
        hasnt err .
    else
        hasnt out 'suppressed'
        has err "^heddle analyze: one:1: suppression 'a name of some words' was not used\$"
    fi
}
drops 1 heddle:race 'fun:*'
drops 1 heddle:atomicity 'fun:w?rker'
drops 2 'heddle:*' ...
drops 2 'heddle:*' var:y
drops 0 'heddle:*' var:x
drops 0 heddle:deadlock ...
drops 0 heddle:race fun:work
drops 1 heddle:race fun:test_count 'obj:*libcunit*'
drops 0 heddle:race fun:test_count fun:main
drops 1 heddle:race ... 'obj:*libcunit*'
drops 0 heddle:race ... fun:worker fun:main
drops 1 heddle:race src:hidden_race_test.c
drops 1 heddle:race 'src:hidden_race_*.c:29' ...
drops 0 heddle:race src:hidden_race_test.c:1
drops 1 Helgrind,heddle:race ...
drops 1 heddle:race ... ... ... 'fun:*'

# Several files; one is used, one is not; those of other tools are neither.
one heddle:race ...
cp one race
one heddle:deadlock ...
printf '# another tool\n{\n  leak\n  Memcheck:Leak\n  match-leak-kinds: all\n  fun:malloc\n}\n' >other
analyze 1 --suppressions race --suppressions one --suppressions other
has out '\(1 finding, 1 suppressed\)$'
one_unused=$(grep -c 'was not used' err || true)
[[ $one_unused == 1 ]] || fail "$one_unused suppressions were not used, not 1"

# check: not rerun, in a column of its own, and the columns still add up.
status 1 "$heddle" check --gen-suppressions ./bank_test
sed -n '/^{$/,/^}$/p' out >bank.supp
has bank.supp '^   var:balance$'
status 0 "$heddle" check --suppressions bank.supp ./bank_test
has out '0 FAILING, 1 suppressed$'
hasnt err 'not used'
adds_up out
status 1 "$heddle" check --suppressions race ./bank_test
has err "^heddle check: race:1: suppression 'a name of some words' was not used\$"

# Bad files: one line, with the line.
bad() {
    local pattern=$1
    shift
    printf '%b' "$1" >bad
    one_line 2 "^heddle analyze: bad:$pattern" "$heddle" analyze --suppressions bad "$count"
    one_line 2 "^heddle check: bad:$pattern" "$heddle" check --suppressions bad ./bank_test
}
bad "1: expected \{, not 'hello'" 'hello\n'
bad '2: a suppression begins with a name' '\n{\n}\n'
bad "3: expected heddle:KIND, not 'race'" '{\nn\nrace\n}\n'
bad "3: expected heddle:KIND, not 'heddle:'" '{\nn\nheddle:\n}\n'
bad "3: a kind is nondet, .*, not 'rice'" '{\nn\nheddle:rice\n...\n}\n'
bad "4: expected fun:, .*, not 'function:x'" '{\nn\nheddle:race\nfunction:x\n}\n'
bad "4: expected fun:, .*, not 'a\?b" '{\nn\nheddle:race\na\033b\n}\n'
bad '4: a name has to follow the colon' '{\nn\nheddle:race\nfun:\n}\n'
bad '4: a suppression needs a var: or a frame' '{\nn\nheddle:race\n}\n'
bad '1: the file ends before the \}' '{\nn\nheddle:race\nfun:x\n'
bad '1: the file ends before the \}' '{\nn\n'
bad '5: the suppression before has no \}' '{\nn\nheddle:race\nfun:x\n{\n'
bad '1: not a text file' '{\0}'
one_line 2 'none: No such file' "$heddle" analyze --suppressions none "$count"
one_line 2 "'--suppressions' needs a value" "$heddle" analyze --suppressions
head -c 100000 /dev/zero | tr '\0' 'x' >long
one_line 2 "long:1: expected \{, not 'x{40}\.\.\.'" "$heddle" analyze --suppressions long "$count"
