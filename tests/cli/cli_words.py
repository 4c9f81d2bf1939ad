# SPDX-License-Identifier: Apache-2.0
"""The words that the lists of the completion must hold, read from where they are defined."""
import json
import os
import re
import subprocess


def read(source, *path):
    with open(os.path.join(source, *path), encoding="utf-8") as f:
        return f.read()


def output(directory, *words):
    return subprocess.run([os.path.join(directory, words[0]), *words[1:]], capture_output=True, text=True, check=True,
                          timeout=60, stdin=subprocess.DEVNULL).stdout


def table_column(text, heading):
    """First words, in `code`, of the rows below a heading of a Markdown page."""
    part = text.split(heading, 1)[1].split("\n#", 1)[0]
    return [w for cell in re.findall(r"^\| ([^|]*)\|", part, re.M) for w in re.findall(r"`([a-z_.-]+K?)[^`]*`", cell)]


def defined_lists(directory, source):
    schema = json.loads(read(source, "docs", "formats", "declaration.schema.json"))
    kinds = read(source, "docs", "formats", "events.md").split("**E-6", 1)[1].split("`normal`, `facts`,\n", 1)[0]
    records = read(source, "docs", "formats", "record.md").split("- **R-20**", 1)[1].split("\n- **", 1)[0]
    return {
        "tool": sorted(re.findall(r'^    "([^"]+)": \{', read(source, "sandbox", "catalog", "catalog.json"), re.M)),
        "limit": list(schema["$defs"]["limits"]["properties"]),
        "format": [line.split()[0] for line in output(directory, "ethos-sarif", "formats").splitlines()],
        "type": [t for row, body in re.findall(r"^\| ([^|]*)\| (?:ledger|run|either) \| ([^|]*)\|", records, re.M)
                 if "reserved" not in body for t in re.findall(r"`([a-z_.]+)`", row)],
        "kind": sorted({*re.findall(r"`([a-z]+)`", kinds.split("`kind` is", 1)[1]), "output", "path", "sarif"}),
        "rule": table_column(read(source, "docs", "assertions.md"), "## Rules"),
        "code": [line.split()[0] for line in output(directory, "ethos-verify", "--codes").splitlines()],
    }
