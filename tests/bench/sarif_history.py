#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures fingerprints and the baseline on the real history of a Git repository.

    tests/bench/sarif_history.py build/release/bin/ethos-sarif REPOSITORY [--step 1] [--limit N]

For each pair of commits, STEP apart, the files that changed (renames included) are linted before and
after: by shellcheck and flake8 where they are installed, and by a list of patterns that stands in for
a linter of every other language. Git's own diff says which line has become which, so it is known
which findings are the same: those of one rule on a line that the diff calls unchanged.

Printed: of the findings that are the same, how many keep each fingerprint ("kept"), and how many
fingerprints of one finding are found on another that is known to be a different one ("stolen").
Then what the baseline makes of them: how many findings it calls new although they are the same
("false new"); how many on lines that went unchanged to another place or file, which the diff calls
removed and added ("moved called new"). Where lines were edited (one hunk of the diff), a rule with
more findings after than before has that many new ones: how many the baseline calls new beyond that
("edited called new"), and how many fewer ("missed new"). The same for GitHub's key alone: rule, path
and primaryLocationLineHash.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

PATTERNS = [("cast", r"static_cast|reinterpret_cast"), ("branch", r"^\s*(else )?if\b"), ("return", r"^\s*return\b"),
            ("loop", r"^\s*(for|while)\b"), ("failure", r"\b(assert|except|catch|raise)\b"),
            ("io", r"\b(open|read|write)\("), ("text", r"std::string |str\("), ("long", r"^.{96,}$")]
PATTERNS = [(name, re.compile(text)) for name, text in PATTERNS]
SUFFIXES = (".c", ".cc", ".h", ".py", ".sh", ".js", ".ts", ".go", ".rs", ".java")
NEAR = 3  # edits that are so near each other are one
GITHUB, ETHOS = "primaryLocationLineHash", "ethosLine/v1"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, check=False, **more).stdout


class Repository:
    def __init__(self, path):
        self.path = path

    def git(self, *arguments):
        return run("git", "-C", self.path, *arguments)

    def commits(self):
        return self.git("rev-list", "--reverse", "--first-parent", "HEAD").decode().split()

    def changed(self, old, new):
        for line in self.git("diff", "-M", "--name-status", old, new).decode("utf-8", "replace").splitlines():
            fields = line.split("\t")
            if fields[0] == "M" or fields[0].startswith("R"):
                if fields[-1].endswith(SUFFIXES):
                    yield fields[1], fields[-1]

    def line_map(self, old, new, before, after, count):
        diff = self.git("diff", "-U0", "-M", old, new, "--", before, after).decode("utf-8", "replace")
        lines, here, there, hunks = {}, 1, 1, []
        for hunk in re.finditer(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", diff, re.M):
            start, length, start2, length2 = (int(hunk[1]), int(hunk[2] or 1), int(hunk[3]), int(hunk[4] or 1))
            start, start2 = start + (length == 0), start2 + (length2 == 0)
            while here < start:
                lines[here] = there
                here, there = here + 1, there + 1
            here, there = start + length, start2 + length2
            if hunks and start - hunks[-1][0].stop <= NEAR:
                start, start2 = hunks[-1][0].start, hunks.pop()[1].start
            hunks.append((range(start, here), range(start2, there)))
        while here <= count:
            lines[here] = there
            here, there = here + 1, there + 1
        return lines, hunks


def pattern_results(root, paths):
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, 1):
                for name, pattern in PATTERNS:
                    if pattern.search(line):
                        yield {"ruleId": name, "message": {"text": f"A {name} here."}, "locations": [{"physicalLocation": {
                            "artifactLocation": {"uri": path.replace(" ", "%20")}, "region": {"startLine": number}}}]}


