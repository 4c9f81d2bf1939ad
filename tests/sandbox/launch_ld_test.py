#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of our own that sandbox/launch.ld names exist: an object that was renamed or moved to
another library drops out of the launch's part of the program without anybody noticing."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = {"base": "ledger/base", "record": "ledger/record", "ledger": "ledger",
           "bulk_hash": "ledger", "service_client": "ledger/service", "policy": "sandbox",
           "sandbox": "sandbox", "facts": "sandbox", "rights": "sandbox", "run": "sandbox"}


def sources_of(library):
    """The words of every CMake file that could list the library's sources."""
    found = set()
    for name in ("CMakeLists.txt", "cage.cmake"):
        path = ROOT / FOLDERS[library] / name
        if path.exists():
            found.update(re.findall(r"[\w/.]+\.cc\b", path.read_text()))
    if library == "service_client":
        found.update(re.findall(r"[\w/.]+\.cc\b", (ROOT / "ledger/CMakeLists.txt").read_text()))
    return {pathlib.PurePath(name).name for name in found}


def main():
    text = (ROOT / "sandbox/launch.ld").read_text()
    named = re.findall(r"\*libethos_(\w+)\.a:([\w.]+)\.o\(", text)
    if len(named) < 50:
        sys.exit("launch.ld names hardly any object of ours")
    gone = [f"libethos_{library}.a:{source}" for library, source in named
            if source not in sources_of(library)]
    if gone:
        sys.exit("launch.ld names what is not built: " + ", ".join(gone))
    print(f"{len(named)} objects")


main()
