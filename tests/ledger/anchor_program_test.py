#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ethos-ledger anchor and cosign against a time stamp authority and witnesses of our own, over HTTP.

  anchor_program_test.py BIN-DIR

The authority is `openssl ts`; a witness is a few lines over `openssl pkeyutl`. Loopback only.
"""
import base64
import hashlib
import json
import http.server
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

TSA_CONFIG = """
[tsa]
default_tsa = t
[t]
serial = {dir}/serial
signer_cert = {dir}/tsa.pem
signer_key = {dir}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.5
digests = sha256
certs = {dir}/root.pem
ess_cert_id_chain = no
ess_cert_id_alg = sha256
tsa_name = no
"""
FAILURES = []


def check(what, holds, more=""):
    print(("ok      " if holds else "FAILED  ") + what + ("" if holds else ": " + str(more)))
    if not holds:
        FAILURES.append(what)


def run(*command, data=None):
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def consistent(old, new, old_root, new_root, proof):
    """RFC 9162 section 2.1.4.2."""
    if old == new:
        return not proof and old_root == new_root
    proof = list(proof)
    if old & (old - 1) == 0:
        proof.insert(0, old_root)
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    if not proof:
        return False
    fr = sr = proof[0]
    for hash_ in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(hash_, fr), node(hash_, sr)
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, hash_)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == new_root


class Key:
    """An Ed25519 key in a file of OpenSSL's."""

    def __init__(self, directory, name, kind):
        self.name, self.kind = name, kind
        self.path = os.path.join(directory, re.sub(r"\W", "_", name) + ".key")
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path)
        self.public = run("openssl", "pkey", "-in", self.path, "-pubout", "-outform", "DER")[-32:]
        self.id = hashlib.sha256(name.encode() + b"\n" + kind + self.public).digest()[:4]

    def vkey(self):
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(self.kind + self.public).decode()}"

    def sign(self, message):
        with tempfile.NamedTemporaryFile() as file:
            file.write(message)
            file.flush()
            return run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", self.path, "-in", file.name)


class Witness:
    """C2SP tlog-witness: cosigns what continues what it saw, per origin."""

    def __init__(self, directory, name, trusted):
        self.key = Key(directory, name, b"\x04")
        self.trusted = trusted  # vkeys of the log
        self.seen = {}

    def is_signed(self, note):
        text, _, lines = note.rpartition("\n\n")
        for vkey in self.trusted:
            name, key_id, blob = vkey.split("+", 2)
            public = base64.b64decode(blob)[1:]
            for line in lines.splitlines():
                _, signer, signature = line.split(" ")
                raw = base64.b64decode(signature)
                if signer == name and raw[:4].hex() == key_id and verifies(public, raw[4:], text + "\n"):
                    return True
        return False

    def answer(self, body):
        head, _, note = body.partition("\n\n")
        lines = head.split("\n")
        old, proof = int(lines[0][4:]), [base64.b64decode(one) for one in lines[1:]]
        origin, size, root = note.split("\n")[:3]
        size, root = int(size), base64.b64decode(root)
        if not self.is_signed(note):
            return 403, "text/plain", "unknown key"
        last, last_root = self.seen.get(origin, (0, None))
        if old != last or (size == last and root != last_root):
            return 409, "text/x.tlog.size", f"{last}\n"
        if last and not consistent(last, size, last_root, root, proof):
            return 422, "text/plain", "inconsistent"
        self.seen[origin] = (size, root)
        text = note.rpartition("\n\n")[0] + "\n"
        now = int(time.time())
        signature = self.key.sign(f"cosignature/v1\ntime {now}\n{text}".encode())
        blob = base64.b64encode(self.key.id + struct.pack(">Q", now) + signature).decode()
        return 200, "text/plain", f"\u2014 {self.key.name} {blob}\n"


def verifies(public, signature, text):
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("key", "sig", "text")]
        der = bytes.fromhex("302a300506032b6570032100") + public
        for path, content in zip(paths, (der, signature, text.encode())):
            with open(path, "wb") as file:
                file.write(content)
        done = subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey",
                               paths[0], "-sigfile", paths[1], "-in", paths[2]], capture_output=True, check=False)
        return done.returncode == 0


