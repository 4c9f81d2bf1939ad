#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The independent reader agrees with a real ledger, its bundle and its tiles, and notices changes.

  independent_reader_test.py BIN-DIR
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FAILURES = []


def check(what, holds, more=""):
    print(("ok      " if holds else "FAILED  ") + what + ("" if holds else ": " + str(more)))
    if not holds:
        FAILURES.append(what)


def read(*arguments):
    return subprocess.run([sys.executable, os.path.join(HERE, "independent_reader.py"), *arguments], capture_output=True,
                          text=True, check=False)


def main(bin_dir):
    directory = tempfile.mkdtemp()
    path = f"{directory}/l.db"

    def call(name, *arguments):
        done = subprocess.run([os.path.join(bin_dir, "ethos-ledger"), name, "--ledger", path, "-q", *arguments],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            check("ethos-ledger " + name, False, done.stderr)
        return done.stdout

    order = ("--reason", "r \u00e9\u2028\"\\", "--authority", "a")
    call("init", "--origin", "ci.example.com", "-o", f"{directory}/pin")
    workspace = f"{directory}/workspace"
    os.makedirs(workspace)
    for i in range(3):
        subprocess.run([os.path.join(bin_dir, "ethos-run"), "--ledger", path, "--workspace", workspace, "--quiet", "--read",
                        ".", "--", "sh", "-c", f"exit {i}"], capture_output=True, check=False)
    for i in range(130):
        call("hold", "--name", f"h{i}", "--all", *order)
        call("release", "--name", f"h{i}", *order)
        if i % 50 == 20:
            call("rotate")
    bundle, tiles = f"{directory}/b.ethosb", f"{directory}/www"
    call("bundle", "-o", bundle)
    call("tiles", "--dir", tiles)
    for what in ([], [bundle], [tiles]):
        done = read(path, *what)
        check("agrees: " + done.stdout.strip(), done.returncode == 0, done.stderr)
    # What was changed is noticed: each in a copy.
    changes = ["UPDATE leaf SET bytes=CAST(replace(CAST(bytes AS TEXT),'seq','sEq') AS BLOB) WHERE seq=1",
               "UPDATE leaf SET bytes=x'' WHERE seq=40", "DELETE FROM leaf WHERE seq=30", "UPDATE tail SET epoch_seq=0",
               "UPDATE checkpoint SET note=(SELECT note FROM checkpoint WHERE size=1) WHERE size="
               "(SELECT min(size) FROM checkpoint WHERE size>1)",
               "DELETE FROM checkpoint WHERE size=(SELECT max(size) FROM checkpoint)"]
    for statement in changes:
        copy = f"{directory}/copy.db"
        for suffix in ("", "-wal"):
            if os.path.exists(path + suffix):
                shutil.copy(path + suffix, copy + suffix)
        database = sqlite3.connect(copy)
        database.execute(statement)
        database.commit()
        database.close()
        done = read(copy)
        check("notices: " + statement[:40], done.returncode == 1 and "FAULT" in done.stderr, done.stdout + done.stderr)
    shutil.rmtree(directory)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("skipped: openssl is not installed")
        sys.exit(0)
    sys.exit(main(sys.argv[1]))
