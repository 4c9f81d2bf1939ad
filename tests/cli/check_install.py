#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake --install into a DESTDIR: everything is in its place, and works from there."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cli_help  # noqa: E402

EXPECTED = (
    [f"bin/{p}" for p in cli_help.PROGRAMS]
    + [f"share/man/man1/{p}.1" for p in cli_help.PROGRAMS] + ["share/man/man5/ethos.json.5"]
    + [f"share/bash-completion/completions/{p}" for p in cli_help.PROGRAMS] + ["share/zsh/site-functions/_ethos"]
    + [f"share/doc/ethos/{n}" for n in ("README.md", "CHANGELOG.md", "LICENSE", "docs/architecture.md", "docs/threat-model.md",
                                        "docs/formats/declaration.md", "docs/formats/declaration.schema.json")]
    + ["share/ethos/catalog.json", "share/ethos/controls.json"])
# Nothing of the tests, of the build or of the sources belongs there.
FOREIGN = re.compile(r"test|CMake|\.(cc|h|in|a|o|table|awk)$|generate_filters|docs/man")


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, **options)


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, files in os.walk(folder) for f in files)


def check(prefix, destination):
    outside = [f for f in files_below(destination) if not f.startswith("opt/ethos/")]
    yield from (f"{f} lies outside of the prefix" for f in outside)
    there = files_below(prefix)
    yield from (f"{f} is not installed" for f in EXPECTED if f not in there)
    yield from (f"{f} is installed" for f in there if FOREIGN.search(f))
    for program in cli_help.PROGRAMS:
        done = run([os.path.join(prefix, "bin", program), "--version"], env={})
        if done.returncode != 0 or not done.stdout.startswith(program + " "):
            yield f"{program} --version: {done.returncode} {done.stdout}{done.stderr}"
        # As bash-completion does it: the file of the command's name, wherever it is.
        text = (f". {prefix}/share/bash-completion/completions/{program} && complete -p {program} && "
                f"COMP_WORDS=({program} --hel) COMP_CWORD=1 COMP_LINE='{program} --hel' COMP_POINT={len(program) + 6} && "
                f"_ethos {program} && [ \"${{COMPREPLY[*]}}\" = --help ]")
        done = run(["bash", "--norc", "-c", text])
        if done.returncode != 0:
            yield f"completion of {program}: {done.stdout}{done.stderr}"
    with open(os.path.join(prefix, "share/doc/ethos/README.md"), encoding="utf-8") as f:
        for link in re.findall(r"\]\(([^)#:]+)\)", f.read()):
            if not os.path.exists(os.path.join(prefix, "share/doc/ethos", link)):
                yield f"README.md: the link to {link} leads nowhere"
    if shutil.which("man"):
        done = run(["man", "-w", "ethos-run"], env={"MANPATH": os.path.join(prefix, "share/man"), "PATH": os.environ["PATH"]})
        if done.returncode != 0:
            yield f"man does not find ethos-run: {done.stderr}"


def main(build, cmake):
    missing = [p for p in cli_help.PROGRAMS if not os.path.exists(os.path.join(build, "bin", p))]
    if missing:
        print(f"skipped: {', '.join(missing)} not built")
        return 0
    with tempfile.TemporaryDirectory() as destination:
        done = run([cmake, "--install", build, "--prefix", "/opt/ethos"], env={**os.environ, "DESTDIR": destination})
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        faults = list(check(os.path.join(destination, "opt", "ethos"), destination))
        count = len(files_below(destination))
    print("\n".join(faults) or f"{count} files installed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