class Authority:
    """A root, a time stamp authority below it, and what it answers to a request."""

    def __init__(self, directory, days):
        self.dir = directory
        os.makedirs(directory)
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        run(*request, "-subj", "/CN=root", "-days", "30", "-keyout", f"{directory}/root.key", "-out",
            f"{directory}/root.pem")
        run(*request, "-subj", "/CN=tsa", "-days", str(days), "-keyout", f"{directory}/tsa.key", "-out",
            f"{directory}/tsa.pem", "-CA", f"{directory}/root.pem", "-CAkey", f"{directory}/root.key", "-addext",
            "extendedKeyUsage=critical,timeStamping", "-addext", "basicConstraints=critical,CA:FALSE")
        with open(f"{directory}/serial", "w", encoding="ascii") as file:
            file.write("01")
        with open(f"{directory}/tsa.cnf", "w", encoding="ascii") as file:
            file.write(TSA_CONFIG.format(dir=directory))

    def answer(self, request):
        path = f"{self.dir}/request"
        with open(path, "wb") as file:
            file.write(request)
        return run("openssl", "ts", "-reply", "-config", f"{self.dir}/tsa.cnf", "-queryfile", path)


class Server:
    """Paths to functions of a body that give (status, type, bytes)."""

    def __init__(self, routes):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, kind, answer = routes[self.path](body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def text_route(witness):
    def answer(body):
        status, kind, text = witness.answer(body.decode())
        return status, kind, text.encode()
    return answer


def main(bin_dir):
    program = os.path.join(bin_dir, "ethos-ledger")
    directory = tempfile.mkdtemp()
    ledger = f"{directory}/l.db"

    def call(*args):
        return subprocess.run([program, args[0], "--ledger", ledger, *args[1:]], capture_output=True, text=True,
                              check=False)

    call("init", "--origin", "ci.example.com", "-o", f"{directory}/pin")
    vkeys = re.findall(r'"vkey":"([^"]+)"', call("show", "--json").stdout)
    first = Witness(directory, "w1.example", vkeys)
    second = Witness(directory, "w2.example", vkeys)
    authority, other = Authority(f"{directory}/tsa", 1), Authority(f"{directory}/other", 1)
    server = Server({"/one/add-checkpoint": text_route(first), "/two/add-checkpoint": text_route(second),
                     "/tsa": lambda body: (200, "application/timestamp-reply", authority.answer(body)),
                     "/other": lambda body: (200, "application/timestamp-reply", other.answer(body)),
                     "/junk": lambda body: (200, "application/timestamp-reply", b"junk"),
                     "/busy": lambda body: (503, "text/plain", b"later")})
    with open(f"{directory}/policy", "w", encoding="ascii") as file:
        file.write(f"witness a {first.key.vkey()} {server.url}/one\nwitness b {second.key.vkey()} {server.url}/two/\n"
                   "group both all a b\nquorum both\n")

    done = call("cosign", "--policy", f"{directory}/policy")
    check("two witnesses cosign", done.returncode == 0 and "cosigned by a, b" in done.stderr, done.stderr)
    call("hold", "--name", "h", "--all", "--reason", "r", "--authority", "a")
    done = call("cosign", "--policy", f"{directory}/policy")
    check("and again from there", done.returncode == 0, done.stderr)
    call("rotate")
    done = call("cosign", "--policy", f"{directory}/policy")
    check("the hand-over is signed by a key they know", done.returncode == 0, done.stderr)
    call("release", "--name", "h", "--reason", "r", "--authority", "a")
    done = call("cosign", "--policy", f"{directory}/policy")
    check("a new epoch's key is not known yet", done.returncode == 3 and "knows no key" in done.stderr, done.stderr)
    vkeys += re.findall(r'"vkey":"([^"]+)"', call("show", "--json", "--type", "key.epoch").stdout)
    done = call("cosign", "--policy", f"{directory}/policy")
    check("until it is handed on", done.returncode == 0, done.stderr)

    roots = f"{directory}/tsa/root.pem"
    done = call("anchor", "--tsa", server.url + "/tsa", "--ca", roots)
    check("a time stamp over HTTP", done.returncode == 0 and "policy 1.2.3.4.5" in done.stderr, done.stderr)
    for path, status, words in (("/other", 3, "time stamp:"), ("/junk", 3, "not a time stamp response"),
                                ("/busy", 3, "answered 503")):
        done = call("anchor", "--tsa", server.url + path, "--ca", roots)
        check(f"an answer of {path} is refused", done.returncode == status and words in done.stderr, done.stderr)
    done = call("anchor", "--prepare", f"{directory}/q")
    call("hold", "--name", "later", "--all", "--reason", "r", "--authority", "a")
    with open(f"{directory}/q", "rb") as file, open(f"{directory}/r", "wb") as out:
        out.write(authority.answer(file.read()))
    done = call("anchor", "--request", f"{directory}/q", "--response", f"{directory}/r", "--ca", roots)
    check("a time stamp by files, for an older checkpoint", done.returncode == 0, done.stderr)
    call("anchor", "--prepare", f"{directory}/q2")
    done = call("anchor", "--request", f"{directory}/q2", "--response", f"{directory}/r", "--ca", roots)
    check("an answer to another request is refused", done.returncode == 3, done.stderr)
    records = call("show", "--json", "--type", "ledger.anchor").stdout
    check("two anchors are recorded", len(records.splitlines()) == 2, records)

    # OpenSSL itself agrees with what is stored.
    bundle = f"{directory}/bundle"
    call("bundle", "-o", bundle)
    import tarfile  # pylint: disable=import-outside-toplevel
    with tarfile.open(bundle) as archive:
        for size, token in re.findall(r'"size":(\d+),"token":"sha256:([0-9a-f]{64})"', records):
            name = f"blob/sha256/{token}"
            with open(f"{directory}/token", "wb") as file:
                file.write(archive.extractfile(name).read())
            note = archive.extractfile(f"checkpoint.d/{int(size):020d}").read()
            text, _, lines = note.decode().rpartition("\n\n")
            origin = text.split("\n", maxsplit=1)[0]
            own = text + "\n\n" + "".join(one + "\n" for one in lines.splitlines() if one.startswith(f"\u2014 {origin} "))
            with open(f"{directory}/own", "wb") as file:
                file.write(own.encode())
            done = subprocess.run(["openssl", "ts", "-verify", "-token_in", "-in", f"{directory}/token", "-data",
                                   f"{directory}/own", "-CAfile", roots], capture_output=True, text=True, check=False)
            check(f"openssl verifies the token over {size} records", done.returncode == 0, done.stderr)
    done = subprocess.run([os.path.join(bin_dir, "ethos-verify"), "--pin", f"{directory}/pin", ledger],
                          capture_output=True, text=True, check=False)
    check("ethos-verify accepts the ledger", done.returncode == 0, done.stdout + done.stderr)
    for what, given in (("ledger", ledger), ("bundle", bundle)):
        done = subprocess.run([os.path.join(bin_dir, "ethos-verify"), "--json", "--pin", f"{directory}/pin", "--policy",
                               f"{directory}/policy", "--tsa-roots", roots, given], capture_output=True, text=True, check=False)
        answer = json.loads(done.stdout or "{}")
        verdicts = {v["name"]: v["result"] for v in answer.get("verdicts", [])}
        check(f"ethos-verify knows the authority and the witnesses of the {what}",
              answer.get("time_stamps", {}).get("good") == 2 and answer["witnesses"]["vouched_size"] > 0
              and verdicts["time"] == "pass" and done.returncode in (0, 4), done.stdout + done.stderr)
    shutil.rmtree(directory)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    if shutil.which("curl") is None or shutil.which("openssl") is None:
        print("skipped: curl or openssl is not installed")
        sys.exit(0)
    sys.exit(main(sys.argv[1]))
