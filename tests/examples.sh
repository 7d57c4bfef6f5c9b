#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The planted bug of every example is found and fails; its correct twin is clean.
. "${top_srcdir:?}/tests/lib.sh"

# name | title of the finding | what the rerun ends in | context switches, where 3 do not suffice
# shellcheck disable=SC2016
table='
barrier_reuse           | order-dependent read of `value`  | CU_ASSERT_EQUAL\(seen\[round\],round \+ 1\) failed
check_then_act          | overwritten value of `sent`      | a\.answer == .* failed
dining                  | deadlock between `fork_lock.*`, `fork_lock.*` and `fork_lock.*` | deadlock: .*0\.1 waits .*; 0\.2 waits .*; 0\.3 waits
double_checked_init     | stale read of `settings.*`       | CU_ASSERT_EQUAL\(b,3\) failed
if_instead_of_while     | lost update on `items`          | Segmentation fault | 4
lost_wakeup             | lost wakeup of `changed`         | deadlock: 0 waits for `changed`
refcount                | overwritten value of `references` | CU_ASSERT_EQUAL\(atomic_load\(&closed\),1\) failed
ring_buffer             | stale read of `slot.*`           | CU_ASSERT_EQUAL\(taken\[i\],i \+ 1\) failed
rwlock_upgrade          | order-dependent read of `readers`| deadlock: .*0\.1 waits for `changed` .*; 0\.2 waits for `changed`
semaphore_misuse        | lost update on `visits`          | CU_ASSERT_EQUAL\(visits,2\) failed
signal_flag             | stale read of `reason`           | CU_ASSERT_EQUAL\(seen,SIGUSR1\) failed
start_order             | stale read of `worker.*`         | Segmentation fault
thread_pool             | stale read of `done`             | CU_ASSERT_EQUAL\(done,JOBS\) failed
use_after_free_shutdown | use after free of `block of 16 bytes from .*` | use after free: 0\.1 writes memory .* that 0 freed
'
trim() {
    sed 's/^ *//; s/ *$//' <<<"$1"
}

while IFS='|' read -r name title ending switches; do
    name=${name// /}
    [[ $name ]] || continue
    planted "$name" "$(trim "$title")" "$(trim "$ending")" "${switches// /}"
    has "$examples/README.md" "\[$name\]\($name/README\.md\)"
done <<<"$table"

# Mutexes taken in opposite order behind a third are not a deadlock.
clean gate_lock gate_lock_test
hasnt out 'deadlock'

# An atomic update is told by what it leaves, not by what it found.
status 0 "$heddle" show refcount.out/last_one_closes-1.witness
# shellcheck disable=SC2016
has out '^0\.1 reads `references` = 0 after 0\.2 writes it'
