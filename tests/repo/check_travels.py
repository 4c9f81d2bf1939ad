#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ethos-verify as it is handed out: stripped, below 8 MiB, needing no shared library, and it starts in an empty root.

  check_travels.py PROGRAM
"""
import os
import shutil
import subprocess
import sys
import tempfile

LIMIT = 8 * 1024 * 1024


def faults(program, folder):
    stripped = os.path.join(folder, "ethos-verify")
    subprocess.run(["strip", "-o", stripped, program], check=True)
    size = os.path.getsize(stripped)
    print(f"stripped: {size} bytes")
    if size >= LIMIT:
        yield f"{size} bytes, the limit is {LIMIT}"
    dynamic = subprocess.run(["readelf", "-d", "-l", stripped], capture_output=True, text=True, check=True).stdout
    for line in dynamic.splitlines():
        if "(NEEDED)" in line or "interpreter" in line:
            yield "it needs something: " + line.strip()
    done = subprocess.run([stripped, "--explain", "prev_mismatch"], capture_output=True, text=True, check=False, env={})
    if done.returncode != 0 or "integrity" not in done.stdout:
        yield f"it does not work without an environment: {done.returncode} {done.stderr}"
    # With nothing but itself, where the host allows a root of one's own.
    if shutil.which("bwrap"):
        empty = ["bwrap", "--unshare-all", "--ro-bind", stripped, "/ethos-verify", "--", "/ethos-verify", "--codes"]
        probe = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--", "true"], capture_output=True, check=False)
        done = subprocess.run(empty, capture_output=True, text=True, check=False, env={})
        if probe.returncode == 0 and (done.returncode != 0 or "tiles_missing" not in done.stdout):
            yield f"it does not work in an empty root: {done.returncode} {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(sys.argv[1], folder))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
