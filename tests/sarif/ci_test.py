#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/ci/lint-in-cage.sh on a small repository, with real shellcheck in the cage.

usage: ci_test.py BIN-DIRECTORY SOURCE-DIRECTORY
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

BIN, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SCRIPT = os.path.join(SOURCE, "docs/ci/lint-in-cage.sh")
DECLARATION = {"version": 1, "tools": {"shellcheck": {
    "command": ["shellcheck", "--format=json1", "a.sh", "b.sh"], "read": ["."], "network": "none", "git": "none",
    "output_format": "shellcheck-json1"}}}


def fail(what, done):
    sys.exit(f"FAILED: {what}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    for program in ("git", "shellcheck", "bash", "awk"):
        if not shutil.which(program):
            print("skipped: no " + program)
            return
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "repo")
        os.mkdir(repository)

        def write(name, text):
            with open(os.path.join(repository, name), "w", encoding="utf-8") as file:
                file.write(text)

        def lint(*arguments):
            environment = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], GITHUB_REPOSITORY="me/it")
            environment.pop("ETHOS_LEDGER", None)
            return subprocess.run(["bash", SCRIPT, *arguments, "shellcheck"], cwd=repository, env=environment,
                                  capture_output=True, text=True, check=False)

        write("ethos.json", json.dumps(DECLARATION))
        write("a.sh", "#!/bin/sh\nfor f in $(ls); do echo $f; done\n")
        write("b.sh", "#!/bin/sh\necho fine\n")
        subprocess.run("git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm x", shell=True,
                       cwd=repository, check=True)
        done = lint()
        if done.returncode == 3 and "ended with 120" in done.stderr:
            print("skipped: this host cannot build the cage: " + done.stderr.strip().splitlines()[0])
            return
        if done.returncode != 1 or "SC2045" not in done.stderr:
            fail("an error of the linter fails the job", done)
        out = os.path.join(repository, "ethos-out")
        for name in ("all.sarif", "upload/part-001.sarif", "summary.md", "evidence.ethosb", "pin.json", "verify.txt"):
            if not os.path.getsize(os.path.join(out, name)):
                fail(name + " is left", done)
        with open(os.path.join(out, "all.sarif"), encoding="utf-8") as file:
            run = json.load(file)["runs"][0]
        if not run["properties"]["sandbox"]["network_isolated"]:
            fail("the evidence is in the file", done)
        if set(run["results"][0]["partialFingerprints"]) != {"primaryLocationLineHash", "ethosLine/v1"}:
            fail("the fingerprints are", done)
        bundle = subprocess.run([os.path.join(BIN, "ethos-verify"), "--pin", os.path.join(out, "pin.json"),
                                 os.path.join(out, "evidence.ethosb")], capture_output=True, text=True, check=False)
        if bundle.returncode != 0:
            fail("the bundle holds", bundle)

        shutil.copy(os.path.join(out, "all.sarif"), os.path.join(folder, "main.sarif"))
        baseline = ("--baseline", os.path.join(folder, "main.sarif"))
        done = lint(*baseline)
        if done.returncode != 0:
            fail("what was there before does not", done)
        write("b.sh", "#!/bin/sh\necho fine\nfor f in $(ls); do echo $f; done\n")
        done = lint(*baseline)
        if done.returncode != 1:
            fail("what is new does", done)
        write("policy.json", json.dumps({"version": 1, "suppressions": [
            {"id": "A", "reason": "r", "approver": "a", "expires": "never", "match": {"rule": "SC2045", "path": "b.sh"}}]}))
        done = lint(*baseline, "--policy", "policy.json")
        if done.returncode != 0:
            fail("but not when it is suppressed", done)
        done = lint("--fail-on", "never")
        if done.returncode != 0:
            fail("nothing fails a job that is only to report", done)
        done = lint("--profile", "gitlab", "--fail-on", "never")
        if done.returncode != 0:
            fail("GitLab takes it too", done)
        for arguments in (("--fail-on", "x"), ("--profile", "x"), ("--nothing",), ("--out", ".")):
            done = lint(*arguments)
            if done.returncode != 2:
                fail("usage " + " ".join(arguments), done)
    print("docs/ci/lint-in-cage.sh works")


if __name__ == "__main__":
    main()
