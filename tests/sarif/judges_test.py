#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds ethos-sarif against programs of other makers, run by npm_judges.py.

usage: judges_test.py ETHOS-SARIF DATA-DIR SHARED-DIR

- ajv with the official schema: the same verdict on every log of the corpus and on everything that
  the operations make of them; and what was valid stays valid.
- jsonschema with the copy of GitHub's upload action: what `validate --profile github` has no error
  for, the action takes.
- Microsoft's Multitool: what its rules find, ours find in the same log; nothing that convert writes
  has an error by them; the line hashes are the same. Its reports are read, not its exit status.
"""
import base64
import glob
import json
import os
import subprocess
import sys
import tempfile

from corpus_operations import Operations

# The rules of the Multitool, and ours of which one must have been found in the same log.
RULES = {
    "JSON1001": {"ETH1101"}, "JSON1002": {"ETH1102"}, "JSON1005": {"ETH1103"}, "JSON1008": {"ETH1104"},
    "JSON1017": {"ETH1113"}, "JSON1019": {"ETH1105"}, "JSON1020": {"ETH1106"}, "SARIF1001": {"ETH1607"},
    "SARIF1002": {"ETH1108", "ETH1109", "ETH1216", "ETH1217", "ETH1226"}, "SARIF1004": {"ETH1212", "ETH1213", "ETH1214", "ETH1215", "ETH1609"},
    "SARIF1005": {"ETH1108"}, "SARIF1006": {"ETH1305"}, "SARIF1007": {"ETH1301", "ETH1302"}, "SARIF1008": {"ETH1303", "ETH1304"},
    "SARIF1009": {"ETH1202"}, "SARIF1010": {"ETH1204", "ETH1205", "ETH1206"}, "SARIF1011": {"ETH1006"}, "SARIF1012": {"ETH1218", "ETH1219"},
    "SARIF2001": {"ETH1601"}, "SARIF2003": {"ETH1602"}, "SARIF2004": {"ETH1603"},
    "SARIF2005": {"ETH1604", "ETH1605"}, "SARIF2007": {"ETH1611"}, "SARIF2008": {"ETH1005"}, "SARIF2009": {"ETH1606"},
    "SARIF2017": {"ETH1610"},
}
# Not ours, on purpose: 2006 fetches from the network, 2009 asks for ids that hardly any linter has,
# and the others ask for what a log may well leave out.
LEFT_OUT = {"SARIF2002", "SARIF2006", "SARIF2009", "SARIF2010", "SARIF2011", "SARIF2012", "SARIF2013", "SARIF2014", "SARIF2015", "SARIF2016"}
# Where ours says nothing although the Multitool does, and why.
DIFFERENCES = {
    # A list of nothing but locations says what was looked at.
    "SARIF2004": {"codeql-action-fingerprinting-expected", "codeql-action-fingerprinting-input", "codeql-action-valid", "eslint-9",
                  "heimdall-hdf-1.3.40", "inspectcode-2024-broken-path", "inspectcode-2024-file-uri"},
    # "v2.1.8" is a version.
    "SARIF2005": {"kics-2.1.8"},
    # The schema called 2.1.0-rtm.6 is the final one.
    "SARIF1011": {"devskim-1.0.90", "inspectcode-2024-broken-path", "inspectcode-2024-file-uri"},
}


class Judges:
    def __init__(self, program, shared, folder):
        self.program, self.shared, self.folder = program, shared, folder
        modules = os.environ["ETHOS_NODE_MODULES"]
        self.multitool = os.path.join(modules, "@microsoft", "sarif-multitool-linux", "Sarif.Multitool")
        self.faults = []

    def ours(self, profile, files):
        done = subprocess.run([self.program, "validate", "--json", "--level", "note", "--max-findings", "0", "--profile", profile, *files],
                              capture_output=True, check=False)
        return {report["file"]: report for report in json.loads(done.stdout)["files"]}

    def schemas(self, files):
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run(["node", os.path.join(here, "schema_judge.js"), os.path.join(self.shared, "sarif")],
                              input="\n".join(files), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit("FAILED: schema_judge.js: " + done.stderr)
        return {one["file"]: one for one in map(json.loads, done.stdout.splitlines())}

    def microsoft(self, files, *options):
        """The rules that the Multitool finds, as a set for each file."""
        report = os.path.join(self.folder, "multitool.sarif")
        # SARIF2006 looks up every address; a proxy that is not there answers at once.
        nowhere = dict(os.environ, http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9",
                       DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1", DOTNET_BUNDLE_EXTRACT_BASE_DIR=os.path.join(self.folder, "net"))
        done = subprocess.run([self.multitool, "validate", *files, "-o", report, "--log", "ForceOverwrite",
                               "--level", "Error;Warning;Note", *options], capture_output=True, text=True, env=nowhere, check=False)
        if not os.path.exists(report):
            print("skipped: the Multitool does not run here: " + (done.stderr + done.stdout).strip()[:300])
            sys.exit(0)
        found = {file: set() for file in files}
        with open(report, encoding="utf-8") as file:
            for run in json.load(file)["runs"]:
                for result in run.get("results", []):
                    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]
                    if "uri" not in uri:
                        uri = run["artifacts"][uri["index"]]["location"]
                    name = os.path.basename(uri["uri"])
                    path = next(one for one in files if os.path.basename(one) == name)
                    found[path].add((result["ruleId"].split("/")[0], result.get("level", "warning")))
        return found


def corpus_outputs(judges, files):
    """Every operation on every file; pairs of an input and an output of it."""
    pairs = []
    for number, path in enumerate(files):
        folder = os.path.join(judges.folder, f"f{number}")
        os.mkdir(folder)
        one = Operations(judges.program, folder, os.path.dirname(path))
        one.read = lambda path: None  # only what writes logs
        pairs += [(path, output) for output in one.all(path).values()]
        judges.faults += one.faults
    return pairs


def judge_schemas(judges, files):
    pairs = corpus_outputs(judges, files)
    every = files + [output for _, output in pairs]
    others, ours, github = judges.schemas(every), judges.ours("spec", every), judges.ours("github", every)
    taken = 0
    for path in every:
        if others[path]["ajv"] != ours[path]["schema_valid"]:
            judges.faults.append(f"{path}: ajv says {others[path]['ajv']}")
        if github[path]["errors"] == 0:
            taken += 1
            if not others[path]["action"]:
                judges.faults.append(f"{path}: the action refuses what has no error for github")
    for path, output in pairs:
        if others[path]["ajv"] and not others[output]["ajv"]:
            judges.faults.append(f"{output}: {os.path.basename(path)} was valid before")
    invalid = sum(not one["ajv"] for one in others.values())
    if invalid < 20 or taken < 100:
        judges.faults.append(f"only {invalid} logs are invalid, {taken} without an error for github: this shows little")
    return f"{len(every)} logs by two schemas, {invalid} of them invalid"


def judge_rules(judges, files):
    found, ours = judges.microsoft(files), judges.ours("spec", files)
    compared = 0
    for path in files:
        mine = {finding["rule"] for finding in ours[path]["findings"]}
        for rule, level in sorted(found[path]):
            if rule in LEFT_OUT or "ETH1004" in mine:
                continue
            compared += 1
            if os.path.splitext(os.path.basename(path))[0] in DIFFERENCES.get(rule, ()):
                continue
            if not RULES.get(rule, set()) & mine:
                judges.faults.append(f"{os.path.basename(path)}: the Multitool finds {rule} ({level}), ours only {sorted(mine)}")
    if compared < 80:
        judges.faults.append(f"only {compared} findings compared")
    return f"{compared} findings of the Multitool's rules found too"


def judge_converted(judges, data, shared):
    """What convert makes of real outputs has no error by any rule, also none of GitHub's."""
    outputs = []
    for path in sorted(glob.glob(os.path.join(shared, "sarif", "lint-inputs", "*"))):
        out = os.path.join(judges.folder, "converted-" + os.path.basename(path) + ".sarif")
        done = subprocess.run([judges.program, "convert", "--quiet", "--root", os.path.join(data, "tree"), "--category", "x", path, "-o", out],
                              capture_output=True, check=False)
        if done.returncode == 0:
            outputs.append(out)
    for path, rules in judges.microsoft(outputs, "--rule-kind", "Sarif;Ghas").items():
        errors = {rule for rule, level in rules if level == "error"}
        if errors:
            judges.faults.append(f"{os.path.basename(path)}: the Multitool has errors: {sorted(errors)}")
    if len(outputs) < 18:
        judges.faults.append(f"only {len(outputs)} of the outputs of linters converted")
    return f"{len(outputs)} converted outputs without an error by the Multitool"


