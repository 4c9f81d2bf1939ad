#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The published schemas and the reader agree: what the vectors accept is valid, and most of what the reader refuses is not.

usage: schema_test.py SOURCE_DIR"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def strip_comments(text):
    """JSON with comments to JSON; strings are left alone."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/', re.S)
    return token.sub(lambda m: m.group(0) if m.group(0).startswith('"') else " ", text)


def main():
    source = pathlib.Path(sys.argv[1])
    schemas = {}
    for name in ("declaration", "ceiling"):
        schema = json.loads((source / "docs/formats" / (name + ".schema.json")).read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[name] = jsonschema.Draft202012Validator(schema)
    failures = 0
    accepted = refused = 0
    # Refused by rules that a schema cannot say: duplicate keys, comments, which enforcer fits which limit.
    beyond_schema = {"40-not-json", "41-duplicate", "46-enforcer", "47-env-loader", "48-env-twice"}
    for path in sorted((source / "tests/data/policy").glob("*.json")):
        case = json.loads(path.read_text())
        is_refused = case.get("refusal", {}).get("stage") == "declaration"
        if path.stem in beyond_schema:
            continue
        errors = list(schemas["declaration"].iter_errors(json.loads(strip_comments(case["declaration"]))))
        if bool(errors) != is_refused:
            print(path.name, "schema and reader disagree:", errors[:1] or "valid")
            failures += 1
        accepted += not is_refused
        refused += is_refused
        for text in case["ceilings"]:
            errors = list(schemas["ceiling"].iter_errors(json.loads(strip_comments(text))))
            if bool(errors) != (case.get("refusal", {}).get("stage") == "ceiling"):
                print(path.name, "ceiling schema and reader disagree:", errors[:1] or "valid")
                failures += 1
    for path in [source / "sandbox/catalog/catalog.json", source / "tests/data/demo/ethos.json"]:
        for error in schemas["declaration"].iter_errors(json.loads(strip_comments(path.read_text()))):
            print(path, error.message)
            failures += 1
    print(accepted, "accepted,", refused, "refused,", failures, "disagreements")
    return 1 if failures or accepted < 20 or refused < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
