# SPDX-License-Identifier: Apache-2.0
"""gdb commands for a replayed witness: witness list | goto N | next | where.

The library calls empty functions at the points that matter; breakpoints on them
are all that is needed. Which thread runs is decided inside the test, so no
breakpoint and no stepping changes the schedule.
"""
import os
import gdb

folder = os.environ.get("HEDDLE_GDB_FOLDER", "")
title, steps = "witness", []
state = {"done": 0, "target": None, "ended": "", "anchored": False}


def read_steps():
    global title
    try:
        with open(os.path.join(folder, "steps"), encoding="utf-8") as f:
            title = f.readline().rstrip("\n")
            for line in f:
                steps.append(line.rstrip("\n").split("\t"))
    except OSError:
        pass


def leave_ending(text):
    state["ended"] = text
    if folder:
        with open(os.path.join(folder, "ending"), "w", encoding="utf-8") as f:
            f.write(text + "\n")


def is_ours(frame):
    name = gdb.solib_name(frame.pc())
    return name is not None and os.path.basename(name).startswith(("libheddle.so", "libffi.so"))


def select_user_frame():
    frame = gdb.newest_frame()
    while frame is not None and (is_ours(frame) or not frame.find_sal().symtab):
        frame = frame.older()
    if frame is not None:
        frame.select()
    return frame


class Silent(gdb.Breakpoint):
    """A breakpoint on one of the library's anchors."""

    def __init__(self, function):
        super().__init__(function, internal=True)
        self.silent = True


class StepDone(Silent):
    def stop(self):
        state["done"] = int(gdb.parse_and_eval("(unsigned)$rdi"))
        return state["target"] is not None and state["done"] >= state["target"]


class Always(Silent):
    def __init__(self, function, words):
        super().__init__(function)
        self.words = words

    def stop(self):
        print("heddle: " + self.words)
        state["target"] = None
        return True


class HideOurs:
    """Leaves the library's own frames out of backtraces."""

    name, priority, enabled = "heddle", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not is_ours(f.inferior_frame()))


def print_where():
    for number, thread, words in steps:
        if int(number) == state["done"]:
            print("step %s of %d done: %s %s" % (number, len(steps), thread, words))
    frame = select_user_frame()
    if frame is not None:
        sal = frame.find_sal()
        print("in %s at %s:%d" % (frame.name(), sal.symtab.filename if sal.symtab else "?", sal.line))


def print_threads():
    """Who runs, who waits for what; needs the library's symbols."""
    try:
        run = gdb.parse_and_eval("hd_run")
        paths = {}
        for i in range(int(run["threads"])):
            thread = run["thread"][i].dereference()
            parent = int(thread["parent"])
            paths[int(run["thread"][i])] = "0"
            if parent:
                number = sum(1 for j in range(i + 1) if int(run["thread"][j].dereference()["parent"]) == parent)
                paths[int(run["thread"][i])] = "%s.%d" % (paths[parent], number)
            state = str(thread["state"]).replace("HD_", "").lower()
            words = state
            if state == "parked":
                kind = gdb.parse_and_eval("(enum hd_kind)%d" % int(thread["waiting"]["kind"]))
                words = "waits to make %s" % str(kind).replace("HD_", "").lower()
            print("  %s  %s" % (paths[int(run["thread"][i])], words))
    except (gdb.error, KeyError):
        print("  (libheddle has no symbols here: 'info threads' shows the threads)")


def refuse_locking():
    """A thread that waits for the baton cannot go on alone."""
    if gdb.parameter("scheduler-locking") in ("on", "step"):
        gdb.execute("set scheduler-locking off")
        print("heddle: scheduler-locking set off; the schedule is kept without it")


class Unlock(gdb.Command):
    """Before each command that lets the test run: no thread is kept from running."""

    def __init__(self):
        super().__init__("heddle-unlock", gdb.COMMAND_OBSCURE)
        for command in ("run", "continue", "step", "next", "stepi", "nexti", "finish", "until", "advance", "jump"):
            gdb.execute("define hook-%s\nheddle-unlock\nend" % command, to_string=True)

    def invoke(self, argument, from_tty):
        refuse_locking()


