#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ethos-sarif on a large synthetic log, beside other programs in the same run.

usage: sarif_bench.py ETHOS-SARIF [RESULTS] [--peers] [--slow-peers]   (default 100000 results, about 95 MB)

Prints wall time, processor time and the largest resident set; the better of two. The fingerprints
are of a tree of 5,000 files of 200 lines, with one result in each.

Peers: Python's json.load, jq and Node's JSON.parse where they are installed. --peers adds ajv and
Microsoft's Multitool from npm, in the folder that ETHOS_NODE_MODULES names; tests/sarif/npm_judges.py
puts them there:

    tests/sarif/npm_judges.py CACHE-DIR tests/bench/sarif_bench.py build/release/bin/ethos-sarif --peers

--slow-peers adds the calls of the Multitool that take minutes: merge, baseline, and validate of a
tenth of the log.
"""
import argparse
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
        "message": {"text": f"Finding number {i} says that \"this\" is wrong with variable v{i * 7 % 1000} here, "
                            "which was meant to be given a value before it is used, as far as one can tell from the file."},
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


def write_tree(folder, files):
    """A log with one result in each of `files` source files."""
    results = []
    for i in range(files):
        path = os.path.join(folder, f"dir{i % 50}", f"file{i}.c")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"    value_{n} = compute({n % 7}, other_{i});\n" for n in range(200))
        results.append({"ruleId": "R", "message": {"text": "x"}, "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": os.path.relpath(path, folder)}, "region": {"startLine": i % 200 + 1}}}]})
    log = os.path.join(folder, "tree.sarif")
    with open(log, "w", encoding="utf-8") as file:
        json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]}, file)
    return log


def timed(name, command, times=2):
    best = None
    for _ in range(times):
        start = time.monotonic()
        # The object must live until wait4: when it goes, it reaps its process itself.
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        row = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        best = row if best is None or row < best else best
    state = "" if process.returncode == 0 else f"   exit {process.returncode}"
    print(f"{name:34} {best[0]:8.3f} s wall {best[1]:8.3f} s cpu {best[2]:8.1f} MiB{state}", flush=True)


def ours(program, scratch, log):
    out = os.path.join(scratch, "out.sarif")
    tree = os.path.join(scratch, "tree")
    timed("start-up", [program, "--version"], 10)
    timed("validate", [program, "validate", "--quiet", log])
    timed("validate --profile github", [program, "validate", "--quiet", "--profile", "github", log])
    timed("rewrite", [program, "convert", "--from", "sarif", "--compact", "--quiet", log, "-o", out])
    timed("repair", [program, "repair", "--compact", "--quiet", log, "-o", out])
    timed("merge of two", [program, "merge", "--compact", "--quiet", log, log, "-o", out])
    timed("merge of two, folded", [program, "merge", "--fold", "tool", "--compact", "--quiet", log, log, "-o", out])
    timed("baseline on itself", [program, "baseline", "--compact", "--quiet", "--baseline", log, log, "-o", out])
    timed("split", [program, "split", "--quiet", "--replace", log, "-o", os.path.join(scratch, "parts")])
    timed("filter one rule", [program, "filter", "--quiet", "--rule", "RULE0001", log, "-o", out])
    timed("summary", [program, "summary", log])
    timed("digest", [program, "digest", log])
    small = write_tree(tree, 5000)
    for key in ("github", "both"):
        timed(f"fingerprint of 5000 files, {key}",
              [program, "fingerprint", "--quiet", "--key", key, "--root", tree, small, "-o", out])


AJV = """
const fs = require("fs"), path = require("path"), m = process.env.ETHOS_NODE_MODULES;
const Ajv = require(path.join(m, "ajv-draft-04"));
const ajv = new Ajv({strict: false, allErrors: true});
require(path.join(m, "ajv-formats"))(ajv);
const check = ajv.compile(JSON.parse(fs.readFileSync(process.argv[1])));
process.exit(check(JSON.parse(fs.readFileSync(process.argv[2]))) ? 0 : 1);
"""


def peers(scratch, log, has_npm, has_slow):
    timed("peer: Python json.load", [sys.executable, "-c", f"import json;json.load(open({log!r}))"])
    if shutil.which("jq"):
        timed("peer: jq length", ["jq", ".runs[0].results|length", log])
    if shutil.which("node"):
        timed("peer: Node JSON.parse", ["node", "-e", f"JSON.parse(require('fs').readFileSync({log!r}))"])
    if not has_npm:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    shared = os.environ.get("ETHOS_SHARED", os.path.join(here, "..", "..", "..", "shared"))
    schema = os.path.join(shared, "sarif", "sarif-schema-2.1.0.json")
    if os.path.exists(schema):
        timed("peer: ajv, whole schema", ["node", "-e", AJV, schema, log])
    multitool = os.path.join(os.environ["ETHOS_NODE_MODULES"], "@microsoft", "sarif-multitool-linux", "Sarif.Multitool")
    out = os.path.join(scratch, "peer.sarif")
    timed("peer: Multitool --version", [multitool, "--version"])
    timed("peer: Multitool rewrite", [multitool, "rewrite", log, "-o", out, "--log", "ForceOverwrite;Minify"], 1)
    if not has_slow:
        return
    timed("peer: Multitool merge of two", [multitool, "merge", log, log, "--output-directory", scratch, "--output-file", "peer-merged.sarif",
                                           "--log", "ForceOverwrite;Minify"], 1)
    timed("peer: Multitool baseline", [multitool, "match-results-forward", log, "-r", log, "-o", out, "--log", "ForceOverwrite"], 1)
    tenth = os.path.join(scratch, "tenth.sarif")
    write_log(tenth, 10000)
    timed("peer: Multitool validate, a tenth", [multitool, "validate", tenth, "-o", out, "--log", "ForceOverwrite",
                                                "--max-file-size-in-kb", "2000000"], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("results", type=int, nargs="?", default=100000)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--slow-peers", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log.sarif")
        write_log(log, arguments.results)
        print(f"{os.path.getsize(log) / 1e6:.1f} MB, {arguments.results} results, page cache warm")
        ours(os.path.abspath(arguments.program), scratch, log)
        peers(scratch, log, arguments.peers or arguments.slow_peers, arguments.slow_peers)


if __name__ == "__main__":
    main()
