# SPDX-License-Identifier: Apache-2.0
"""The analyzer audited from outside: random STD traces go through the command, and its account is compared, candidate by
candidate and both ways, with every state that the trace's events can reach.   audit.py HEDDLE TRACES SEED"""
import random
import subprocess
import sys


def random_trace(rng):
    """Threads fork and join each other, nest locks, read and write; some end, some just stop."""
    threads, length = rng.choice([2, 3, 3, 4]), rng.randint(12, 24)
    cells, locks = rng.choice([1, 2, 3]), rng.choice([1, 2, 3])
    events, alive, ended, joined, holder = [], [0], [], set(), {}
    held = {t: [] for t in range(threads)}
    made = 1
    while len(events) < length and alive:
        t, draw = rng.choice(alive), rng.random()
        if draw < 0.12 and made < threads:
            events.append((t, "fork", made))
            alive.append(made)
            made += 1
        elif draw < 0.32:
            lock = rng.randrange(locks)
            if lock not in holder:
                holder[lock] = t
                held[t].append(lock)
                events.append((t, "acq", lock))
        elif draw < 0.5 and held[t]:
            lock = held[t].pop()
            del holder[lock]
            events.append((t, "rel", lock))
        elif draw < 0.55 and t and not held[t]:
            alive.remove(t)
            ended.append(t)
        elif draw < 0.62:
            candidates = [u for u in ended if u not in joined]
            if candidates:
                joined.add(candidates[0])
                events.append((t, "join", candidates[0]))
        else:
            events.append((t, rng.choice("rrrww"), rng.randrange(cells)))
    return events


def text_of(events):
    letter = {"r": "V", "w": "V", "acq": "L", "rel": "L", "fork": "T", "join": "T"}
    return "".join(f"T{t}|{op}({letter[op]}{x})|{i + 1}\n" for i, (t, op, x) in enumerate(events))


class States:
    """All that is reachable while reads keep their writers; the next events and the contents in each."""

    def __init__(self, events):
        self.events = events
        self.threads = sorted({e[0] for e in events} | {e[2] for e in events if e[1] == "fork"})
        self.own = {t: [i for i, e in enumerate(events) if e[0] == t] for t in self.threads}
        self.fork = {e[2]: i for i, e in enumerate(events) if e[1] == "fork"}
        self.writer, last = {}, {}
        for i, (_, op, x) in enumerate(events):
            if op == "w":
                last[x] = i
            elif op == "r":
                self.writer[i] = last.get(x)

    def done(self, position, i):
        t = self.events[i][0]
        return self.own[t].index(i) < position[self.threads.index(t)]

    def holders(self, position):
        found = {}
        for k, t in enumerate(self.threads):
            mine = set()
            for i in self.own[t][:position[k]]:
                op, x = self.events[i][1:]
                if op == "acq":
                    mine.add(x)
                elif op == "rel":
                    mine.discard(x)
            found.update((x, t) for x in mine)
        return found

    def next_events(self, position):
        for k, t in enumerate(self.threads):
            begun = position[k] or t not in self.fork or self.done(position, self.fork[t])
            if begun and position[k] < len(self.own[t]):
                yield t, self.own[t][position[k]]

    def may_go(self, i, position, contents, held):
        _, op, x = self.events[i]
        if op == "acq":
            return x not in held
        if op == "r":
            return contents.get(x) == self.writer[i]
        if op == "join":
            return position[self.threads.index(x)] == len(self.own[x])
        return True

    def __iter__(self):
        first = ((0,) * len(self.threads), ())
        seen, todo = {first}, [first]
        while todo:
            position, pairs = todo.pop()
            contents, held, coming = dict(pairs), self.holders(position), dict(self.next_events(position))
            yield contents, held, coming, position
            for t, i in coming.items():
                if not self.may_go(i, position, contents, held):
                    continue
                k = self.threads.index(t)
                after = dict(contents)
                if self.events[i][1] == "w":
                    after[self.events[i][2]] = i
                state = (position[:k] + (position[k] + 1,) + position[k + 1:], tuple(sorted(after.items())))
                if state not in seen:
                    seen.add(state)
                    todo.append(state)