def lint(program, root, paths):
    """One log of all linters over the files below root."""
    logs = []
    log = os.path.join(root, "..", os.path.basename(root) + ".patterns.sarif")
    with open(log, "w", encoding="utf-8") as file:
        json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "patterns"}},
                                                  "results": list(pattern_results(root, paths))}]}, file)
    logs.append(log)
    for tool, suffix, command in (("shellcheck", ".sh", ["shellcheck", "-f", "json1"]), ("flake8", ".py", ["flake8"])):
        chosen = [path for path in paths if path.endswith(suffix)]
        if not chosen or not shutil.which(tool):
            continue
        output = run(*command, *chosen, cwd=root)
        log = os.path.join(root, "..", os.path.basename(root) + "." + tool + ".sarif")
        subprocess.run([program, "convert", "--from", tool, "--root", root, "--quiet", "-", "-o", log], input=output, check=True)
        logs.append(log)
    whole = os.path.join(root, "..", os.path.basename(root) + ".sarif")
    subprocess.run([program, "merge", "--quiet", *logs, "-o", whole], check=True)
    subprocess.run([program, "fingerprint", "--root", root, "--quiet", whole, "-o", whole], check=True)
    return whole


def results_of(log, root):
    texts = {}
    with open(log, encoding="utf-8") as file:
        for one in json.load(file)["runs"]:
            for result in one["results"]:
                place = result["locations"][0]["physicalLocation"]
                path, line = place["artifactLocation"]["uri"].replace("%20", " "), place["region"]["startLine"]
                if path not in texts:
                    with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="\n") as source:
                        texts[path] = source.read().split("\n")
                yield {"text": "".join(texts[path][line - 1].split()) if line <= len(texts[path]) else "","rule": one["tool"]["driver"]["name"] + "/" + result["ruleId"],
                       "path": path, "line": line,
                       "prints": result.get("partialFingerprints", {}), "state": result.get("baselineState")}


class Score:
    def __init__(self):
        self.count = collections.Counter()

    def add(self, name, number=1):
        self.count[name] += number

    def compare(self, old, new, maps):
        """Old and new results; maps[path before] = (path after, line map, hunks)."""
        here = {(one["rule"], one["path"], one["line"]): one for one in new}
        before = {}
        for one in old:
            after, lines, _ = maps[one["path"]]
            line = lines.get(one["line"])
            if line is not None:
                before[(one["rule"], after, line)] = one
        backward = {path: {v: k for k, v in lines.items()} for path, lines, _ in maps.values()}
        pairs = [(before[key], one) for key, one in here.items() if key in before]
        self.add("same", len(pairs))
        for key in (GITHUB, ETHOS):
            self.add("kept " + key, sum(a["prints"].get(key) == b["prints"].get(key) for a, b in pairs))
            where = {(one["rule"], one["path"], one["prints"].get(key)): one for one in new}
            for one in old:
                after, lines, _ = maps[one["path"]]
                found = where.get((one["rule"], after, one["prints"].get(key)))
                if found and lines.get(one["line"]) != found["line"] and found["line"] in backward[after]:
                    self.add("stolen " + key)
        self.add("after", len(new))
        known = collections.Counter((one["rule"], one["path"], one["prints"].get(GITHUB)) for one in old)
        called_new = {"baseline": collections.Counter(), "github": collections.Counter()}
        for one in new:
            by_github = (one["rule"], one["path"], one["prints"].get(GITHUB))
            is_known = known[by_github] > 0
            known[by_github] -= is_known
            is_same = (one["rule"], one["path"], one["line"]) in before
            for name, is_new in (("baseline", one["state"] == "new"), ("github", not is_known)):
                if is_new and is_same:
                    self.add("false new " + name)
                elif is_new:
                    called_new[name][(one["rule"], one["path"], one["line"])] += 1
        self.compare_hunks(*self.compare_moved(old, new, maps, before, called_new), maps, called_new)

    def compare_moved(self, old, new, maps, before, called_new):
        """Takes away the findings on lines that went from one place to another; gives the others."""
        gone = collections.defaultdict(list)
        for one in old:
            after, lines, _ = maps[one["path"]]
            if (one["rule"], after, lines.get(one["line"])) not in before:
                gone[(one["rule"], one["text"])].append(one)
        moved_to = set()
        for one in new:
            place = (one["rule"], one["path"], one["line"])
            if place in before or not gone[(one["rule"], one["text"])]:
                continue
            gone[(one["rule"], one["text"])].pop()
            moved_to.add(id(one))
            self.add("moved")
            for name, counter in called_new.items():
                self.add("moved called new " + name, counter[place] > 0)
        left = [one for ones in gone.values() for one in ones]
        come = [one for one in new if (one["rule"], one["path"], one["line"]) not in before and id(one) not in moved_to]
        return left, come

    def compare_hunks(self, old, new, maps, called_new):
        """What lines that were edited have: only how many there are is known, not which is which."""
        olds = collections.defaultdict(list)
        news = collections.defaultdict(list)
        for one in old:
            olds[one["path"]].append(one)
        for one in new:
            news[one["path"]].append(one)
        for path, (after, _, hunks) in maps.items():
            for gone, come in hunks:
                was = collections.Counter(one["rule"] for one in olds[path] if one["line"] in gone)
                now = collections.Counter(one["rule"] for one in news[after] if one["line"] in come)
                for rule, number in now.items():
                    wanted = max(0, number - was[rule])
                    self.add("new", wanted)
                    for name, counter in called_new.items():
                        called = sum(count for (r, p, line), count in counter.items() if r == rule and p == after and line in come)
                        self.add("missed new " + name, max(0, wanted - called))
                        self.add("edited called new " + name, max(0, called - wanted))


