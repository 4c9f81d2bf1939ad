# SPDX-License-Identifier: Apache-2.0
"""Damages a copy of the tree in each way that scripts/escape-results --check has to notice."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(sys.argv[1])
PAGE, CASES = "docs/escape-results.md", "tests/escape/cases.txt"
TESTS, MACHINE = "tests/escape/files_test.cc", "tests/vm/cases"


def replaced(old, new):
    def act(text):
        assert old in text, old
        return text.replace(old, new, 1)
    return act


def without_line(start):
    return lambda text: "".join(line for line in text.splitlines(True) if not line.startswith(start))


FAULTS = [
    ("a case without a row", PAGE, without_line("| FSR-04 ")),
    ("a row without a case", CASES, replaced("FSR-04  ", "FSR-99  ")),
    ("a result that is none", PAGE, replaced("| holds |", "| probably |")),
    ("a failure", PAGE, replaced("| holds |", "| FAILED |")),
    ("another lane", PAGE, replaced("| host |", "| VM |")),
    ("a reason that is gone", CASES, replaced("none: the runner maps nothing", "none: nothing is mapped")),
    ("a test that has no case", TESTS, lambda text: text + '\nTEST_CASE("escape: a new act", "[escape]") {}\n'),
    ("a test that is gone", TESTS, replaced("escape: a flood of denials", "escape: floods of denials")),
    ("a case of the test machines that is gone", MACHINE, replaced("cpu.max throttles", "cpu.max slows")),
    ("a case without a test", CASES, without_line("  escape_limits_test: escape: no core is dumped")),
    ("a case twice", CASES, replaced("FSR-03  ", "FSR-01  ")),
    ("a line that says nothing", CASES, replaced("FSR-04  ", "FSR-04 ")),
]


def check(tree):
    return subprocess.run([sys.executable, SOURCE / "scripts/escape-results", "--check"], check=False, text=True,
                          env={**os.environ, "ETHOS_TREE": str(tree)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    failed = 0
    for what, damaged, act in [("nothing", PAGE, lambda text: text), *FAULTS]:
        with tempfile.TemporaryDirectory() as tree:
            for path in [PAGE, *(str(p.relative_to(SOURCE)) for p in SOURCE.glob("tests/*/*_test.cc")), CASES, MACHINE,
                         "tests/vm/audit", "tests/vm/cores", "tests/vm/guest"]:
                (Path(tree) / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / path, Path(tree) / path)
            file = Path(tree) / damaged
            file.write_text(act(file.read_text()))
            done = check(tree)
        wanted = 0 if what == "nothing" else 1
        if done.returncode != wanted or (wanted and not done.stdout.startswith("escape-results: ")):
            print(f"{what}: {done.returncode}, wanted {wanted}: {done.stdout}")
            failed += 1
    print(f"{len(FAULTS)} kinds of fault, {failed} not noticed")
    return failed


sys.exit(main())
