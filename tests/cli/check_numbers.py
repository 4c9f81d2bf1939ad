#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option that takes a number refuses what is none, and what a parser of C would make another one of.

    check_numbers.py BIN-DIR
"""
import os
import subprocess
import sys
import tempfile

from cli_help import read_commands

# What --help calls a number.
KINDS = {"INT", "UINT", "FLOAT", "N", "RECORD"}
WRONG = ["-1", "-590", "+5", "010", "0x5", "1e2", "5 ", " 5", "5x", "1.5.2", "nan", "inf", "18446744073709551616",
         "18446744073709551615", "9007199254740992", "99999999999999999999999999", "\u0665"]
# What the command needs besides, where that is asked for first.
BESIDE = {"ethos-run learn": ["--", "true"]}


def answer(directory, words, home):
    environment = {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C"}
    return subprocess.run([os.path.join(directory, words[0]), *words[1:]], capture_output=True, text=True, timeout=60,
                          env=environment, stdin=subprocess.DEVNULL, cwd=home, check=False)


def main(directory):
    directory = os.path.abspath(directory)
    faults, calls, options = [], 0, 0
    with tempfile.TemporaryDirectory() as home:
        for name, command in read_commands(directory).items():
            for option in command.options:
                if not KINDS & set(option.value.replace(":", " ").split()):
                    continue
                options += 1
                for wrong in WRONG:
                    if wrong == "1e2" and "FLOAT" not in option.value:
                        wrong = "1.5"
                    calls += 1
                    words = [*name.split(), f"{option.name}={wrong}", *BESIDE.get(name, [])]
                    done = answer(directory, words, home)
                    if done.returncode != 2 or " is no " not in done.stderr or option.name not in done.stderr:
                        faults.append(f"{' '.join(words)}: {done.returncode}, {done.stderr.strip()!r}")
        if os.listdir(home):
            faults.append(f"left behind: {os.listdir(home)}")
    if options < 30:
        faults.append(f"only {options} options were found")
    print("\n".join(faults) or f"{calls} wrong numbers of {options} options are refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
