# SPDX-License-Identifier: Apache-2.0
"""Every operation of ethos-sarif on one log, and whether what comes out still holds all that went in.

Numbers are compared as they are written, members in their order and with their doubles; nothing is
taken for equal that a reader could tell apart, but white space.
"""
import collections
import glob
import json
import os
import subprocess

ADDED_PRINTS = ("primaryLocationLineHash", "ethosLine/v1")
POLICY = {"version": 1, "suppressions": [
    {"id": "NONE", "reason": "r", "approver": "a", "expires": "never", "match": {"rule": "no such rule"}}]}


class Members(list):
    """An object: its members in the order of the text."""

    def get(self, key, default=None):
        return next((value for name, value in self if name == key), default)

    def without(self, *keys):
        return Members((name, value) for name, value in self if name not in keys)

    def replaced(self, key, change):
        return Members((name, change(value) if name == key else value) for name, value in self)


def parse(text):
    return json.loads(text, object_pairs_hook=Members, parse_int=lambda s: ("int", s),
                      parse_float=lambda s: ("float", s))


def load(path):
    with open(path, encoding="utf-8-sig") as file:
        return parse(file.read())


def runs_of(log):
    return log.get("runs") or []


def results_of(log):
    return [result for run in runs_of(log) for result in run.get("results") or [] if isinstance(result, Members)]


def each_result(log, change):
    """The log with `change` done to each result."""
    def results(value):
        return [change(one) if isinstance(one, Members) else one for one in value] if isinstance(value, list) else value
    return log.replaced("runs", lambda runs: runs and [run.replaced("results", results) for run in runs])


def bare(result):
    """A result without what baseline, suppress and fingerprint add, and split and fold may renumber."""
    def prints(value):
        return value.without(*ADDED_PRINTS) if isinstance(value, Members) else value
    result = result.without("baselineState").replaced("partialFingerprints", prints)
    return Members((k, v) for k, v in result if not (k in ("partialFingerprints", "suppressions") and not v))


def essence(result):
    """What is left of a result when every index into arrays of its run is taken away."""
    def strip(value):
        if isinstance(value, Members):
            return Members((k, strip(v)) for k, v in value if k not in ("index", "ruleIndex", "parentIndex", "rule"))
        return [strip(one) for one in value] if isinstance(value, list) else value
    return json.dumps(strip(bare(result)))


def counted(results, how=json.dumps):
    return collections.Counter(how(one) for one in results)


