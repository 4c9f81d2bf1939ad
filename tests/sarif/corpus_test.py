#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of the corpus through every operation: nothing is lost, nothing crashes.

usage: corpus_test.py ETHOS-SARIF SHARED-DIR
"""
import glob
import os
import sys
import tempfile

from corpus_operations import Operations


def main():
    program, shared = os.path.abspath(sys.argv[1]), sys.argv[2]
    files = sorted(glob.glob(os.path.join(shared, "sarif", "corpus", "*.sarif")))
    if not files:
        print("skipped: shared data not present")
        return 0
    faults, calls, outputs = [], 0, 0
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            one = Operations(program, folder, os.path.dirname(path))
            outputs += len(one.all(path))
            calls += one.calls
            faults += one.faults
    print(f"{len(files)} files, {calls} calls, {outputs} logs written, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or len(files) < 58 or outputs < 58 * 12 else 0


if __name__ == "__main__":
    sys.exit(main())
