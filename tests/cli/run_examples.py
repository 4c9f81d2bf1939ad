#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what manual pages, --help and README show, in a scratch home, and looks at the exit status.

Manual pages: each block of EXAMPLES must end with 0, or as the comment before it says. --help: 0, or 1 of a linter
with findings. README: the commands of "A session", in a copy of the sources.
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
import cli_man  # noqa: E402

PAGES = ["ethos-run.1", "ethos.json.5", "ethos-ledger.1", "ethos-sarif.1", "ethos-verify.1", "ethos-report.1"]
FILES = {
    "suppress.json": """{ "version": 1, "suppressions": [
  { "id": "FP-7", "reason": "False positive.", "approver": "security team", "expires": "never", "match": { "rule": "none-such" } } ] }
""",
    "ethos.json": '{"version":1,"tools":{"shellcheck":{"command":["shellcheck","--format=json1"],'
                  '"output_format":"shellcheck-json1"}}}',
    "scripts/a.sh": "#!/bin/sh\necho $1\n",
    "a.sh": "#!/bin/sh\necho $1\n",
    "Makefile": "all:\n\tmkdir -p build && echo made > build/made\n",
    "other.sarif": '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Other"}},"results":[{"ruleId":"R1","level":"error",'
                   '"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"scripts/a.sh"},'
                   '"region":{"startLine":2,"startColumn":0}}}]}]}]}',
    "a.c": "int main(void) { return 0; }\n",
    "src/main.c": "int main(void) { return 0; }\n",
    "gcc.log": "a.c:1:5: warning: something [-Wextra]\n",
    "report.json": '[{"filePath":"a.c","messages":[],"errorCount":0,"warningCount":0}]',
    "old.sarif": '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"ShellCheck"}},"results":[]}]}',
}


class World:
    def __init__(self, folder, directory):
        self.home = os.path.join(folder, "home")
        self.repository = os.path.join(self.home, "repository")
        self.environment = {"HOME": self.home, "PATH": f"{directory}:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
                            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        self.faults, self.count = [], 0

    def make(self):
        for name, text in FILES.items():
            self.write(name, text)
        for name in ("theirs", "main", "now", "in", "a", "b", "c", "all", "marked", "gcc", "lint"):
            self.write(name + ".sarif", FILES["other.sarif" if name in ("in", "theirs") else "old.sarif"])
        self.commit()

    def commit(self):
        for words in (["init", "-q", "-b", "main"], ["add", "-A"],
                      ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "Start"]):
            subprocess.run(["git", *words], cwd=self.repository, env=self.environment, check=True)

    def write(self, name, text):
        path = os.path.join(self.repository, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, where, text, statuses, before=""):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", before + text], cwd=self.repository, timeout=240,
                              env=self.environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        self.count += 1
        if done.returncode not in statuses:
            self.faults.append(f"{where}: status {done.returncode}, not {sorted(statuses)}:\n{text}{done.stdout[-2000:]}"
                               f"{done.stderr[-2000:]}")


def variables(text):
    """The lines of an example that later ones of the same page depend on."""
    return "".join(line + "\n" for line in text.splitlines() if re.match(r"(export )?[A-Za-z_]+=", line))


def run_pages(world, source):
    for name in PAGES:
        page, before = cli_man.Page(os.path.join(source, "docs", "man", name)), ""
        for kind, detail, text in page.examples():
            if kind == "file":
                world.write(detail, text)
            else:
                world.run(name, text, detail, before)
                before += variables(text)


def examples_of_help(command):
    """Lines with two blanks in front, below "Example:" or "Examples:"; without what is said behind them."""
    inside = False
    # A command that goes on in the next line is one example.
    for line in re.sub(r" \\\n +", " ", command.text).splitlines():
        if re.match(r"Examples?:", line):
            inside = True
        elif inside and line.startswith("  "):
            yield re.split(r"\s{2,}", line.strip())[0]
        else:
            inside = False


