#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every failing witness ends the same under gdb, 10 times of 10, breakpoints and stepping included.
. "${top_srcdir:?}/tests/lib.sh"
command -v gdb >/dev/null || exit 77
for example in bank abba hidden_race; do
    compile "${example}_test" "$examples/$example/${example}_test.c"
    status 1 "$heddle" check -o "$example.out" "./${example}_test"
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
    status 1 "$heddle" replay "$witness"
    tail -n 2 out >plain
    printf '%s\n' 'witness list' 'witness next' 'witness where' 'step' 'witness goto 2' 'bt' \
        'continue' >steps.gdb
    printf 'run\n' >run.gdb
    for i in 1 2 3 4 5; do
        for script in run steps; do
            status 1 "$heddle" replay --gdb-batch "$script.gdb" "$witness"
            tail -n 2 out >gdb.$i
            same plain gdb.$i
        done
    done
    has out '^  1  0 runs until just before its '
    has out '^  0(\.[0-9])?  (running|ready|parked|ended|waits to make)'
    has out '^step 2 of [0-9]+ done: '
    hasnt out 'libheddle'
    hasnt err 'not defined'
done
# All stacks at the failure, as a file; a locked scheduler does not hang.
printf 'witness next\nset scheduler-locking on\nwitness save stacks\n' >save.gdb
status 1 timeout 60 "$heddle" replay --gdb-batch save.gdb "$witness"
has stacks '^#[0-9]+ .* in (worker|test_count)'
hasnt stacks 'libheddle|libffi'
one_line 2 'none\.gdb: No such file' "$heddle" replay --gdb-batch none.gdb "$witness"

# Breakpoints, watchpoints, stepping, calls, a locked scheduler, time at the prompt: the outcome is the same.
cat >busy.gdb <<'END'
break deposit
watch balance
run
set scheduler-locking on
step
next
print balance
print balance + 1
info threads
set scheduler-locking step
step
step
finish
stepi
python import time; time.sleep(2)
disable
tbreak balance_now
thread 1
backtrace
set scheduler-locking on
python
while gdb.selected_inferior().pid and gdb.selected_thread() is not None:
    gdb.execute("continue")
    if gdb.parameter("scheduler-locking") == "on":
        raise gdb.GdbError("locked")
end
END
witness=bank.out/transfer-1.witness
status 1 "$heddle" replay "$witness"
cp out plain
for i in 1 2 3; do
    status 1 timeout 100 "$heddle" replay --gdb-batch busy.gdb "$witness"
    has out '^heddle: scheduler-locking set off'
    has out '^Hardware watchpoint [0-9]+: balance'
    # shellcheck disable=SC2016
    has out '^\$1 = 100'
    tail -n "$(wc -l <plain)" out >gdb.busy
    same plain gdb.busy
done

# A crash has the same words in gdb.
compile start_order_test "$examples/start_order/start_order_test.c"
status 1 "$heddle" check -o crash.out ./start_order_test
witness=$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)
status 1 "$heddle" replay "$witness"
has out 'Segmentation fault near'
cp out plain
status 1 timeout 60 "$heddle" replay --gdb-batch run.gdb "$witness"
tail -n "$(wc -l <plain)" out >gdb.crash
same plain gdb.crash

# So has a test that says no more than its exit status.
compile deep "$programs/deep.c"
status 1 "$heddle" check -o deep.out ./deep 2
witness=$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)
status 1 "$heddle" replay "$witness"
has out '^ *exit status 1$'
cp out plain
status 1 timeout 60 "$heddle" replay --gdb-batch run.gdb "$witness"
tail -n "$(wc -l <plain)" out >gdb.exit
same plain gdb.exit

# A crash after memory was used freed is told in the same words as without gdb.
compile use_after_free_shutdown_test "$examples/use_after_free_shutdown/use_after_free_shutdown_test.c"
status 1 "$heddle" check -o freed.out ./use_after_free_shutdown_test
sed -n 's/^ *replay: *heddle replay *//p' out >witnesses
while read -r witness; do
    status 1 timeout 60 "$heddle" replay "$witness"
    ending=$(sed -n 2p out)
    status 1 timeout 60 "$heddle" replay --gdb-batch run.gdb "$witness"
    grep -qxF -- "$ending" out || fail "under gdb it does not end so: $ending"
    checks=$((checks + 1))
done <witnesses
