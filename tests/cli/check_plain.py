#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No name, text of a file or message of any program brings control characters to a terminal.

    check_plain.py BIN-DIR
"""
import json
import os
import subprocess
import sys
import tempfile

# Escape, C1 as bytes and as UTF-8, a mark that turns the line, a byte that is no UTF-8.
HOSTILE = b"h\x1b[31m\xc2\x9b31m\xe2\x80\xae\x9b31m\xff"
FORBIDDEN = [b"\x1b", b"\xc2\x9b", b"\xe2\x80\xae"]
TEXT = "m\u009b31m\u202e\u200b"
# What programs say when a file is missing, malformed, or an argument is none of theirs.
CALLS = [
    ["ethos-run", "--config", HOSTILE, "--", "true"],
    ["ethos-run", "plan", "--config", HOSTILE, "--", "true"],
    ["ethos-run", "--ledger", HOSTILE, "--", "true"],
    ["ethos-run", "--read", HOSTILE, "--", "true"],
    ["ethos-run", "--limit", HOSTILE, "--", "true"],
    ["ethos-run", "--network", HOSTILE, "--", "true"],
    ["ethos-run", "drift", HOSTILE],
    ["ethos-run", HOSTILE],
    ["ethos-run", b"--" + HOSTILE],
    ["ethos-ledger", "runs", "--ledger", HOSTILE],
    ["ethos-ledger", "show", "--ledger", HOSTILE, "--from", HOSTILE],
    ["ethos-ledger", "show", "--ledger", HOSTILE, "--type", HOSTILE],
    ["ethos-ledger", "fork", HOSTILE, "--ledger", HOSTILE],
    ["ethos-ledger", "tiles", "--dir", HOSTILE, "--ledger", HOSTILE],
    ["ethos-ledger", HOSTILE],
    ["ethos-sarif", "list", HOSTILE],
    ["ethos-sarif", "trend", HOSTILE],
    ["ethos-sarif", "merge", HOSTILE, "-o", HOSTILE + b"/x"],
    ["ethos-sarif", "upload", "--commit", HOSTILE, HOSTILE],
    ["ethos-sarif", HOSTILE],
    ["ethos-report", "--ledger", HOSTILE, "--pin", HOSTILE, "--period", "2026-01-01..2026-12-31", "--out", "r"],
    ["ethos-report", "verify", HOSTILE],
    ["ethos-report", "fleet", HOSTILE, "--period", HOSTILE, "--out", HOSTILE],
    ["ethos-report", b"--" + HOSTILE],
]
SHOWS = [["list"], ["summary"], ["trend"], ["list", "--format", "csv"], ["list", "--format", "markdown"]]


def log():
    result = {"ruleId": "r" + TEXT, "message": {"text": TEXT}, "level": "error",
              "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a" + TEXT},
                                                  "region": {"startLine": 1}}}]}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t" + TEXT}}, "results": [result]}]}


def call(directory, words, home):
    environment = {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C"}
    program = os.path.join(directory, words[0])
    return subprocess.run([program, *words[1:]], capture_output=True, timeout=60, env=environment,
                          stdin=subprocess.DEVNULL, cwd=home, check=False)


def main(directory):
    directory, faults = os.path.abspath(directory), []
    with tempfile.TemporaryDirectory() as home:
        with open(os.path.join(home, "l.sarif"), "w", encoding="utf-8") as out:
            json.dump(log(), out, ensure_ascii=False)
        hostile_log = os.path.join(home.encode(), HOSTILE + b".sarif")
        os.link(os.path.join(home, "l.sarif").encode(), hostile_log)
        calls = CALLS + [["ethos-sarif", *words, name] for words in SHOWS for name in ("l.sarif", hostile_log)]
        for words in calls:
            done = call(directory, words, home)
            said = done.stdout + done.stderr
            if not said:
                faults.append(f"{words}: says nothing")
            faults += [f"{words}: {bad!r} in {said[:300]!r}" for bad in FORBIDDEN if bad in said]
            if not is_utf8(said):
                faults.append(f"{words}: no UTF-8: {said[:300]!r}")
    print("\n".join(faults) or f"{len(calls)} calls say nothing that steers a terminal")
    return 1 if faults else 0


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