def may_be(text):
    """Statuses of an example that says nothing of its own: findings, a change that widens."""
    return {0, 1} if re.match(r"ethos-run .*(shellcheck|doctor|drift)|ethos-report drift|ethos-sarif (diff|suppress .*--fail-on-stale|repair --check|validate)", text) else {0}


def run_help(world, directory):
    """In the folder that the pages' examples left; the run and the place they name are put in."""
    with open(os.path.join(world.repository, "run.id"), encoding="utf-8") as f:
        run = f.read().strip()
    os.remove(os.path.join(world.home, "report.key"))
    # A report is made again from the ledger as it was; the examples before the last ones make it grow.
    world.run("--help", "cp ~/evidence/ledger.db ~/then.db; cp ~/evidence/ledger.db-wal ~/then.db-wal\n", {0})
    world.write("fleet.json", '{"format":"ethos-fleet/1","members":[{"name":"here","ledger":"ledger.db","pin":"pin.json"}]}')
    before = "set +o pipefail; export ETHOS_LEDGER=~/evidence/ledger.db; cp $ETHOS_LEDGER $ETHOS_LEDGER-wal .; rm -rf parts\n"
    seen = set()
    for name, command in cli_help.read_commands(directory).items():
        for text in examples_of_help(command):
            text = text.replace("caireeyuculbogazdinryhi6d4", run).replace("caireeyu", run[:8])
            text = re.sub(r"/(var/lib|srv)/", r"~/\1/", text)
            # What would speak to a server is tried against one of its own, in tests/sarif.
            if text not in seen and not text.startswith("ethos-sarif upload"):
                then = "ETHOS_LEDGER=~/then.db\n" if text.endswith(" signed") else ""
                world.run(f"{name} --help", text + "\n", may_be(text), before + then)
            seen.add(text)


def run_readme(world, directory, source):
    with open(os.path.join(source, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    session = readme.split("\n## A session\n", 1)[1].split("```sh\n", 1)[1].split("```", 1)[0]
    declaration = readme.split("\nA declaration:\n", 1)[1].split("```jsonc\n", 1)[1].split("```", 1)[0]
    for folder in ("scripts", "ledger", "docs"):
        shutil.copytree(os.path.join(source, folder), os.path.join(world.repository, folder))
    os.makedirs(os.path.join(world.repository, "build", "release"))
    os.symlink(directory, os.path.join(world.repository, "build", "release", "bin"))
    world.commit()
    commands = re.sub(r"\\\n\s*", "", session).splitlines()
    before = ""
    for text in commands:
        if text and not text.startswith("#"):
            world.run("README.md", text + "\n", may_be(text), before)
            before += variables(text)
    world.write("ethos.json", declaration)
    world.run("README.md", "mkdir -p .ethos/out; ethos-run plan shellcheck\n", {0})


def main(directory, source):
    missing = [p for p in ("git", "make", "shellcheck", "g++") if not shutil.which(p)]
    if missing:
        print(f"skipped: {', '.join(missing)} not there")
        return 0
    doctor = subprocess.run([os.path.join(directory, "ethos-run"), "doctor"], capture_output=True, text=True, check=False)
    if "No cage can be built" in doctor.stdout:
        print("skipped: no cage can be built here")
        return 0
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        world = World(first, directory)
        world.make()
        run_pages(world, source)
        run_help(world, directory)
        count = len(world.faults)
        world.run("(a call that is wrong)", "ethos-sarif summary nowhere.sarif\n", {0})
        if len(world.faults) != count + 1:
            world.faults.append("a call that is wrong was not noticed")
        else:
            world.faults.pop()
        clone = World(second, directory)
        run_readme(clone, directory, source)
        faults, count = world.faults + clone.faults, world.count + clone.count
    print("\n".join(faults) or f"{count} examples work")
    return 1 if faults or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