def measure(program, repository, step, limit):
    score = Score()
    commits = repository.commits()[::step]
    pairs = list(zip(commits, commits[1:]))[-limit:]
    for old, new in pairs:
        files = list(repository.changed(old, new))
        if not files:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            maps = {}
            for commit, side, index in ((old, "old", 0), (new, "new", 1)):
                for file in files:
                    path = os.path.join(scratch, side, file[index])
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "wb") as out:
                        out.write(repository.git("show", f"{commit}:{file[index]}"))
            for before, after in files:
                with open(os.path.join(scratch, "old", before), "rb") as file:
                    count = file.read().count(b"\n") + 1
                maps[before] = (after, *repository.line_map(old, new, before, after, count))
            logs = [lint(program, os.path.join(scratch, side), [file[index] for file in files])
                    for side, index in (("old", 0), ("new", 1))]
            marked = os.path.join(scratch, "marked.sarif")
            subprocess.run([program, "baseline", "--quiet", "--baseline", *logs, "-o", marked], check=True)
            with open(marked, encoding="utf-8") as file:
                log = json.load(file)
            for one in log["runs"]:
                one["results"] = [result for result in one["results"] if result["baselineState"] != "absent"]
            with open(marked, "w", encoding="utf-8") as file:
                json.dump(log, file)
            score.compare(list(results_of(logs[0], os.path.join(scratch, "old"))),
                          list(results_of(marked, os.path.join(scratch, "new"))), maps)
            score.add("renamed files", sum(before != after for before, after in files))
            score.add("files", len(files))
            score.add("pairs of commits")
    return score.count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("repository")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--limit", type=int, default=1000000)
    arguments = parser.parse_args()
    count = measure(os.path.abspath(arguments.program), Repository(arguments.repository), arguments.step, arguments.limit)
    print(f"{count['pairs of commits']} pairs of commits, {count['files']} changed files ({count['renamed files']} renamed), "
          f"{count['after']} findings after, {count['same']} of them the same as before")
    for key in (GITHUB, ETHOS):
        print(f"{key:24} kept {100 * count['kept ' + key] / count['same']:7.3f} %   "
              f"stolen {100 * count['stolen ' + key] / count['same']:7.3f} %")
    for name in ("github", "baseline"):
        print(f"{name:24} false new {count['false new ' + name]} ({100 * count['false new ' + name] / count['same']:.3f} %)   "
              f"moved called new {count['moved called new ' + name]} of {count['moved']}   edited called new {count['edited called new ' + name]}   missed new {count['missed new ' + name]} of {count['new']}")


if __name__ == "__main__":
    main()
