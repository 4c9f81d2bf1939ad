#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mandoc, and groff where it is there, have nothing to say about the manual pages."""
import glob
import os
import shutil
import subprocess
import sys

# What other pages a machine has is not the page's fault.
ABOUT_THE_MACHINE = ("referenced manual not found", "outdated mandoc.db")


def main(folder):
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not there")
        return 0
    pages = sorted(glob.glob(os.path.join(folder, "*.[0-9]")))
    found = []
    for page in pages:
        lint = subprocess.run(["mandoc", "-Tlint", "-W", "style", page], capture_output=True, text=True, check=False)
        found += [line for line in (lint.stdout + lint.stderr).splitlines() if not any(a in line for a in ABOUT_THE_MACHINE)]
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-mdoc", page], capture_output=True, text=True, check=False)
            found += done.stderr.splitlines()
    if len(pages) < 6:
        found.append(f"only {len(pages)} pages in {folder}")
    print("\n".join(found) or f"{len(pages)} pages are clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
