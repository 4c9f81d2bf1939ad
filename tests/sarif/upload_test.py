#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uploads to a local server that answers as GitHub's code-scanning API is documented to.

usage: upload_test.py ETHOS-SARIF
"""
import base64
import gzip
import http.server
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading

PROGRAM = os.path.abspath(sys.argv[1])
TOKEN = "ghp_0123456789abcdefSECRET"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CURL = "/usr/bin/curl"


class Api(http.server.BaseHTTPRequestHandler):
    """Gives the answers of `server.script` in order; each is (status, headers, body)."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        self.server.seen.append((self.command, self.path, dict(self.headers), body))
        status, headers, text = self.server.script.pop(0) if self.server.script else (500, {}, "one call too many")
        if status is None:  # cut off
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        raw = (text if isinstance(text, str) else json.dumps(text)).encode()
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def log(results=1, **run):
    base = {"tool": {"driver": {"name": "t", "version": "1.0", "rules": [
        {"id": "R", "shortDescription": {"text": "Short."}, "fullDescription": {"text": "Full."}, "help": {"text": "Help."}}]}},
        "results": [{"ruleId": "R", "ruleIndex": 0, "message": {"text": "No."}, "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": "a.c"}, "region": {"startLine": i + 1}}}]} for i in range(results)]}
    base.update(run)
    return {"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0", "runs": [base]}