class Operations:
    def __init__(self, program, folder, root):
        self.program, self.folder, self.root = program, folder, root
        self.faults, self.calls, self.outputs = [], 0, []
        self.policy = os.path.join(folder, "policy.json")
        with open(self.policy, "w", encoding="utf-8") as file:
            json.dump(POLICY, file)

    def call(self, *arguments, codes=(0,)):
        done = subprocess.run([self.program, *arguments], capture_output=True, check=False)
        self.calls += 1
        complaint = done.stderr.decode("utf-8", "replace")
        if done.returncode not in codes or "internal failure" in complaint:
            self.faults.append(f"{' '.join(arguments)}: exit {done.returncode}: {complaint[:300]}")
            return None
        return done

    def write(self, name, *arguments, codes=(0,)):
        """An operation that writes one log, as bytes."""
        path = os.path.join(self.folder, name)
        if self.call(*arguments, "--quiet", "-o", path, codes=codes) is None or not os.path.exists(path):
            return None
        self.outputs.append((name, path))
        return load(path)

    def same(self, what, left, right):
        if left != right:
            self.faults.append(f"{what}: not the same as before")

    def all(self, path):
        """Every operation on one file; returns the outputs by name."""
        name = os.path.basename(path)
        log = load(path)
        if log.get("version") != "2.1.0":
            return self.refused(path)
        self.outputs = []
        self.copies(name, path, log)
        self.selections(name, path, log)
        self.parts(name, path, log)
        self.mended(name, path, log)
        self.read(path)
        return dict(self.outputs)

    def refused(self, path):
        """A log of another version: only convert takes it."""
        for operation in ("fingerprint", "merge", "repair", "filter", "baseline", "suppress", "split"):
            more = {"baseline": ["--baseline", path], "suppress": ["--policy", self.policy]}.get(operation, [])
            out = os.path.join(self.folder, "never-" + operation)
            self.call(operation, *more, path, "-o", out, codes=(3,))
            if os.path.exists(out):
                self.faults.append(f"{path}: {operation} left something of a log that it refused")
        self.outputs = []
        self.write("upgraded", "convert", "--from", "auto", path)
        return dict(self.outputs)

    def copies(self, name, path, log):
        self.same(f"{name}: convert", self.write("copy", "convert", "--from", "sarif", path), log)
        self.same(f"{name}: convert --compact", self.write("compact", "convert", "--compact", "--from", "auto", path), log)
        printed = self.write("fingerprint", "fingerprint", "--root", self.root, path)
        marked = self.write("suppress", "suppress", "--policy", self.policy, path)
        against = self.write("baseline", "baseline", "--baseline", path, path)
        for what, output in (("fingerprint", printed), ("suppress", marked), ("baseline", against)):
            if output is not None:
                self.same(f"{name}: {what}", each_result(output, bare), each_result(log, bare))
        states = {one.get("baselineState") for one in results_of(against or Members())}
        if not states <= {"unchanged", "absent"}:
            self.faults.append(f"{name}: against itself there are results that are {states}")

    def selections(self, name, path, log):
        self.same(f"{name}: filter", self.write("filter", "filter", path), log)
        levels = [self.write("filter-" + level, "filter", "--level", level, path) for level in ("error", "warning", "note", "none")]
        if all(levels):
            kept = sum((counted(results_of(one)) for one in levels), collections.Counter())
            self.same(f"{name}: the four levels together", kept, counted(results_of(log)))
            empty = each_result(log, lambda one: one).replaced("runs", lambda runs: runs and [
                run.replaced("results", lambda r: [] if isinstance(r, list) else r) for run in runs])
            for one in levels:
                self.same(f"{name}: what filter leaves alone", one.replaced("runs", lambda runs: runs and [
                    run.replaced("results", lambda r: [] if isinstance(r, list) else r) for run in runs]), empty)

    def parts(self, name, path, log):
        twice = self.write("merge", "merge", path, path)
        if twice is not None and "sarif:/runs/" not in json.dumps(log):
            self.same(f"{name}: merge", runs_of(twice), runs_of(log) + runs_of(log))
        folder = os.path.join(self.folder, "parts")
        for old in glob.glob(os.path.join(folder, "*")):
            os.remove(old)
        if self.call("split", "--quiet", "--max-results", "3", "--max-runs", "2", path, "-o", folder) is None:
            return
        pieces = sorted(glob.glob(os.path.join(folder, "*")))
        self.outputs += [("split/" + os.path.basename(piece), piece) for piece in pieces]
        found = sum((counted(results_of(load(piece)), essence) for piece in pieces), collections.Counter())
        self.same(f"{name}: the parts together", found, counted(results_of(log), essence))
        whole = self.write("fold", "merge", "--fold", "tool", *pieces)
        if whole is not None:
            self.same(f"{name}: the parts folded", counted(results_of(whole), essence), counted(results_of(log), essence))

    def mended(self, name, path, log):
        changes = os.path.join(self.folder, "changes")
        mended = self.write("repair", "repair", "--no-fingerprints", "--json", "--changes", changes, path)
        if mended is None:
            return
        if self.call("repair", "--check", "--no-fingerprints", os.path.join(self.folder, "repair")) is None:
            self.faults.append(f"{name}: mending twice finds more to mend")
        checked = self.call("repair", "--check", "--no-fingerprints", path, codes=(0, 1))
        with open(path, "rb") as file:
            has_mark = file.read(3) == b"\xef\xbb\xbf"
        if checked is not None and (checked.returncode == 0) != (mended == log and not has_mark):
            self.faults.append(f"{name}: repair --check says {checked.returncode}")

    def read(self, path):
        for form in ("text", "json", "csv", "markdown", "html"):
            self.call("summary", "--format", form, path)
            self.call("trend", "--format", form, path, path)
        for form in ("text", "csv", "json", "markdown", "html", "code-climate", "github"):
            done = self.call("list", "--all", "--format", form, path)
            if done is not None and form in ("json", "code-climate"):
                self.same(f"{path}: list --format {form}", len(json.loads(done.stdout)), len(results_of(load(path))))
        for profile in ("spec", "github", "gitlab", "sonar"):
            for form in ("text", "json", "sarif"):
                done = self.call("validate", "--profile", profile, "--format", form, path, codes=(0, 1))
                if done is not None and form != "text":
                    json.loads(done.stdout)
        self.call("diff", path, path)
        self.call("diff", "--json", path, path)
        self.call("digest", path)
        self.call("upload", "--dry-run", "--repository", "o/r", "--commit", "0" * 40, "--ref", "refs/heads/main", path, codes=(0, 1))
