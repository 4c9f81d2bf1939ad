#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures ethos-sarif validate and repair on a log that is made for it.

    tests/bench/sarif_validate.py build/release/bin/ethos-sarif [--results 100000] [--keep FILE]

The log is valid: one run, 500 rules, 5,000 artifacts, results with a related location, a snippet and
a fingerprint; 100,000 results are about 100 MB. Prints one line of JSON a measurement: wall and user
seconds (best of three) and the largest resident set in MiB, which is never below that of Python
itself (some 18 MiB): the kernel counts what a process had before it started the program.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

RULES = 500
ARTIFACTS = 5000


def rule(i):
    return {
        "id": "RULE%04d" % i,
        "name": "RuleName%d" % i,
        "shortDescription": {"text": "Short text of rule %d." % i},
        "fullDescription": {"text": "Full text of the rule, " * 8},
        "help": {"text": "What to do about it. " * 20},
        "helpUri": "https://example.com/rules/%d" % i,
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["security", "cwe-%d" % i], "precision": "high",
                       "security-severity": "7.5"},
    }


def artifact(i):
    return {"location": {"uri": "src/dir%d/file%d.c" % (i % 50, i), "uriBaseId": "ROOT"},
            "length": 1000 + i, "hashes": {"sha-256": "%064x" % i}}


def result(i, rng):
    place = rng.randrange(ARTIFACTS)
    which = rng.randrange(RULES)
    line = rng.randrange(2, 2000)
    location = {"uri": "src/dir%d/file%d.c" % (place % 50, place), "uriBaseId": "ROOT",
                "index": place}
    return {
        "ruleId": "RULE%04d" % which,
        "ruleIndex": which,
        "level": "warning",
        "message": {"text": "The variable 'x%d' is used here before it was ever given a value, "
                            "which may well be meant; see [its declaration](1)." % i},
        "locations": [{"physicalLocation": {
            "artifactLocation": location,
            "region": {"startLine": line, "startColumn": 5, "endLine": line, "endColumn": 20,
                       "snippet": {"text": "    int x%d = compute(x%d, y, z) + other;" % (i, i)}},
            "contextRegion": {"startLine": line - 1, "endLine": line + 1}}}],
        "relatedLocations": [{"id": 1, "message": {"text": "declared here"}, "physicalLocation": {
            "artifactLocation": location, "region": {"startLine": line + 1}}}],
        "partialFingerprints": {"primaryLocationLineHash": "%016x:1" % rng.getrandbits(64)},
        "properties": {"confidence": 0.5, "tags": ["correctness", "initialisation"]},
    }


def write_log(path, results):
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",'
                  '"runs":[{"tool":{"driver":{"name":"Bench","version":"1.0",'
                  '"informationUri":"https://example.com","rules":')
        json.dump([rule(i) for i in range(RULES)], out)
        out.write('}},"columnKind":"utf16CodeUnits",'
                  '"originalUriBaseIds":{"ROOT":{"uri":"file:///src/"}},"artifacts":')
        json.dump([artifact(i) for i in range(ARTIFACTS)], out)
        out.write(',"results":[')
        for i in range(results):
            out.write((",\n" if i else "\n") + json.dumps(result(i, rng)))
        out.write("]}]}\n")


def measure(command, expected):
    best = None
    peak = 0
    for _ in range(3):
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        message = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        code = os.waitstatus_to_exitcode(status)
        if code not in expected:
            sys.exit("%s: exit status %d: %s" % (" ".join(command), code, message.decode()))
        peak = max(peak, usage.ru_maxrss / 1024)
        if best is None or wall < best[0]:
            best = (wall, usage.ru_utime)
    return {"wall_s": round(best[0], 2), "user_s": round(best[1], 2), "peak_mib": round(peak, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--results", type=int, default=100000)
    parser.add_argument("--keep", help="where to put the log, instead of a temporary file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.keep or os.path.join(folder, "bench.sarif")
        if not os.path.exists(path):
            write_log(path, arguments.results)
        size = os.path.getsize(path)
        print(json.dumps({"file_mb": round(size / 1e6, 1), "results": arguments.results}))
        out = os.path.join(folder, "out.sarif")
        for name, command, expected in [
                ("validate spec", ["validate", "--quiet", path], {0}),
                ("validate github", ["validate", "--quiet", "--profile", "github", path], {0, 1}),
                ("repair", ["repair", "--quiet", "--compact", path, "-o", out], {0})]:
            numbers = measure([arguments.program] + command, expected)
            print(json.dumps({"what": name, **numbers,
                              "mb_per_s": round(size / 1e6 / numbers["wall_s"], 1)}), flush=True)


if __name__ == "__main__":
    main()
