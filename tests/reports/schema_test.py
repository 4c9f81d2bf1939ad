#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges report.oscal.json and report.intoto.jsonl by their published schemas.

usage: schema_test.py MAKE-REPORT-LEDGER ETHOS-REPORT SHARED-DIR
"""
import base64
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile


def main():
    maker, program, shared = sys.argv[1:4]
    path = os.path.join(shared, "schemas/oscal/oscal_assessment-results_schema.json")
    try:
        import jsonschema
    except ImportError:
        print("skipped: python3-jsonschema not installed")
        return 0
    if not os.path.exists(path):
        print("skipped: shared data not present")
        return 0
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    # The one pattern that needs Unicode classes, which Python's re does not have.
    schema["definitions"]["TokenDatatype"]["pattern"] = r"^[^\W\d][\w.\-]*$"
    validator = jsonschema.Draft7Validator(schema)
    statement_validators = []
    for name in ("svr-v0.2", "runtime-trace-v0.1"):
        with open(os.path.join(shared, "schemas/authored/%s.schema.json" % name), encoding="utf-8") as file:
            statement_validators.append(jsonschema.Draft202012Validator(json.load(file)))
    with open(os.path.join(shared, "schemas/authored/dsse-envelope.schema.json"), encoding="utf-8") as file:
        envelope_validator = jsonschema.Draft202012Validator(json.load(file))
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        ledger, verdict = os.path.join(scratch, "l.db"), os.path.join(scratch, "verdict.json")
        subprocess.run([maker, ledger, verdict], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(program, os.path.join(scratch, "ethos-report"))
        stand_in = os.path.join(scratch, "ethos-verify")
        with open(stand_in, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat '%s'\n" % verdict)
        os.chmod(stand_in, stat.S_IRWXU)
        key = os.path.join(scratch, "key")
        subprocess.run([program, "key", "reports.example.com", "-o", key], check=True, stdout=subprocess.DEVNULL)
        for period in ("2026-10-01..2026-12-31", "2020-01-01..2020-01-31"):
            out = os.path.join(scratch, period)
            subprocess.run([os.path.join(scratch, "ethos-report"), "--ledger", ledger, "--pin", ledger, "--period", period,
                            "--zone", "Europe/Berlin", "--format", "oscal,intoto", "--quiet", "--sign-key", key, "--out", out], check=True)
            with open(os.path.join(out, "report.oscal.json"), encoding="utf-8") as file:
                document = json.load(file)
            with open(os.path.join(out, "report.intoto.jsonl"), encoding="utf-8") as file:
                envelopes = [json.loads(line) for line in file.read().splitlines()]
            errors = list(validator.iter_errors(document))
            if len(envelopes) != len(statement_validators):
                faults += 1
                print("FAIL", period, "statements:", len(envelopes))
            for envelope, of_statement in zip(envelopes, statement_validators):
                errors += envelope_validator.iter_errors(envelope)
                errors += of_statement.iter_errors(json.loads(base64.b64decode(envelope["payload"], validate=True)))
            for error in errors:
                faults += 1
                print("FAIL", period, list(error.path), error.message[:300])
            print("ok  ", period)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