def blocked(states, i, held, position):
    """The thread that this request waits for."""
    t, op, x = states.events[i]
    if op == "acq" and held.get(x, t) != t:
        return held[x]
    if op == "join" and position[states.threads.index(x)] < len(states.own[x]):
        return x
    return None


def reachable(states):
    triplets, races, cycles = set(), set(), set()
    events = states.events
    for contents, held, coming, position in states:
        for t, i in coming.items():
            _, op, x = events[i]
            if op == "r" and contents.get(x) not in (None, states.writer[i]) and events[contents[x]][0] != t:
                triplets.add((i, contents[x]))
            for u, j in coming.items():
                if t < u and {op, events[j][1]} in ({"r", "w"}, {"w"}) and events[j][2] == x:
                    races.add((min(i, j), max(i, j)))
        for t in coming:
            ring, at = [], t
            while at in coming and coming[at] not in ring:
                ring.append(coming[at])
                at = blocked(states, coming[at], held, position)
            if at == t and len(ring) > 1:
                cycles.add(frozenset(ring))
    return triplets, races, cycles


def listed(states):
    events = states.events
    at = {op: [i for i, e in enumerate(events) if e[1] == op] for op in "rw"}
    triplets = {(r, c) for r in at["r"] for c in at["w"] if events[r][2] == events[c][2] and
                events[r][0] != events[c][0] and c != states.writer[r]}
    races = {(i, j) for i in at["r"] + at["w"] for j in at["r"] + at["w"] if i < j and events[i][0] != events[j][0] and
             events[i][2] == events[j][2] and "w" in (events[i][1], events[j][1])}
    return triplets, races


def account_of(heddle, states):
    with open("audit.std", "w") as f:
        f.write(text_of(states.events))
    run = subprocess.run([heddle, "analyze", "-o", "audit.out", "--account", "audit.account", "audit.std"], text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert run.returncode in (0, 1), run.stderr
    triplets, races, cycles = {}, {}, {}
    for line in open("audit.account"):
        kind, *columns, verdict, _ = line.rstrip("\n").split("\t")
        a, b, c = (int(x) if x else None for x in columns)
        if kind in ("nondet", "atomicity"):
            assert (a, c) not in triplets and b == states.writer[a], line
            triplets[a, c] = verdict
        elif kind == "race":
            races[min(a, b), max(a, b)] = verdict
        elif kind == "deadlock":
            ring = frozenset(x for x in (a, b, c) if x is not None)
            if cycles.get(ring) != "witness":
                cycles[ring] = verdict
    return triplets, races, cycles


def witnesses(account):
    return {key for key, verdict in account.items() if verdict == "witness"}


def compare(heddle, events):
    states = States(events)
    triplets, races, cycles = account_of(heddle, states)
    feasible = reachable(states)
    wrong = []
    for name, mine, theirs in (("triplets listed", listed(states)[0], set(triplets)), ("races listed", listed(states)[1], set(races)),
                               ("triplets", feasible[0], witnesses(triplets)), ("races", feasible[1], witnesses(races)),
                               ("open", set(), {k for a in (triplets, races, cycles) for k, v in a.items() if v == "open"}),
                               # Rings of four are shown by three of their events.
                               ("deadlocks", {c for c in feasible[2] if len(c) < 4}, {c for c in witnesses(cycles) if c in feasible[2] or len(c) < 3})):
        if mine != theirs:
            wrong.append(f"{name}: {sorted(map(sorted, mine ^ theirs))}")
    return len(triplets) + len(races) + len(cycles), [len(f) for f in feasible], wrong


def main():
    heddle, traces, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng, candidates, found, failed = random.Random(seed), 0, [0, 0, 0], 0
    for n in range(traces):
        events = random_trace(rng)
        if not events:
            continue
        count, feasible, wrong = compare(heddle, events)
        candidates += count
        found = [a + b for a, b in zip(found, feasible)]
        if wrong:
            failed += 1
            print(f"trace {n} of seed {seed}: {'; '.join(wrong)}\n{text_of(events)}")
    print(f"{traces - failed} passed, {failed} failed: {candidates} candidates, {found[0]} triplets, {found[1]} races, {found[2]} deadlocks")
    return failed > 0


sys.exit(main())