def judge_hashes(judges, shared):
    """primaryLocationLineHash of every line of the texts that the vectors are about."""
    tree, results = os.path.join(judges.folder, "tree"), []
    os.mkdir(tree)
    with open(os.path.join(shared, "sarif", "fingerprint-vectors.json"), encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    for number, vector in enumerate(vectors):
        text = base64.b64decode(vector["base64"])
        if text.startswith(b"\xef\xbb\xbf"):
            continue  # the Multitool leaves the mark out, GitHub's action does not
        path = os.path.join(tree, f"{number}.txt")
        with open(path, "wb") as file:
            file.write(text)
        for line in range(1, len(vector["lines"]) + 1):
            results.append({"ruleId": "R", "message": {"text": "x"}, "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "file://" + path}, "region": {"startLine": line}}}]})
    source = os.path.join(judges.folder, "lines.sarif")
    with open(source, "w", encoding="utf-8") as file:
        json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]}, file)
    theirs, mine = os.path.join(judges.folder, "theirs.sarif"), os.path.join(judges.folder, "mine.sarif")
    subprocess.run([judges.multitool, "rewrite", source, "-o", theirs, "--insert", "RollingHashPartialFingerprints", "--log", "ForceOverwrite"],
                   capture_output=True, check=False)
    subprocess.run([judges.program, "fingerprint", "--quiet", "--root", tree, source, "-o", mine], check=True)

    def hashes(path):
        with open(path, encoding="utf-8-sig") as file:
            return [one.get("partialFingerprints", {}).get("primaryLocationLineHash") for one in json.load(file)["runs"][0]["results"]]
    left, right = hashes(theirs), hashes(mine)
    # It gives none to the empty line after the last newline; everything else it does.
    compared = [(one, a, b) for one, a, b in zip(results, left, right) if a is not None]
    judges.faults += [f"line hash of {one['locations'][0]}: the Multitool has {a}, ours is {b}" for one, a, b in compared if a != b]
    if len(compared) < 80 or None in right:
        judges.faults.append(f"the Multitool wrote only {len(compared)} of {len(results)} hashes, ours {len(right) - right.count(None)}")
    return f"{len(compared)} line hashes as the Multitool's"


def main():
    program, data, shared = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    files = sorted(glob.glob(os.path.join(shared, "sarif", "corpus", "*.sarif")))
    if not files:
        print("skipped: shared data not present")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        judges = Judges(program, shared, folder)
        print(judge_schemas(judges, files))
        print(judge_rules(judges, files))
        print(judge_converted(judges, data, shared))
        print(judge_hashes(judges, shared))
    print(f"{len(judges.faults)} faults")
    print("\n".join(judges.faults))
    return 1 if judges.faults else 0


if __name__ == "__main__":
    sys.exit(main())
