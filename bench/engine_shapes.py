#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A random trace in RAPID's text format.

engine_shapes.py EVENTS [THREADS [LOCKS [SEED [TURN [WORDS [WAITS [PHASE]]]]]]]

Threads run in turns of about TURN events. Without WORDS, seven accesses in ten
are to the thread's own words, the others to words under a lock, or shared without
one; there are more words where there are more events. With WORDS, the accesses are to so many shared words, most under the lock
that is theirs, as in traces of small tests. WAITS of a hundred sections wait once
for a signal: rel, the other thread's sig, wake, acq. After every PHASE events, as a program goes on,
the words are others: two accesses to one word are then never far apart, however long the trace is."""
import random
import sys

numbers = [int(a) if a else None for a in sys.argv[1:]] + [None] * 8
events, threads, locks, seed = numbers[0], numbers[1] or 8, numbers[2] or 16, numbers[3] or 5
turn, words, waits, phase = numbers[4] or 20, numbers[5], numbers[6] or 0, numbers[7]
random.seed(seed)
written = 0


def emit(thread, what, place):
    global written
    written += 1
    sys.stdout.write(f"T{thread}|{what}|{place}\n")


def word_of(thread, lock):
    if words:
        if lock is not None and random.random() < 0.9:
            return f"W{(random.randrange(max(1, words // locks)) * locks + lock) % words}"
        return f"W{random.randrange(words)}"
    if random.random() < 0.7:
        return f"P{thread}.{random.randrange(50)}"
    span, name = (phase, f"{written // phase}.") if phase else (events, "")
    if lock is None:
        return f"S{name}{random.randrange(3 + span * 3 // 1000)}"
    return f"G{name}{lock}.{random.randrange(3 + span * 3 // 10000)}"


for t in range(1, threads):
    emit(0, f"fork(T{t})", 1)
held, owner, now, signals = [None] * threads, {}, 0, 0
while written < events:
    if random.random() < 1 / turn:
        now = random.randrange(threads)
    chance, lock = random.random(), held[now]
    if lock is None and chance < 0.06:
        lock = random.randrange(locks)
        if lock in owner:
            now = random.randrange(threads)
            continue
        owner[lock], held[now] = now, lock
        emit(now, f"acq(L{lock})", 100 + lock)
    elif lock is not None and chance < 0.25:
        emit(now, f"rel(L{lock})", 200 + lock)
        if random.randrange(100) < waits:
            emit((now + 1) % threads, f"sig(C{signals})", 10)
            emit(now, f"wake(C{signals})", 11)
            emit(now, f"acq(L{lock})", 100 + lock)
            signals += 1
        else:
            del owner[lock]
            held[now] = None
    else:
        op = "r" if random.random() < 0.7 else "w"
        emit(now, f"{op}({word_of(now, lock)})", random.randrange(300, 900))
for thread in range(threads):
    if held[thread] is not None:
        emit(thread, f"rel(L{held[thread]})", 9)
