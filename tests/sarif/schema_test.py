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
# The same for the second tree, by languages; node and npm's modules where they are.
MORE = [
    ("yamllint-text", "stdout", ["yamllint", "-f", "parsable", "playbook.yml"]),
    ("github-annotations", "stdout", ["yamllint", "-f", "github", "playbook.yml"]),
    ("ansible-lint-text", "stdout", ["ansible-lint", "--offline", "-p", "playbook.yml"]),
    ("code-climate-json", "stdout", ["ansible-lint", "--offline", "-f", "codeclimate", "playbook.yml"]),
    ("mypy-text", "stdout", ["mypy", "--show-column-numbers", "typed.py"]),
    ("rubocop-json", "stdout", ["rubocop", "-f", "json", "bad.rb"]),
    ("junit-xml", "stdout", ["rubocop", "-f", "junit", "bad.rb"]),
    ("go-vet-text", "stderr", ["go", "vet", "./..."]),
    ("clippy-json", "stdout", ["cargo", "clippy", "--offline", "--message-format=json", "--manifest-path", "clippy/Cargo.toml"]),
    ("tap", "stdout", ["node", "--test", "--test-reporter=tap", "sum.test.js"]),
    ("junit-xml", "stdout", ["node", "--test", "--test-reporter=junit", "sum.test.js"]),
    ("clang-tidy-yaml", "stdout", ["sh", "-c", "clang-tidy-14 --checks=* --export-fixes=out.yaml c/zero.c -- >out.txt; cat out.yaml"]),
    ("clang-plist", "stdout", ["clang-14", "--analyze", "--analyzer-output", "plist", "-o", "/dev/stdout", "c/zero.c"]),
    ("eslint-json", "stdout", ["{npm}/.bin/eslint", "-f", "json", "loose.js"]),
    ("eslint-stylish", "stdout", ["{npm}/.bin/eslint", "loose.js"]),
    ("msbuild-text", "stdout", ["{npm}/.bin/tsc", "--noEmit", "--pretty", "false", "loose.ts"]),
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

    def convert(form, text, root):
        done = subprocess.run([program, "convert", "--from", form, "--root", root, "-", "-o", "-"], input=text, capture_output=True, check=False)
        if done.returncode != 0:
            faults.append(f"--from {form}: {done.stderr.decode()}")
            return b'{"runs":[{"results":[]}]}'
        return done.stdout

    def check(name, arguments, text=None, tree=tree):
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
    npm = os.environ.get("ETHOS_NODE_MODULES", "/no/modules")
    for folder, linters in ((tree, LINTERS), (os.path.join(data, "lint"), MORE)):
        for form, stream, words in linters:
            command = [word.replace("{npm}", npm) for word in words]
            if shutil.which(command[0]) is None:
                print(f"not here: {os.path.basename(command[0])}")
                continue
            with tempfile.TemporaryDirectory() as scratch:
                work = shutil.copytree(folder, os.path.join(scratch, "tree"))
                done = subprocess.run(command, cwd=work, capture_output=True, check=False)
            text = getattr(done, stream)
            if not text:
                print("not here:", *words[:3])  # pylint's json2 came with version 3; cargo may have no clippy
                continue
            inputs += 1
            check(" ".join(words), ["--from", form, "-"], text, folder)
            if convert(form, text, folder) != convert("auto", text, folder):
                faults.append(f"{' '.join(words)}: not recognised as {form}")
            if json.loads(convert(form, text, folder))["runs"][0]["results"] == []:
                faults.append(f"{' '.join(words)}: no results")
    print(f"{inputs} inputs, each with and without evidence; {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or inputs < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
