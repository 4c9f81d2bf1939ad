#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option of every program refuses an empty value, and every program an empty argument.

    check_empty.py BIN-DIR
"""
import os
import subprocess
import sys
import tempfile

from cli_help import PROGRAMS, read_commands

# How each program says that it was called wrongly.
USAGE = {"ethos-run": 125, "ethos-run plan": 125, "ethos-run run": 125, "ethos-run doctor": 125}


def call(directory, words, home):
    environment = {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C"}
    return subprocess.run([os.path.join(directory, words[0]), *words[1:]], capture_output=True, text=True, timeout=60,
                          env=environment, stdin=subprocess.DEVNULL, cwd=home, check=False)


def fault(done, usage):
    """What is wrong with the answer; nothing when it is the one that is wanted."""
    if done.returncode != usage:
        return f"status {done.returncode}, not {usage}: {done.stderr.strip()}"
    if "empty" not in done.stderr or done.stderr.count("\n") != 1:
        return f"says {done.stderr!r}"
    return "prints something" if done.stdout else ""


def check(directory, home):
    faults, calls = [], 0
    for name, command in read_commands(directory).items():
        usage = USAGE.get(name, 2)
        wrong = [[""]]
        for option in command.options:
            if not option.takes_value:
                continue
            wrong += [[n, ""] for n in option.names]
            wrong += [[n + "="] for n in option.names if n.startswith("--")]
        for words in wrong:
            calls += 1
            found = fault(call(directory, [*name.split(), *words], home), usage)
            if found:
                faults.append(f"{name} {' '.join(w or repr(w) for w in words)}: {found}")
    # What stands behind -- is somebody else's: `ethos-run` complains of the tool, not of its argument.
    done = call(directory, ["ethos-run", "plan", "--quiet", "--", "true", ""], home)
    if "empty" in done.stderr:
        faults.append(f"ethos-run plan -- true '': {done.stderr.strip()}")
    if os.listdir(home):
        faults.append(f"left behind: {os.listdir(home)}")
    return faults, calls


def main(directory):
    with tempfile.TemporaryDirectory() as home:
        faults, calls = check(os.path.abspath(directory), home)
    if calls < 100 * len(PROGRAMS):
        faults.append(f"only {calls} calls: the options were not read")
    print("\n".join(faults) or f"{calls} empty values are refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
