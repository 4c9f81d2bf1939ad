#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what ethos-sarif writes by the official schema and by GitHub's rules for uploads.

usage: schema_test.py ETHOS-SARIF DATA-DIR SHARED-DIR

Inputs: the small ones of the repository, the real ones of SHARED-DIR, and what the linters that are
installed here say about the small source tree.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LINTERS = [
    ("shellcheck-json1", "stdout", ["shellcheck", "-f", "json1", "src/tabs.sh"]),
    ("shellcheck-json", "stdout", ["shellcheck", "-f", "json", "src/tabs.sh"]),
    ("gcc-text", "stdout", ["shellcheck", "-f", "gcc", "src/tabs.sh"]),
    ("gcc-text", "stderr", ["gcc", "-Wall", "-Wextra", "-fsyntax-only", "src/wide.c"]),
    ("clang-text", "stderr", ["clang-14", "-Wall", "-Wextra", "-fsyntax-only", "src/wide.c"]),
    ("clang-tidy-text", "stdout", ["clang-tidy-14", "--checks=*", "src/wide.c", "--"]),
    ("cppcheck-xml", "stderr", ["cppcheck", "--enable=all", "--xml", "src"]),
    ("pylint-json", "stdout", ["pylint", "-f", "json", "src/app.py"]),
    ("pylint-json2", "stdout", ["pylint", "-f", "json2", "src/app.py"]),
    ("bandit-json", "stdout", ["bandit", "-q", "-f", "json", "-r", "src"]),
    ("flake8-text", "stdout", ["flake8", "src"]),
]


def github_faults(log):
    """What code scanning refuses or cannot show."""
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        ids = [rule["id"] for rule in driver["rules"]]
        if len(ids) != len(set(ids)):
            yield "one rule id on two descriptors"
        for rule in driver["rules"]:
            for key in ("shortDescription", "fullDescription", "help"):
                if not rule.get(key, {}).get("text"):
                    yield f"rule {rule['id']}: no {key}"
            if len(rule.get("properties", {}).get("tags", [])) > 10:
                yield f"rule {rule['id']}: too many tags"
            severity = rule.get("properties", {}).get("security-severity")
            if severity is not None and not (isinstance(severity, str) and 0 < float(severity) <= 10):
                yield f"rule {rule['id']}: security-severity {severity!r}"
        for number, result in enumerate(run["results"]):
            if ids[result["ruleIndex"]] != result["ruleId"]:
                yield f"result {number}: ruleIndex of another rule"
            if not result["message"]["text"]:
                yield f"result {number}: no message"
            place = result["locations"][0]["physicalLocation"]
            uri = place["artifactLocation"]["uri"]
            if not re.fullmatch(r"(file:///)?([A-Za-z0-9._~!$&'()*+,;=@/:-]|%[0-9A-F]{2})+", uri):
                yield f"result {number}: uri {uri}"
            if place["region"]["startLine"] < 1:
                yield f"result {number}: startLine"
            for value in place["region"].values():
                if value < 1:
                    yield f"result {number}: region {place['region']}"


def main():
    program, data, shared = sys.argv[1:4]
    try:
        import jsonschema
    except ImportError:
        print("skipped: python3-jsonschema is not installed")
        return 0
    schema_file = os.path.join(shared, "sarif", "sarif-schema-2.1.0.json")
    if not os.path.exists(schema_file):
        print("skipped: shared data not present")
        return 0
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    schema["id"] = ""  # every reference in it is local
    judge = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    tree = os.path.join(data, "tree")
    evidence = [None] + [os.path.join(data, "evidence", f"good_{name}.json")
                         for name in ("clean", "denials", "refused")]
    faults = []

    def check(name, arguments, text=None):
        for one in evidence:
            command = [program, "convert", "--root", tree, "--category", "test", *arguments]
            command += ["--evidence", one] if one else []
            done = subprocess.run(command + ["-o", "-"], input=text, capture_output=True, check=False)
            if done.returncode != 0:
                faults.append(f"{name}: exit {done.returncode}: {done.stderr.decode()}")
                return
            log = json.loads(done.stdout)
            faults.extend(f"{name}: {'/'.join(map(str, e.path))}: {e.message[:200]}"
                          for e in judge.iter_errors(log))
            faults.extend(f"{name}: {fault}" for fault in github_faults(log))
            if one and "sandbox" not in log["runs"][0]["properties"]:
                faults.append(f"{name}: no sandbox block")

    inputs = 0
    convert_dir = os.path.join(data, "convert")
    lint_dir = os.path.join(shared, "sarif", "lint-inputs")
    known = re.compile(r"(bandit|checkstyle|clang-19\.(txt|plist)|clang-tidy-19\.txt|cppcheck|eslint-9\.json"
                       r"|flake8|gcc|node-test|pylint-3\.json|shellcheck-0\.10|yamllint)")
    for folder, wanted in ((convert_dir, re.compile("")), (lint_dir, known)):
        for name in sorted(os.listdir(folder)):
            if wanted.match(name):
                inputs += 1
                form = ["--from", "go-vet-text"] if name == "govet.txt" else []
                check(name, [*form, os.path.join(folder, name)])
    for form, stream, command in LINTERS:
        if shutil.which(command[0]) is None:
            print(f"not here: {command[0]}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            work = shutil.copytree(tree, os.path.join(scratch, "tree"))
            done = subprocess.run(command, cwd=work, capture_output=True, check=False)
        text = getattr(done, stream)
        if command[0] == "pylint" and not text:
            print("not here: pylint", command[2])  # json2 came with version 3
            continue
        inputs += 1
        check(" ".join(command), ["--from", form, "-"], text)
    print(f"{inputs} inputs, each with and without evidence; {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or inputs < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
