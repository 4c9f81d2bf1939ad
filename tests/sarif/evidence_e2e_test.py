#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real run in the cage, its SARIF file through every operation, and ethos-verify on what comes out.

usage: evidence_e2e_test.py BIN-DIRECTORY
"""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[1])
# Stands in for a linter: tries what it may not, then finds something, and more when a file is there.
LINTER = """#!/bin/sh
exec 1>&2
echo x >readme.txt
cat .git/config
n=0
for f in a.c b.c c.c; do
  n=$((n + 1))
  printf '%s:%d:1: warning: variable v%d is unused [-Wunused-variable]\\n' $f $n $n
  printf '%s:%d:3: error: no such thing as t%d [-Wthing]\\n' $f $((n + 4)) $n
done
[ -e extra.c ] && echo 'extra.c:2:1: warning: another one [-Wextra]'
exit 1
"""
DECLARATION = {"version": 1, "tools": {"lint": {"command": ["sh", "lint.sh"], "read": ["."], "network": "none", "git": "none",
                                                "output_format": "clang-text"}}}


def call(program, *arguments, codes=(0,), **more):
    done = subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True, check=False, **more)
    if done.returncode not in codes:
        sys.exit(f"FAILED: {program} {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def sarif(*arguments):
    return call("ethos-sarif", *arguments)


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return [run["properties"]["sandbox"] for run in json.load(file)["runs"]]


class Story:
    def __init__(self, folder):
        self.folder = folder
        self.workspace = os.path.join(folder, "ws")
        os.mkdir(self.workspace)
        self.write("ws/lint.sh", LINTER)
        self.write("ws/ethos.json", json.dumps(DECLARATION))
        for name in ("a.c", "b.c", "c.c", "readme.txt"):
            self.write("ws/" + name, "int x;\n" * 12)
        subprocess.run(["git", "init", "-q", self.workspace], check=True)
        self.write("pin.json", call("ethos-ledger", "init", "--ledger", self.path("l.db"), "--origin", "test.example").stdout)
        self.run("first.sarif")
        self.write("ws/extra.c", "int y;\n" * 3)
        self.run("second.sarif")
        self.original = blocks(self.path("first.sarif"))[0]

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, name):
        done = call("ethos-run", "--ledger", self.path("l.db"), "--sarif", self.path(name), "--workspace", self.workspace, "lint",
                    codes=(1, 120), cwd=self.workspace)
        if done.returncode == 120:
            print("skipped: this host cannot build the cage: " + done.stderr.strip())
            sys.exit(0)

    def verify(self, what, *names, wanted=("pass", "partial")):
        files = [self.path(name) for name in names]
        done = call("ethos-verify", "--pin", self.path("pin.json"), "--json", *[word for file in files for word in ("--sarif", file)],
                    self.path("l.db"), codes=(0, 1, 4))
        answers = json.loads(done.stdout)["sarif"]
        for answer in answers:
            if answer["result"] not in wanted:
                sys.exit(f"FAILED: {what}: {answer}")
        return answers


def main():
    if not shutil.which("git"):
        print("skipped: no git")
        return
    with tempfile.TemporaryDirectory() as folder:
        story = Story(folder)
        first, second = story.path("first.sarif"), story.path("second.sarif")
        story.verify("as written", "first.sarif", "second.sarif", wanted=("pass",))
        denials = sum(1 for run in json.load(open(first, encoding="utf-8"))["runs"] for one in run["results"]
                      if one["ruleId"] == "runtime.sandbox_denial")
        if denials == 0:
            sys.exit("FAILED: the cage has refused nothing; the test would show nothing")

        def out(name):
            return story.path(name)

        story.write("policy.json", json.dumps({"version": 1, "suppressions": [
            {"id": "A", "reason": "r", "approver": "a", "expires": "never", "match": {"rule": "-W*"}}]}))
        sarif("merge", "--quiet", first, second, "-o", out("merged.sarif"))
        sarif("merge", "--quiet", "--fold", "tool", first, second, "-o", out("folded.sarif"))
        sarif("filter", "--quiet", "--level", "error", first, "-o", out("filtered.sarif"))
        sarif("fingerprint", "--quiet", "--root", story.workspace, first, "-o", out("printed.sarif"))
        sarif("repair", "--quiet", first, "-o", out("repaired.sarif"))
        sarif("repair", "--quiet", "--root", story.workspace, "--regions", "--old-root", "/code", first, "-o", out("placed.sarif"))
        sarif("fingerprint", "--quiet", "--replace", "--key", "ethos", "--root", story.workspace, out("placed.sarif"), "-o", out("reprinted.sarif"))
        sarif("suppress", "--quiet", "--policy", out("policy.json"), first, "-o", out("suppressed.sarif"))
        sarif("filter", "--quiet", "--suppressed", "drop", out("suppressed.sarif"), "-o", out("dropped.sarif"))
        sarif("convert", "--quiet", "--from", "sarif", first, "-o", out("copied.sarif"))
        sarif("baseline", "--quiet", "--baseline", first, second, "-o", out("newer.sarif"))
        sarif("baseline", "--quiet", "--without-absent", "--baseline", second, first, "-o", out("older.sarif"))
        sarif("split", "--quiet", "--service", "none", "--max-results", "5", first, "-o", out("parts"))
        sarif("split", "--quiet", "--service", "none", "--max-results", "5", "--max-runs", "1", "--max-rules", "2", first, "-o", out("small"))
        sarif("merge", "--quiet", "--fold", "tool", *sorted(glob.glob(out("small/*"))), "-o", out("whole.sarif"))

        with open(first, "rb") as file:
            size = len(gzip.compress(file.read()))
        sarif("split", "--quiet", "--max-gzip", str(size - 150), first, "-o", out("squeezed"))
        if len(glob.glob(out("squeezed/*"))) < 2:
            sys.exit("FAILED: the limit of the gzip made no parts")
        whole = ["merged.sarif", "printed.sarif", "repaired.sarif", "placed.sarif", "reprinted.sarif", "suppressed.sarif", "copied.sarif", "newer.sarif", "older.sarif",
                 "folded.sarif", "whole.sarif"]
        for name in whole:
            answer = story.verify(name, name, wanted=("pass",))[0]
            if answer["missing"] or answer["foreign"]:
                sys.exit(f"FAILED: {name} is whole: {answer}")
        for name in ["filtered.sarif", "dropped.sarif"]:
            answer = story.verify(name, name)[0]
            # Of six findings three are warnings, and the policy suppresses all of them.
            dropped = {"filtered.sarif": 3, "dropped.sarif": 6}[name]
            if answer["missing"] != dropped or answer["foreign"]:
                sys.exit(f"FAILED: {name}: what is dropped is said: {answer}")
        parts = sorted(glob.glob(out("parts/*")) + glob.glob(out("small/*")) + glob.glob(out("squeezed/*")))
        for path in parts:
            story.verify(path, os.path.relpath(path, folder))
        # Every block is what it was, byte for byte in meaning.
        for path in [out(name) for name in whole + ["filtered.sarif", "dropped.sarif"]] + parts:
            for block in blocks(path):
                if block["ledger"]["run"] == story.original["ledger"]["run"] and block != story.original:
                    sys.exit(f"FAILED: the block in {path} has changed")
        # And what is forged is refused.
        sarif("filter", "--quiet", "--not-rule", "runtime.sandbox_denial", first, "-o", out("hidden.sarif"))
        story.verify("a denial left out", "hidden.sarif", wanted=("fail",))
    print(f"{len(whole) + 2 + len(parts)} files accepted, 1 refused")


if __name__ == "__main__":
    main()