def run_to(target):
    refuse_locking()
    if target > len(steps):
        raise gdb.GdbError("there are %d steps" % len(steps))
    if target <= state["done"] and gdb.selected_inferior().pid:
        raise gdb.GdbError("step %d is done already; 'run' starts again" % target)
    state["target"] = target
    gdb.execute("continue" if gdb.selected_inferior().pid else "run")
    state["target"] = None
    if gdb.selected_inferior().pid:
        print_where()


class Witness(gdb.Command):
    """The schedule of a heddle witness: witness list | goto N | next | where."""

    def __init__(self):
        super().__init__("witness", gdb.COMMAND_RUNNING, prefix=True)


class WitnessList(gdb.Command):
    """List the steps of the witness; > marks the last one done."""

    def __init__(self):
        super().__init__("witness list", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(title)
        for number, thread, words in steps:
            mark = ">" if int(number) == state["done"] else " "
            print("%s %s  %s %s" % (mark, number, thread, words))


class WitnessGoto(gdb.Command):
    """Run until step N is done: witness goto N."""

    def __init__(self):
        super().__init__("witness goto", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if not argument.strip().isdigit():
            raise gdb.GdbError("witness goto wants a step number")
        run_to(int(argument))


class WitnessNext(gdb.Command):
    """Run until the next step is done."""

    def __init__(self):
        super().__init__("witness next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        run_to(state["done"] + 1)


class WitnessWhere(gdb.Command):
    """Which step is done, and where the test stands."""

    def __init__(self):
        super().__init__("witness where", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if not gdb.selected_inferior().pid:
            print("not started; 'run' or 'witness next' starts the test")
            return
        print_where()
        print_threads()


class WitnessSave(gdb.Command):
    """Run to the end or the failure and write all backtraces: witness save FILE."""

    def __init__(self):
        super().__init__("witness save", gdb.COMMAND_RUNNING, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("witness save wants a file name")
        refuse_locking()
        gdb.execute("continue" if gdb.selected_inferior().pid else "run")
        text = "%s\n" % title
        if gdb.selected_inferior().pid:
            text += gdb.execute("thread apply all backtrace", to_string=True)
        with open(argument.strip(), "w", encoding="utf-8") as f:
            f.write(text)


def on_stop(event):
    if isinstance(event, gdb.SignalEvent):
        try:
            number = int(gdb.parse_and_eval("$_siginfo.si_signo"))
        except gdb.error:
            number = 0
        if event.stop_signal not in ("SIGINT", "SIGTRAP", "SIGSTOP"):
            leave_ending("signal %d" % number)


def on_exit(event):
    state["done"] = 0
    if hasattr(event, "exit_code"):
        leave_ending("exit %d" % event.exit_code)


def on_library(event):
    """Anchors exist once the library is there; they stay for later runs."""
    if not state["anchored"] and os.path.basename(event.new_objfile.filename or "").startswith("libheddle.so"):
        state["anchored"] = True
        StepDone("heddle_step")
        Always("heddle_deadlock", "deadlock: the cycle is closed")
        Always("heddle_diverged", "the program left the schedule")
        Always("heddle_failure", "an assertion fails here")


def is_linked_with(library):
    try:
        with open(gdb.current_progspace().filename, "rb") as program:
            return library.encode() in program.read()
    except (OSError, TypeError):
        return False


def follow_criterion():
    """The test is in a process that Criterion starts, stops and continues."""
    if is_linked_with("libcriterion.so"):
        gdb.execute("set follow-fork-mode child", to_string=True)
        gdb.execute("handle SIGSTOP SIGCONT nostop noprint pass", to_string=True)


def main():
    read_steps()
    for setting in ("breakpoint pending on", "startup-with-shell off", "print thread-events off",
                    "debuginfod enabled off", "confirm off"):
        try:
            gdb.execute("set " + setting, to_string=True)
        except gdb.error:
            pass
    for variable in ("LINES", "COLUMNS", "HEDDLE_GDB_FOLDER"):
        gdb.execute("unset environment " + variable, to_string=True)
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT stop print", to_string=True)
    follow_criterion()
    for command in (Unlock, Witness, WitnessList, WitnessGoto, WitnessNext, WitnessWhere, WitnessSave):
        command()
    HideOurs()
    gdb.events.new_objfile.connect(on_library)
    gdb.events.stop.connect(on_stop)
    gdb.events.exited.connect(on_exit)
    print("heddle: %s, %d steps; witness list | goto N | next | where | save FILE; run goes to the end" % (title, len(steps)))


main()
