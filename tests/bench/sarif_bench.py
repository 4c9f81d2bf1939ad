#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ethos-sarif on a large synthetic log, beside Python's json.load and jq in the same run.

usage: sarif_bench.py ETHOS-SARIF [RESULTS]        (default 100000 results, about 95 MB)
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


def result(i):
    path = f"src/dir{i % 50}/file{i % 5000}.c"
    line = i % 997 + 1
    snippet = {"text": "    int value = compute(a, b);\n"}
    return {
        "ruleId": f"RULE{i % 500:04d}", "ruleIndex": i % 500, "level": ("warning", "error", "note")[i % 3],
        "message": {"text": f"Finding number {i} says that \"this\" is wrong with variable v{i * 7 % 1000} here."},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": path, "index": i % 5000},
            "region": {"startLine": line, "startColumn": i % 80 + 1, "endColumn": i % 80 + 9, "snippet": snippet},
            "contextRegion": {"startLine": line, "endLine": line + 2, "snippet": {"text": snippet["text"] * 3}}}}],
        "relatedLocations": [{"id": 1, "message": {"text": "declared here"}, "physicalLocation": {
            "artifactLocation": {"uri": path, "index": i % 5000}, "region": {"startLine": i % 500 + 1}}}],
        "partialFingerprints": {"primaryLocationLineHash": f"{i * 2654435761 % 2**64:x}:1", "other/v1": f"abc{i}"},
        "properties": {"confidence": 0.5, "n": i}}


def write_log(path, count):
    rules = [{"id": f"RULE{i:04d}", "name": f"RuleName{i}", "shortDescription": {"text": f"Short {i}."},
              "fullDescription": {"text": f"Full description of rule {i}."}, "help": {"text": "Help"},
              "properties": {"tags": ["a", "b"], "security-severity": "5.0"}} for i in range(500)]
    artifacts = [{"location": {"uri": f"src/dir{i % 50}/file{i}.c", "index": i}, "length": 100 + i}
                 for i in range(5000)]
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[')
        file.write('{"tool":{"driver":{"name":"synth","version":"1.0","rules":' + json.dumps(rules) + "}},")
        file.write('"columnKind":"utf16CodeUnits","artifacts":' + json.dumps(artifacts) + ',"results":[')
        for i in range(count):
            file.write(("," if i else "") + json.dumps(result(i)))
        file.write("]}]}")


def timed(name, command):
    best = None
    for _ in range(2):
        start = time.monotonic()
        # The object must live until wait4: when it goes, it reaps its process itself.
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        row = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)
        best = row if best is None or row < best else best
    print(f"{name:24} {best[0]:7.3f} s wall {best[1]:7.3f} s cpu {best[2]:6d} MB", flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log.sarif")
        out = os.path.join(scratch, "out.sarif")
        write_log(log, count)
        print(f"{os.path.getsize(log) / 1e6:.1f} MB, {count} results, page cache warm")
        timed("start-up", [program, "formats"])
        timed("rewrite", [program, "convert", "--from", "sarif", "--compact", "--quiet", log, "-o", out])
        timed("merge of two", [program, "merge", "--compact", log, log, "-o", out])
        timed("baseline on itself", [program, "baseline", "--compact", "--baseline", log, log, "-o", out])
        timed("filter one rule", [program, "filter", "--rule", "RULE0001", log, "-o", out])
        timed("summary", [program, "summary", log])
        timed("digest", [program, "digest", log])
        timed("validate", [program, "validate", "--quiet", log])
        timed("peer: python json.load", [sys.executable, "-c", f"import json;json.load(open({log!r}))"])
        if shutil.which("jq"):
            timed("peer: jq length", ["jq", ".runs[0].results|length", log])


if __name__ == "__main__":
    main()
