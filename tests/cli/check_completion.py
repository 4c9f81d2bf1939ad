#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types the lines of completion_cases.txt into a real shell, and looks what TAB makes of them.

Also: completion starts no program of ours, writes nothing, and takes less than 50 ms of processor time.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cli_help  # noqa: E402
from shells import Shell  # noqa: E402

DECLARATION = """{ "version": 1, /* "tools": { "not-a-tool": { */
  "tools": { // "not-a-tool": {
    "lint-it": {"command": ["a \\" \\\\", "}"], "env": ["X={"]},
    "build-it"
      : {"command": ["make"], "limits": {"wall": "1s"}}, "sh": {"command": ["sh"]},
    "$(touch started)": {"command": ["x"]}, "a b": {} } }
"""


def make_world(folder):
    repository = os.path.join(folder, "repository")
    for name in (".git", "sub", "my folder", "../home", "../bin"):
        os.makedirs(os.path.join(repository, name))
    for name, text in {
            "ethos.json": DECLARATION, "other.json": '{"version":1,"tools":{"far":{"command":["x"]}}}',
            "my file.json": '{"tools":{"spaced":{}}}', "sub/ethos.json": '{"tools":{"near":{}}}', "broken.json": '{"tools":{"x',
            "a.sarif": "", "x:y.json": "", "a@b.json": "", "notes.txt": "", "ledger.db": "", "run.ethosb": ""}.items():
        with open(os.path.join(repository, name), "w", encoding="utf-8") as f:
            f.write(text)
    os.mkfifo(os.path.join(repository, "fifo"))
    # Programs of our names that tell when they are started.
    for program in cli_help.PROGRAMS + ["git", "shellcheck"]:
        path = os.path.join(folder, "bin", program)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\necho {program} >> {folder}/started\n")
        os.chmod(path, 0o755)
    return repository


def read_cases(path, shell):
    cases = {}
    with open(path, encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            text = text.rstrip("\n")
            if not text or text.startswith("#"):
                continue
            only_zsh = text.startswith("zsh: ")
            line, _, expected = text.removeprefix("zsh: ").partition(" => ")
            if only_zsh and line not in cases and shell == "zsh":
                raise SystemExit(f"{path}:{number}: goes after the line for both")
            if not only_zsh or shell == "zsh":
                cases[line] = (number, expected)
    return cases


def judge_words(words, offered):
    wanted = {w for w in words if not w.startswith("!") and w != "..."}
    faults = [f"{w} is not offered" for w in sorted(wanted - set(offered))]
    faults += [f"{w[1:]} is offered" for w in words if w.startswith("!") and w[1:] in offered]
    if "..." not in words:
        faults += [f"{w} is offered too" for w in sorted(set(offered) - wanted)]
    if len(offered) != len(set(offered)):
        faults.append("a word is offered twice")
    return faults


def run_cases(shell, name, cases):
    for line, (number, expected) in cases.items():
        at = f"completion_cases.txt:{number}: {line!r}"
        if expected.startswith("{"):
            if name == "bash":
                yield from (f"{at}: {f}" for f in judge_words(expected[1:-1].split(), shell.offered(line)))
            continue
        after = shell.tab(line)
        if after != re.sub("_$", " ", expected):
            yield f"{at}: became {after!r}, not {re.sub('_$', ' ', expected)!r}"


def completion_ms(folder, repository, environment):
    """Processor time of one completion of the costliest kind, the table read and a declaration looked through."""
    text = (f". {folder}/ethos-run; COMP_WORDS=(ethos-run li) COMP_CWORD=1 COMP_LINE='ethos-run li' COMP_POINT=12; "
            "for i in {1..20}; do _ethos ethos-run; done; [ \"${COMPREPLY[*]}\" = lint-it ] || exit 9; times")
    done = subprocess.run(["bash", "--norc", "-c", text], cwd=repository, env=environment, capture_output=True, text=True,
                          check=True)
    return sum(int(m) * 60000 + float(s) * 1000 for m, s in re.findall(r"(\d+)m([\d.]+)s", done.stdout)) / 20


def tree(folder):
    return {os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders + files}


def main(name, folder, source):
    if not shutil.which(name):
        print(f"skipped: {name} is not there")
        return 0
    folder = os.path.abspath(folder)
    with tempfile.TemporaryDirectory() as world:
        repository = make_world(world)
        before = tree(world)
        environment = {"PATH": f"{world}/bin:{os.environ['PATH']}", "HOME": f"{world}/home", "LC_ALL": "C.UTF-8"}
        shell = Shell(name, folder, repository, environment)
        cases = read_cases(os.path.join(source, "tests", "cli", "completion_cases.txt"), name)
        faults = list(run_cases(shell, name, cases))
        shell.close()
        faults += [f"completion made {path}" for path in sorted(tree(world) - before)]
        told = ""
        if name == "bash":
            cost = completion_ms(folder, repository, environment)
            told = f", {cost:.0f} ms each"
            if shutil.which("shellcheck"):
                done = subprocess.run(["shellcheck", f"{folder}/ethos-run"], capture_output=True, text=True, check=False)
                faults += done.stdout.splitlines()
            if cost >= 50:
                faults.append(f"a completion takes {cost:.0f} ms of processor time: 50 is the most")
    print("\n".join(faults) or f"{len(cases)} lines are completed in {name} as they should{told}")
    return 1 if faults or len(cases) < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