class Case:
    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        self.url = f"http://127.0.0.1:{server.server_port}/api/v3"
        # Stands in for curl, to see what it is called with.
        self.spy = os.path.join(folder, "curl")
        with open(self.spy, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n{{ tr "\\0" "\\n" </proc/$$/cmdline; env; }} >>{folder}/spied\nexec {CURL} "$@"\n')
        os.chmod(self.spy, os.stat(self.spy).st_mode | stat.S_IXUSR)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def run(self, script, *arguments, path=None, env=None, token=TOKEN):
        self.server.script = list(script)
        self.server.seen = []
        environment = {"PATH": "/nonexistent", "GITHUB_REPOSITORY": "me/it", "GITHUB_SHA": COMMIT,
                       "GITHUB_REF": "refs/heads/main", "GITHUB_API_URL": self.url}
        if token:
            environment["GITHUB_TOKEN"] = token
        environment.update(env or {})
        path = path or self.write("log.sarif", log())
        done = subprocess.run([PROGRAM, "upload", "--curl", self.spy, "--retry-wait", "0.01", "--poll-wait", "0.01",
                               path, *arguments], capture_output=True, text=True, env=environment, timeout=60, check=False)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        assert TOKEN not in self.out + self.err, "the token is printed"
        return done.returncode


TAKEN = (202, {}, {"id": "47177e22-5596-11eb-80a1-c1e54ef945c6", "url": "https://x/"})
COMPLETE = (200, {}, {"processing_status": "complete", "analyses_url": "https://x/"})
PENDING = (200, {}, {"processing_status": "pending"})


def check(condition, what, case):
    if not condition:
        sys.exit(f"FAILED: {what}\nexit {case.code}\nstdout: {case.out}\nstderr: {case.err}\nseen: {[one[:2] for one in case.server.seen]}")


def good_upload(case):
    case.run([TAKEN, (404, {}, {"message": "Not Found"}), PENDING, COMPLETE], "--category", "lint", "--json")
    check(case.code == 0, "a file is taken and processed", case)
    report = json.loads(case.out)[0]
    check(report["state"] == "processed" and report["id"].startswith("47177e22"), "the report says so", case)
    method, path, headers, body = case.server.seen[0]
    check((method, path) == ("POST", "/api/v3/repos/me/it/code-scanning/sarifs"), "the call is the documented one", case)
    check(headers["Authorization"] == "Bearer " + TOKEN, "the token is in the header", case)
    check(headers["Accept"] == "application/vnd.github+json" and headers["Content-Type"] == "application/json", "headers", case)
    sent = json.loads(body)
    check(sent["commit_sha"] == COMMIT and sent["ref"] == "refs/heads/main", "commit and ref", case)
    inside = json.loads(gzip.decompress(base64.b64decode(sent["sarif"], validate=True)))
    expected = log()
    expected["runs"][0]["automationDetails"] = {"id": "lint/"}
    check(inside == expected, "the log is whole, with its category", case)
    check(report["gzip_bytes"] == len(base64.b64decode(sent["sarif"])), "its size is said", case)
    for method, path, headers, _ in case.server.seen[1:]:
        check((method, path) == ("GET", "/api/v3/repos/me/it/code-scanning/sarifs/47177e22-5596-11eb-80a1-c1e54ef945c6"),
              "it is asked for by its id", case)
    with open(os.path.join(case.folder, "spied"), encoding="utf-8") as file:
        spied = file.read()
    check("--config" in spied, "the spy has seen the call", case)
    check(TOKEN not in spied and sent["sarif"][:40] not in spied, "neither token nor body is in arguments or environment", case)


def a_category_stays(case):
    path = case.write("own.sarif", log(automationDetails={"id": "own/1"}))
    case.run([TAKEN, COMPLETE], "--category", "lint", path=path)
    inside = json.loads(gzip.decompress(base64.b64decode(json.loads(case.server.seen[0][3])["sarif"])))
    check(inside["runs"][0]["automationDetails"] == {"id": "own/1"}, "a category that is there stays", case)


def token_from_a_file(case):
    name = case.write("token", TOKEN + "\n")
    case.run([TAKEN], "--no-wait", "--token-file", name, token=None)
    check(case.code == 0 and case.server.seen[0][2]["Authorization"] == "Bearer " + TOKEN, "a token file", case)
    case.run([TAKEN], "--no-wait", "--token-env", "OTHER", token=None, env={"OTHER": TOKEN})
    check(case.code == 0 and case.server.seen[0][2]["Authorization"] == "Bearer " + TOKEN, "another variable", case)
    for bad in (None, "two words", 'quo"te', "line\nend: x"):
        case.run([], token=bad)
        check(case.code == 2 and not case.server.seen, f"no call without a good token ({bad!r})", case)


def retries(case):
    case.run([(503, {}, "down"), (None, {}, ""), (429, {"Retry-After": "0"}, {}),
              (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, {"message": "API rate limit exceeded"}),
              TAKEN, (502, {}, ""), COMPLETE], "--json")
    check(case.code == 0 and len(case.server.seen) == 7, "what may pass is tried again", case)
    check(json.loads(case.out)[0]["calls"] == 7, "and counted", case)
    case.run([(503, {}, "down")] * 3, "--retries", "2")
    check(case.code == 1 and len(case.server.seen) == 3 and "problem of its own" in case.err, "but not for ever", case)
    case.run([(429, {"Retry-After": "4000"}, {"message": "secondary rate limit"})])
    check(case.code == 1 and len(case.server.seen) == 1, "a wait of an hour is not waited", case)
    case.run([(403, {}, {"message": "Resource not accessible by integration"})])
    check(case.code == 1 and len(case.server.seen) == 1 and "security-events: write" in case.err,
          "what does not pass is not tried again", case)


def refusals(case):
    for text, advice in (
            ("rejecting SARIF, as there are more runs than allowed (21 > 20)", "merge --fold category"),
            ("rejecting SARIF, as there are more results per run than allowed (25001 > 25000)", "split"),
            ("an invalid URI was provided as a SARIF location: parse \"a b\"", "repair"),
            ("locationFromSarifResult: expected artifact location", "artifactLocation.uri"),
            ("could not convert rules: invalid security severity value, is not a number: high", "security-severity"),
            ("parsing restricted subset of SARIF data has failed: expected string", "wrong type"),
            ("SARIF URI scheme \"https\" did not match the checkout URI scheme \"file\"", "--root"),
            ("A delivery cannot contain multiple runs with the same category.", "one category"),
            ("rejecting delivery as the repository has too many logical alerts", "as many alerts"),
            ("CodeQL analyses from advanced configurations cannot be processed when the default setup is enabled",
             "default setup"),
            ("something nobody has ever heard of", "nobody has ever heard")):
        case.run([TAKEN, (200, {}, {"processing_status": "failed", "errors": [text]})])
        check(case.code == 1 and text[:30] in case.err and advice in case.err, f"explained: {text}", case)
    for status, body, advice in ((401, {"message": "Bad credentials"}, "expired"),
                                 (404, {"message": "Not Found"}, "no such repository"),
                                 (413, "<html>Payload Too Large</html>", "ethos-sarif split"),
                                 (400, {"message": "Invalid request", "errors": [{"message": "not a sarif"}]}, "not a sarif"),
                                 (422, {"message": "Commit not found"}, "push it"),
                                 (403, {"message": "Advanced Security must be enabled for this repository"}, "which is off")):
        case.run([(status, {}, body)])
        check(case.code == 1 and advice in case.err, f"explained: {status}", case)
        check(len(case.err.splitlines()) <= 3, "in few lines", case)


def checks_before_sending(case):
    bad = log()
    bad["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b.c"
    path = case.write("bad.sarif", bad)
    case.run([], path=path)
    check(case.code == 1 and not case.server.seen and "ETH1109" in case.err, "a bad file is not sent", case)
    case.run([TAKEN], "--no-check", "--no-wait", path=path)
    check(case.code == 0, "unless it is wanted", case)
    case.run([], path=case.write("cut.sarif", '{"version":"2.1.0","runs":['))
    check(case.code in (1, 3) and not case.server.seen, "half a file is not sent", case)
    case.run([], "--no-check", path=case.write("cut.sarif", '{"version":"2.1.0","runs":['))
    check(case.code == 3 and not case.server.seen, "half a file is never sent", case)
    case.run([], "--dry-run", token=None)
    check(case.code == 0 and "ready" in case.out and not case.server.seen, "a dry run sends nothing", case)


def several_files(case):
    first, second = case.write("1.sarif", log()), case.write("2.sarif", log(2))
    case.run([TAKEN, COMPLETE, TAKEN, (200, {}, {"processing_status": "failed", "errors": ["x"]})], second, path=first)
    check(case.code == 1 and "1.sarif: processed" in case.out and "2.sarif: refused" in case.out, "each for itself", case)


def usage(case):
    for variable, value in (("GITHUB_REPOSITORY", "it"), ("GITHUB_REPOSITORY", "a/b/c"), ("GITHUB_REPOSITORY", "a/.."),
                            ("GITHUB_SHA", "main"), ("GITHUB_REF", "main"), ("GITHUB_REF", "refs/heads/"),
                            ("GITHUB_REF", "refs/heads/a b"), ("GITHUB_API_URL", "http://example.com"),
                            ("GITHUB_API_URL", "https://u:p@example.com"), ("GITHUB_API_URL", "ftp://127.0.0.1/"),
                            ("GITHUB_API_URL", "http://127.0.0.1.example.com/")):
        case.run([], env={variable: value})
        check(case.code == 2 and not case.server.seen and case.err.count("\n") == 1, f"{variable}={value}", case)
    case.run([], env={"GITHUB_API_URL": "http://127.0.0.1:1"}, token=TOKEN)
    check(case.code == 3 and "curl" in case.err, "nobody there", case)


def redirects_are_not_followed(case):
    case.run([(307, {"Location": case.url.replace("127.0.0.1", "localhost") + "/elsewhere"}, {"message": "Moved"})])
    check(case.code == 1 and len(case.server.seen) == 1, "the token goes nowhere else", case)


def hostile_answers(case):
    case.run([(202, {}, {"id": "../../../etc", "url": "x"})])
    check(case.code == 0 and len(case.server.seen) == 1, "an id that is none is not put into a URL", case)
    case.run([(200, {}, "x" * (6 << 20))])
    check(case.code == 3 and len(case.server.seen) == 1, "a flood is cut", case)
    case.run([TAKEN, (200, {}, {"processing_status": "failed", "errors": ["\u001b[2J\nred\u202e"]})])
    check(case.code == 1 and "\u001b" not in case.err and "\u202e" not in case.err, "no answer steers a terminal", case)
    case.run([TAKEN] + [PENDING] * 6, "--json")
    check(case.code == 0 and json.loads(case.out)[0]["state"] == "accepted", "still pending", case)


def main():
    if not os.access(CURL, os.X_OK):
        print("skipped: no curl")
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tests = (good_upload, a_category_stays, token_from_a_file, retries, refusals, checks_before_sending, several_files, usage,
             redirects_are_not_followed, hostile_answers)
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Case(folder, server))
    server.shutdown()
    print(f"{len(tests)} upload tests passed")


if __name__ == "__main__":
    main()
