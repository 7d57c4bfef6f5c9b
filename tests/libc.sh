#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What libc does to the user's memory is in the trace, with values; what it answers
# is what it answers without heddle; and blocking calls let others run.
. "${top_srcdir:?}/tests/lib.sh"

# conforms NAME [FLAG...]: the program says and returns the same plain, built with
# heddle and started alone, and recorded; no read contradicts the trace. ./NAME.text is the trace.
conforms() {
    local name=$1 plain=0 got=0
    shift
    "${HEDDLE_CC:-cc}" -w "$@" -o "$name.plain" "$programs/$name.c" -pthread || fail "cc $name"
    "$heddle" cc -w "$@" -o "$name" "$programs/$name.c" -pthread || fail "heddle cc $name"
    timeout 60 "./$name.plain" <input >plain.out || plain=$?
    timeout 60 "./$name" <input >alone.out || got=$?
    ((got == plain)) || fail "$name alone gave exit $got, not $plain"
    got=0
    timeout 60 "$heddle" record --all -o "$name.out" "./$name" <input >recorded.out 2>err || got=$?
    ((got == plain)) || fail "$name recorded gave exit $got, not $plain"
    same plain.out alone.out
    same plain.out recorded.out
    "$heddle" show "$name.out/main.trace" >"$name.text"
    nothing_unseen "$name.text"
}

# But errno, which has no name, and locals: compilers leave out call-outs where they think nobody else looks.
nothing_unseen() {
    local but=' 0x[0-9a-f]+ = | stack of '
    grep ' unseen write ' "$1" | grep -Ev "$but" >unseen || true
    [[ ! -s unseen ]] || fail "$1: $(head -n 3 unseen)"
    checks=$((checks + 1))
}

# wrote NAME VALUE..., was_read NAME VALUE...: such events are in ./TRACE.text.
trace=libc_memory
wrote() { has "$trace.text" " write $1 = $2 "; }
was_read() { has "$trace.text" " read $1 = $2 "; }

memory_events() {
    wrote t_memcpy 25185
    wrote 't_memmove[+]1' 25185
    wrote t_memset 16843009
    wrote t_bzero 0
    wrote t_bcopy 25185
    wrote t_mempcpy 25185
    wrote t_strcpy 25185
    wrote t_stpcpy 25185
    wrote t_strncpy 25185
    wrote 't_strncpy[+]3' 0
    wrote 't_strcat[+]1' 25185
    was_read t_strcat 120
    wrote 't_strncat\[1\]' 97
    wrote 't_strncat\[2\]' 0
    wrote 'block of 3 bytes from [^ ]+' 25185
    wrote 'block of 2 bytes from [^ ]+' 97
    wrote 'block of 100000 bytes from [^ ]+' 25185
    has "$trace.text" ' free block of 3 bytes from '
    was_read text 25185
    was_read upper 16961
    was_read other 25441
    was_read list '[0-9]+'
    was_read digits '[0-9]+'
    wrote 'list\[2\]' 0
    wrote t_rest '[0-9]+'
    wrote t_part '[0-9]+'
    wrote t_sprintf 25185
    wrote t_snprintf 25185
    wrote t_stpncpy 25185
    wrote t_vsnprintf 12852 # "42"
    wrote t_end '[0-9]+'
    wrote t_number 42
    wrote t_sort $((1 + (2 << 32)))
    wrote 't_sort[+]8' $((3 + (4 << 32)))
}

io_events() {
    trace=libc_io
    wrote t_read 27241   # "ij"
    wrote t_pread 27755  # "kl"
    wrote 't_readv1(\[0\])?' 107   # "k"
    wrote t_readv2 2668  # "l\\n"
    wrote t_fgets 44768651881
    wrote t_fread 1953719666 # "rest"
    was_read w_fwrite 27241
    was_read w_fputs 27755
    was_read w_write 25699
    was_read w_writev 26213
    was_read w_send 26727
    wrote t_recv 26727
    wrote t_recvmsg 25185
    was_read text 25185
    wrote t_poll.revents 1
    wrote t_pipe '[0-9]+'
    wrote t_pair '[0-9]+'
    wrote 't_event([.+][a-z0-9.]+)?' '[0-9]+'
    wrote t_stat.st_size 9
    wrote t_scanned 42
    trace=libc_memory
}

echo 'word 42' >input
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export HEDDLE_CC=$compiler
    for flags in -O0 '-O2 -D_FORTIFY_SOURCE=0'; do
        # shellcheck disable=SC2086
        conforms libc_memory $flags
        memory_events
        # shellcheck disable=SC2086
        conforms libc_io $flags
        io_events
        # shellcheck disable=SC2086
        conforms pipes $flags
    done
done
unset HEDDLE_CC

# blocks CALL WORD: a thread in that call comes back when another does what it waits for.
"$heddle" cc -O1 -o blocking "$programs/blocking.c"
cc -o blocking.plain "$programs/blocking.c" -pthread
blocks() {
    for program in ./blocking.plain ./blocking; do
        status 0 timeout 60 $program "$1"
        has out "^$1 $2\$"
    done
    status 0 timeout 60 "$heddle" record --all -o "blocking.out" ./blocking "$1"
    has out "^$1 $2\$"
    "$heddle" show blocking.out/main.trace >"blocking.$1.text"
    nothing_unseen "blocking.$1.text"
}

