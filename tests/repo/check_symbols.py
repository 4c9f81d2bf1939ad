#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ethos-verify must stand alone: no symbol of the product's namespaces but ethos::verify."""
import re
import subprocess
import sys


def main():
    listing = subprocess.run(["nm", "-C", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    own = [line for line in listing.splitlines() if re.search(r"\bethos::verify::", line)]
    foreign = [line for line in listing.splitlines() if re.search(r"\bethos::(?!verify\b)", line)]
    # A stripped program, or another one, would pass without having been looked at.
    if len(own) < 50:
        print(f"only {len(own)} symbols of ethos::verify: is this ethos-verify, and not stripped?")
        return 1
    print("\n".join(foreign) or f"{len(own)} symbols, all of ethos::verify")
    return 1 if foreign else 0


if __name__ == "__main__":
    sys.exit(main())
