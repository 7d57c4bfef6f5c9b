#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Breaks one rule of the engine at a time, in a copy of the sources, and expects
# oracle_test, engine_test and engine_shortcuts_test, as make check runs them, to notice. A rule of stage 2
# that is dropped changes no verdict (the line-up tests every rule again, stage 3
# and the search are exact): engine_test pins the stage that has to decide.
# Usage: engine_mutants.sh [TRACES]
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
traces=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$top" archive HEAD | tar -x -C "$work"
cd "$work"
autoreconf -fi >/dev/null 2>&1
./configure -q CFLAGS='-O2 -w'
make -s proto/heddle.pb-c.h >/dev/null
make -s -j2 tests/oracle_test tests/engine_test tests/engine_shortcuts_test >/dev/null

killed=0 survived=0
# mutant NAME (FILE FROM TO)...: FROM, a fixed string, becomes TO.
mutant() {
    local name=$1
    shift
    rm -rf original && cp -r analyze original
    python3 - "$@" <<'PY'
import sys
rest = sys.argv[1:]
while rest:
    path, old, new, *rest = rest
    text = open(path).read()
    assert text.count(old) >= 1, old
    open(path, "w").write(text.replace(old, new, 1))
PY
    make -s tests/oracle_test tests/engine_test tests/engine_shortcuts_test >/dev/null
    if ! ./tests/engine_test >out 2>&1; then
        echo "killed    $name (engine_test)"
        killed=$((killed + 1))
    elif ! timeout 300 ./tests/engine_shortcuts_test >out 2>&1; then
        echo "killed    $name (engine_shortcuts_test)"
        killed=$((killed + 1))
    elif ! timeout 300 ./tests/oracle_test ${traces:+"$traces"} >out 2>&1; then
        echo "killed    $name (oracle_test)"
        killed=$((killed + 1))
    else
        echo "SURVIVED  $name"
        survived=$((survived + 1))
    fi
    cp -p original/* analyze/ && touch analyze/*.c
}

mutant 'R1 dropped' analyze/order.c 'news(e, u, bound, known) ? last_write_below(x, t, bound) : HD_NO_INDEX' 'HD_NO_INDEX'
mutant 'R2 dropped' analyze/order.c 'again ? HD_NO_INDEX : hd_order_write_after(e, t, v)' 'HD_NO_INDEX' \
    analyze/order.c 'v != HD_NO_INDEX && !readers_before(e' 'false && !readers_before(e'
mutant 'R3 dropped' analyze/order.c 'rules_of_sections(e, item, again) && ' ''
mutant 'a reader outside the ideal counts' analyze/lineup.c 'readers->at[at] < e->ideal[t->thread] &&' ''
mutant 'the second branch dropped' analyze/choices.c 'side < 2' 'side < 1'
mutant 'a pending reader does not keep a write' analyze/lineup.c 'it->writes ? pending_reader(e, item, c) : HD_NO_INDEX' 'HD_NO_INDEX'
mutant 'a signal before its wait, engine' analyze/order.c 'wake == HD_NO_INDEX || !hd_in_ideal(e, wake)' 'true' \
    analyze/lineup.c 'wake != HD_NO_INDEX && hd_in_ideal(e, wake) && !done' 'false && !done'
mutant 'a signal before its wait, search' analyze/moves.c 'u != it->thread && waits_on(s, u) == it->object' 'u != it->thread'
mutant 'semaphores not counted' analyze/moves.c 'case HD_PASSES: return !semaphore_is_zero(s, it->object);' 'case HD_PASSES: return true;'
mutant 'R2 turned round' analyze/order.c 'y != q && !add(e, q, y, false)' 'y != q && !add(e, y, q, false)'
mutant 'R3 without its exception for two readers' analyze/engine.c 'if (hd_excludes(e->x->item[take].shared, shared))' 'if (true)'
mutant 'a signal wakes two' analyze/moves.c 'signals(s)[u] -= 2;' ';'
mutant 'a semaphore wait paired with its own post' analyze/clock.c 'waits > others && waits - others' 'waits - others'
mutant 'the challenger need not be last' analyze/tails.c '== q->challenger;' '!= HD_NO_INDEX - 1;'
mutant 'an upper bound too low' analyze/engine.c '*high = hd_clock_first(x, e->must, thread, it->thread, it->index);' '*high = hd_clock_first(x, e->must, thread, it->thread, it->index); *high -= *high > 0;'
mutant 'tails that are needed before' analyze/tails.c '!close_all(p) || !independent(p)' '!close_all(p)'
mutant 'a disturbed cell passes' analyze/lineup.c 'return !e->by_value && !e->going_on && e->cell_disturbed[cell] != e->line_stamp;' 'return !e->by_value;'
mutant 'a section open at the end disturbs nothing' analyze/lineup.c 'e->lock_disturbed[x->held[h].lock] = e->line_stamp;' ';'
mutant 'a loose read takes any value' analyze/sources.c 'if (source != HD_LOOSE)' 'if (source == HD_LOOSE) return true; if (source != HD_LOOSE)'
mutant 'one source of a loose read is tried' analyze/choices.c 'i < count && answer != HD_ENGINE_YES' 'i < count && i < 1 && answer != HD_ENGINE_YES'
mutant 'all reads are sure' analyze/sources.c 'any |= x->loose[hd_read_slot(x, i, c)] = is_loose(x, i, c)' 'any |= x->loose[hd_read_slot(x, i, c)] = false && is_loose(x, i, c)'
mutant 'what comes behind a line-up finds cells as in the trace' analyze/lineup.c '!e->going_on && e->cell_disturbed' 'e->cell_disturbed'
mutant 'what comes behind a line-up finds locks as in the trace' analyze/lineup.c 'e->going_on || e->lock_disturbed' 'e->lock_disturbed'
mutant 'a wait behind its signal' analyze/lineup.c 'wake == HD_NO_INDEX || !hd_in_ideal(e, wake) || !done' 'true || !done'
mutant 'a line-up that has the challenger already' analyze/lineup.c ' || done(e, e->q->challenger))' ')'
mutant 'a circle with two who wait by choice' analyze/choices.c ' && !why[at].known && ' ' && '
mutant 'the wrong side of a circle' analyze/choices.c 'take_side(e, &why[n], 1)' 'take_side(e, &why[n], 0)'
mutant 'a thread behind that is forgotten' analyze/lineup.c '    for (uint32_t u = 0; u < e->threads; u++)
        follow_less(e, u, thread);' ''
echo "$killed killed, $survived survived"
((survived == 0))