# ------------------------------------------------- calls that block let the others run
for call in poll select epoll fgets getline fread getc accept flock fcntl fifo waitpid sigwait pause interrupted; do
    blocks "$call" ok
done
blocks cancelled cancelled
for call in poll select epoll fgets getline fread getc; do
    has "blocking.$call.text" '^ +(fgets|getline|fread|getc|poll|select|epoll_wait)( |$)'
done
has blocking.fgets.text ' write line = 44903720308 ' # "text\n"
has blocking.fread.text ' write line = 44903720308 '
has blocking.getline.text ' write block of 120 bytes from .* = 44903720308 '
has blocking.getline.text ' write block = '
has blocking.getline.text ' write room = 120 '

# The same events every time, although the kernel wakes the threads.
"$heddle" cc -O1 -o pipes "$programs/pipes.c"
load
for run in 1 2 3 4 5; do
    status 0 timeout 60 "$heddle" record --all -o pipes.out ./pipes
    "$heddle" show pipes.out/main.trace >"pipes.$run"
    same pipes.1 "pipes.$run"
done
idle
# A call that is ready at once gives nothing up.
grep -A 1 ' outside ' libc_io.text | grep -Ev ' outside | wait(id)?( |$)|^--' >left || true
[[ ! -s left ]] || fail "left for nothing: $(head -n 3 left)"

# A schedule can stop between two pieces of a copy, and does.
for variant in torn fixed; do
    flag=-DTORN
    [[ $variant == torn ]] || flag=-DFIXED
    "$heddle" cc -O2 $flag -o "${variant}_copy" "$programs/torn_copy.c"
done
status 1 "$heddle" check -o torn.out ./torn_copy
has out ' [1-9][0-9]* FAILING$'
has out '`shared'
status 0 "$heddle" check -o fixed.out ./fixed_copy
has out ' 0 FAILING$'

# CUnit's memory is not the user's: each event in the test is made in its file, and no block is CUnit's.
compile cunit_memory "$programs/cunit_memory.c"
status 0 "$heddle" record --all -o cunit.out ./cunit_memory
"$heddle" show cunit.out/asserts.trace >cunit.text
hasnt cunit.text ' (alloc|free) '
grep -E ' (read|write) ' cunit.text | grep -v 'cunit_memory.c:' >foreign || true
[[ ! -s foreign ]] || fail "not the user's: $(head -n 3 foreign)"
has cunit.text ' read target(\[0\])? = 121 '

# Fortified calls: the same answers, and an overflow still ends the program.
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export HEDDLE_CC=$compiler
    for name in libc_memory libc_io; do
        "$heddle" cc -w -O2 -D_FORTIFY_SOURCE=2 -o "$name" "$programs/$name.c"
        $compiler -w -O2 -D_FORTIFY_SOURCE=2 -o "$name.plain" "$programs/$name.c"
        "./$name.plain" <input >plain.out || true
        "$heddle" record --all -o "$name.out" "./$name" <input >recorded.out 2>err || true
        same plain.out recorded.out
    done
    "$heddle" cc -w -O2 -D_FORTIFY_SOURCE=2 -o overflows "$programs/overflows.c"
    for call in memcpy memset strcpy strcat snprintf; do
        status 134 "$heddle" record --all -o overflows.out ./overflows $call
        has err 'buffer overflow detected'
    done
done
unset HEDDLE_CC

# libheddle's own calls never enter what it interposes for others; what remains is called before a test
# begins or by the watchdog (snprintf, strtoll), or is meant (a handler is set, a jump is made).
readelf -rW "$top_builddir/.libs/libheddle.so" | awk '$3 ~ /^R_/ && NF >= 5 && $5 !~ /@/ { print $5 }' | sort -u >own
grep -Ev '^(__tsan_|heddle_|abort$|_exit$|strtol$|strtoll$|snprintf$|sigaction$|longjmp$|__gmon_start__$|_ITM_)' own >reentered || true
[[ ! -s reentered ]] || fail "libheddle calls what it interposes: $(tr '\n' ' ' <reentered)"
checks=$((checks + 3))

# Every piece of a range has the value it was given; a full ring loses nothing.
for level in 0 1 2; do
    "$heddle" cc -O$level -o ranges "$programs/ranges.c"
    status 0 "$heddle" record --all -o ranges.out ./ranges
    "$heddle" show ranges.out/main.trace >ranges.text
    nothing_unseen ranges.text
done
wrote_all=$(grep -Ec ' write large\[[0-9]+\] = 72340172838076673 ' ranges.text)
[[ $wrote_all == 200000 ]] || fail "$wrote_all pieces of 200000"
trace=ranges
value=0
for part in a b c d e; do
    wrote "target\.$part" $((++value))
done

# poll and select of nothing are sleeps, and sleeping costs no time.
compile poll_sleeps "$programs/poll_sleeps.c"
status 0 timeout 60 "$heddle" record -o poll_sleeps.out ./poll_sleeps
status 0 "$heddle" show poll_sleeps.out/main.trace
has out '0 sleep'
