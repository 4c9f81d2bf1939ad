#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test with judges from npm: puts them into CACHE-DIR once, and says where they are.

usage: npm_judges.py [--optional] CACHE-DIR PROGRAM [ARGUMENT]...

PROGRAM finds the packages through ETHOS_NODE_MODULES; when that is set already, nothing is fetched.
Without npm, or without its registry, one line that begins with "skipped: " says so; with --optional
PROGRAM runs without them.
"""
import fcntl
import json
import os
import shutil
import subprocess
import sys

PACKAGES = {"ajv": "8.20.0", "ajv-draft-04": "1.0.0", "ajv-formats": "3.0.1", "jsonschema": "1.5.0",
            "@microsoft/sarif-multitool-linux": "5.7.0", "eslint": "9.39.5", "typescript": "5.9.3"}
SECONDS = 120


class NotHere(Exception):
    pass


def skip(reason):
    raise NotHere(reason)


def install(cache):
    """The node_modules folder; complete, or not there under that name."""
    done = os.path.join(cache, "complete.json")
    try:
        with open(done, encoding="utf-8") as file:
            if json.load(file) == PACKAGES:
                return os.path.join(cache, "node_modules")
    except (OSError, ValueError):
        pass
    npm = shutil.which("npm")
    if npm is None:
        skip("npm is not installed")
    shutil.rmtree(os.path.join(cache, "node_modules"), ignore_errors=True)
    with open(os.path.join(cache, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"private": True, "dependencies": PACKAGES}, file)
    command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-package-lock",
               "--fetch-retries=1", "--fetch-timeout=30000", "--loglevel=error"]
    try:
        run = subprocess.run(command, cwd=cache, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        skip(f"npm install took more than {SECONDS} s")
    if run.returncode != 0:
        skip("npm install: " + ((run.stderr + run.stdout).strip().splitlines() or ["no reason given"])[0])
    multitool = os.path.join(cache, "node_modules", "@microsoft", "sarif-multitool-linux", "Sarif.Multitool")
    os.chmod(multitool, 0o755)  # what its install script does, which is not run
    with open(done + ".new", "w", encoding="utf-8") as file:
        json.dump(PACKAGES, file)
    os.rename(done + ".new", done)
    return os.path.join(cache, "node_modules")


def main():
    words = sys.argv[1:]
    is_optional = words[0] == "--optional"
    cache, *command = words[is_optional:]
    cache = os.path.abspath(cache)
    if not os.environ.get("ETHOS_NODE_MODULES"):
        os.makedirs(cache, exist_ok=True)
        with open(os.path.join(cache, "lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                os.environ["ETHOS_NODE_MODULES"] = install(cache)
            except NotHere as reason:
                if not is_optional:
                    print(f"skipped: {reason}")
                    return
                print(f"without packages of npm: {reason}")
    sys.stdout.flush()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
