#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The account: six columns, every candidate once, and its lines are the summary's counts; audited from outside.
# Cut, interrupted, out of budget or of memory: what is said is still so.
. "${top_srcdir:?}/tests/lib.sh"

# closes FILE: the account of the summary in ./out.
closes() {
    local summary
    summary=$(head -n 1 out)
    [[ $summary =~ :\ ([0-9]+)\ candidates:\ ([0-9]+)\ impossible,\ ([0-9]+)\ witness,\ ([0-9]+)\ open ]] || fail "$summary"
    awk -F '\t' -v all="${BASH_REMATCH[1]}" -v impossible="${BASH_REMATCH[2]}" -v witness="${BASH_REMATCH[3]}" \
        -v open="${BASH_REMATCH[4]}" '
        NF != 6 || $1 !~ /^(nondet|atomicity|initial|race|deadlock|wakeup|memory|misuse)$/ || $6 == "" { bad = 1 }
        $5 !~ /^(impossible|witness|open)$/ || seen[$1 "," $2 "," $3 "," $4]++ && $1 ~ /^(nondet|atomicity|race)$/ { bad = 1 }
        { count[$5]++; lines++ }
        END { exit bad || lines + 0 != all || count["impossible"] + 0 != impossible ||
                   count["witness"] + 0 != witness || count["open"] + 0 != open }' "$1" ||
        fail "the account does not close: $summary"
    checks=$((checks + 1))
}

# audit TRACE: every triplet and every conflicting pair is there, and no other.
audit() {
    "$heddle" show --format json "$1" | python3 -c '
import json, sys
events = [json.loads(line) for line in sys.stdin]
reads = {"read", "atomic load", "atomic update"}
writes = {"write", "unseen write", "atomic store", "atomic update"}
last, access = {}, []
for e in events:
    if e["kind"] not in reads | writes:
        continue
    low = int(e["address"], 16)
    e["bytes"] = range(low, low + e["size"])
    e["from"] = {b: last.get(b) for b in e["bytes"]}
    access.append(e)
    if e["kind"] in writes:
        last.update((b, e["position"]) for b in e["bytes"])
triplets, races = set(), set()
for a in access:
    for b in access:
        common = [x for x in a["bytes"] if x in b["bytes"]]
        if a["thread"] == b["thread"] or not common:
            continue
        atomic = a["kind"].startswith("atomic") and b["kind"].startswith("atomic")
        if a["position"] < b["position"] and not atomic and (a["kind"] in writes or b["kind"] in writes):
            races.add((a["position"], b["position"]))
        if a["kind"] in reads and b["kind"] in writes and any(a["from"][x] != b["position"] for x in common):
            triplets.add((a["position"], b["position"]))
listed, raced = set(), set()
for line in open(sys.argv[1]):
    kind, x, y, z, verdict, stage = line.rstrip("\n").split("\t")
    if kind in ("nondet", "atomicity"):
        listed.add((int(x), int(z)))
    elif kind == "race":
        raced.add((int(x), int(y)))
assert listed == triplets, (listed ^ triplets)
assert raced == races, (raced ^ races)' "$2" || fail "$1: not every candidate, or others"
    checks=$((checks + 1))
}

for name in bank/transfer ring_buffer/ring lost_wakeup/one_item refcount/last_one_closes; do
    compile test "$examples/${name%/*}/${name%/*}_test.c"
    status 0 "$heddle" record -o traces ./test
done
for trace in traces/*.trace; do
    "$heddle" analyze -o found --account account "$trace" >out 2>err || true
    closes account
    audit "$trace" account
    for option in --same-value --strict-writers '--budget 1' '--kinds race,misuse' '-j 3'; do
        # shellcheck disable=SC2086
        "$heddle" analyze -o found --account account $option "$trace" >out 2>err || true
        closes account
    done
done

# Cut anywhere: analysed up to the cut and said so, or one line; never a crash.
trace=$(find traces -name '*.trace' | sort | head -n 1)
size=$(stat -c %s "$trace") said=0
for ((at = 1; at < size; at += size / 25 + 1)); do
    head -c "$at" "$trace" >cut.trace
    result=0
    "$heddle" analyze -o found --account account cut.trace >out 2>err || result=$?
    ((result <= 2)) || fail "cut at $at: exit $result"
    [[ $(wc -l <err) -le 1 ]] || fail "cut at $at: more than a line"
    if ((result < 2)); then
        has err '^heddle analyze: cut\.trace: cut; the [0-9]+ events before the cut are analysed$'
        closes account
        said=$((said + 1))
    fi
done
((said)) || fail 'no cut was analysed'

# Damaged anywhere: the same.
for ((at = 3; at < size; at += size / 25 + 1)); do
    cp "$trace" damaged.trace
    printf '\377\377\377' | dd of=damaged.trace bs=1 seek="$at" conv=notrunc status=none
    result=0
    "$heddle" analyze -o found --account account damaged.trace >out 2>err || result=$?
    ((result <= 2)) || fail "damaged at $at: exit $result"
    ((result == 2)) || closes account
done

# Interrupted in the middle of very many candidates: it ends, with what it has; a bar only on a terminal.
python3 -c '
for i in range(30000):
    print(f"T{i % 2}|w(V)|1")' >many.std
status 0 timeout 100 "$heddle" analyze --kinds deadlock --account account many.std
closes account
result=0
timeout -s INT 2 "$heddle" analyze --kinds race -o found --account account many.std >out 2>err || result=$?
((result == 0 || result == 1 || result == 124)) || fail "interrupted: exit $result"
has out '; interrupted$'
closes account
hasnt err .
if command -v script >/dev/null; then
    env -u CI TERM=xterm timeout -s INT 4 script -qefc "'$heddle' analyze --kinds race -o found many.std 2>&1 >/dev/null" /dev/null </dev/null >typed 2>&1 || true
    grep -q '[0-9]* of [0-9]* units.*  race' typed || fail 'no bar on a terminal'
    checks=$((checks + 1))
fi

# Out of memory is a line and exit 2.
if (ulimit -v 300000 && "$heddle" --version) >/dev/null 2>&1; then
    python3 -c '
for i in range(400000):
    print(f"T{i % 7}|w(V{i % 1000})|{i}")' >large.std
    one_line 2 '^heddle: out of memory' sh -c "ulimit -v 60000; exec '$heddle' analyze large.std"
fi
