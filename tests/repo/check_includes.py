#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include "..." of the repository and compares it with the folder table.

Also checks that each C++ file begins with the licence line and that each header has #pragma once.
"""
import os
import re
import sys

# Longest folder first: a file belongs to the first one that fits.
MAY_INCLUDE = [
    ("ledger/base/", ["ledger/base/"]),
    ("ledger/record/", ["ledger/base/", "ledger/record/"]),
    ("ledger/", ["ledger/"]),
    ("sandbox/", ["sandbox/", "ledger/"]),
    ("sarif/", ["sarif/", "ledger/"]),
    ("reports/", ["reports/", "ledger/", "sarif/"]),
    ("verify/", ["verify/"]),
    ("tests/", ["tests/", "ledger/", "sandbox/", "sarif/", "reports/", "verify/"]),
]
# Made by the build, in a folder of its own.
MADE = {"ledger/base/build_version.cc": "all_source.h", "verify/build_version.cc": "verify_source.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"', re.M)
SOURCE = (".cc", ".h", ".c", ".hpp", ".cpp", ".inc")


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def faults_of(path, text, exists):
    """Yields one line for each rule that the file breaks."""
    if not text.startswith("// SPDX-License-Identifier: Apache-2.0"):
        yield f"{path}: the first line is not the licence"
    if path.endswith(".h") and "#pragma once" not in text:
        yield f"{path}: a header without #pragma once"
    allowed = next((a for folder, a in MAY_INCLUDE if path.startswith(folder)), None)
    if allowed is None:
        yield f"{path}: C++ outside the known folders"
        return
    for name in INCLUDE.findall(text):
        if MADE.get(path) == name:
            continue
        if not any(name.startswith(folder) for folder in allowed):
            yield f"{path}: may not include {name}"
        elif not exists(name):
            yield f"{path}: includes {name}, which is not there (paths begin at the repository root)"


def check(root, generated):
    """`generated`: where the build puts headers that it makes, under their folder's name."""
    faults, seen = [], 0

    def exists(name):
        made_by_build = re.escape(os.path.basename(name))
        return os.path.exists(os.path.join(root, name)) or os.path.exists(os.path.join(generated, name)) or \
            bool(re.search(made_by_build, read(os.path.join(root, os.path.dirname(name), "CMakeLists.txt"))))

    for folder, dirs, files in os.walk(root):
        dirs[:] = [d for d in dirs if not d.startswith(".") and d not in ("build", "out")]
        for file in files:
            if not file.endswith(SOURCE):
                continue
            path = os.path.relpath(os.path.join(folder, file), root)
            text = read(os.path.join(root, path))
            if path.startswith("tests/data/"):
                continue  # input for tests, not code of ours
            seen += 1
            faults += faults_of(path, text, exists)
    if seen < 20:
        faults.append(f"only {seen} C++ files were found: is this the repository?")
    return faults, seen


def self_test():
    head = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
    bad = [
        ("verify/a.h", head + '#include "ledger/record/digest.h"\n'),
        ("ledger/base/a.h", head + '#include "ledger/store.h"\n'),
        ("ledger/record/a.h", head + '#include "ledger/store.h"\n'),
        ("ledger/a.h", head + '#include "verify/tree.h"\n'),
        ("sandbox/a.h", head + ' # include "sarif/model.h"\n'),
        ("reports/a.h", head + '#include "verify/audit.h"\n'),
        ("verify/a.h", head + '#include "tree.h"\n'),
        ("other/a.cc", head),
        ("verify/a.h", "#pragma once\n"),
        ("verify/a.h", "// SPDX-License-Identifier: Apache-2.0\n"),
    ]
    good = [
        ("verify/a.h", head + '#include "verify/tree.h"\n#include <ledger.h>\n'),
        ("reports/a.cc", head + '#include "sarif/model.h"\n#include "ledger/store.h"\n'),
        ("tests/verify/a.cc", head + '#include "verify/tree.h"\n'),
    ]
    failed = [p for p, t in bad if not list(faults_of(p, t, lambda n: True))]
    failed += [p for p, t in good if list(faults_of(p, t, lambda n: True))]
    if not list(faults_of("verify/a.h", head + '#include "verify/tree.h"\n', lambda n: False)):
        failed.append("missing file")
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        failed = self_test()
        print("\n".join(f"self test: {f}" for f in failed) or "self test: all faults noticed")
        return 1 if failed else 0
    faults, seen = check(sys.argv[1], sys.argv[2])
    print("\n".join(faults) or f"{seen} files follow the table")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
