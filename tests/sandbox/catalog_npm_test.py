#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The catalog's tools that npm has, run for real under their shipped declarations.

catalog_npm_test.py ETHOS_RUN SOURCE-DIR CACHE-DIR: installs fixed versions into CACHE-DIR once.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ["eslint@8.57.0", "prettier@3.3.3", "typescript@5.5.4", "jscpd@4.0.5", "markdownlint-cli@0.41.0"]
HIDDEN = "const token = 'not to be seen'\n"

FILES = {
    "a.js": "var unused = 1;\nif (1 == 2) { debugger }\n",
    "b.ts": "const n: number = 'text';\nexport default n;\n",
    "a.md": "#Title\n",
    "one.js": "".join(f"function step{i}(a, b) {{ return a * {i} + b * {i + 1} - {i + 2}; }}\n" for i in range(40)),
    ".eslintrc.json": json.dumps({"root": True, "rules": {"no-unused-vars": 2, "no-debugger": 2}}),
    "package.json": json.dumps({"name": "t", "version": "1.0.0", "scripts": {"test": "node test.js"}}),
    "test.js": "require('fs').readFileSync('a.js'); console.log('all passed');\n",
    ".env": HIDDEN,
}
FILES["two.js"] = FILES["one.js"]

# tool, its words, its exit status, what stands in its output, how many acts are denied (npm itself asks
# for the machine's network interfaces)
TRIES = [
    ("eslint", ["a.js"], 1, "no-debugger", "0"),
    ("prettier", ["a.js"], 1, "a.js", "0"),
    ("tsc", ["b.ts"], 2, "TS2322", "0"),
    ("jscpd", ["one.js", "two.js"], 0, "Clone found", "0"),
    ("markdownlint", ["a.md"], 1, "MD018", "0"),
    ("npm-test", [], 0, "all passed", "2"),
]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def install(cache):
    """True when the packages are in `cache`: a mark says which."""
    mark = os.path.join(cache, "installed")
    wanted = " ".join(PACKAGES)
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == wanted:
                return True
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache)
    try:
        done = subprocess.run(
            ["npm", "install", "--prefix", cache, "--no-audit", "--no-fund", "--no-update-notifier",
             "--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=20000", *PACKAGES],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150, check=False)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode != 0:
        print(done.stdout.decode(errors="replace")[-500:])
        return False
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wanted)
    return True


def catalog(source):
    with open(os.path.join(source, "sandbox/catalog/catalog.json"), encoding="utf-8") as file:
        text = re.sub(r"^\s*//.*$", "", file.read(), flags=re.M)
    return json.loads(text)


def main():
    ethos_run, source, cache = (os.path.abspath(a) for a in sys.argv[1:4])
    declared = catalog(source)["tools"]
    if not shutil.which("npm") or not shutil.which("node"):
        skip("npm is not installed")
    work = tempfile.mkdtemp(prefix="ethos-npm.")
    failed = []
    try:
        env = dict(os.environ, HOME=work, XDG_STATE_HOME=os.path.join(work, "state"))
        env.pop("ETHOS_LEDGER", None)
        tree = os.path.join(work, "tree")
        os.mkdir(tree)
        if subprocess.run([ethos_run, "--quiet", "--", "true"], cwd=tree, env=env, check=False,
                          stdin=subprocess.DEVNULL).returncode != 0:
            skip("no cage can be built here, see ethos-run doctor")
        if not install(cache):
            skip("the npm registry does not answer")
        for name, content in FILES.items():
            with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                file.write(content)
        shutil.copytree(os.path.join(cache, "node_modules"), os.path.join(tree, "node_modules"), symlinks=True)
        # What docs/operations.md says for tools that are installed in the project itself.
        tools = {}
        for tool, *_ in TRIES:
            tools[tool] = dict(declared[tool])
            tools[tool].setdefault("exec", ["node_modules"])
            tools[tool]["env"] = [f"PATH={tree}/node_modules/.bin:/usr/bin:/bin"]
        with open(os.path.join(tree, "ethos.json"), "w", encoding="utf-8") as file:
            json.dump({"version": 1, "tools": tools}, file)
        for tool, words, status, mark, denied in TRIES:
            state = os.path.join(work, "status.json")
            done = subprocess.run([ethos_run, "--status-json", state, tool, "--", *words], cwd=tree, env=env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            out = done.stdout.decode(errors="replace")
            with open(state, encoding="utf-8") as file:
                ended = json.load(file)
            good = (done.returncode == status and mark in out and int(ended["denied_acts"]) <= int(denied)
                    and "not to be seen" not in out)
            print(f"{tool}: {'ok' if good else 'FAILED'} (exit {done.returncode}, {ended['denied_acts']} denied)")
            if not good:
                failed.append(tool)
                print(out[-2000:])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
