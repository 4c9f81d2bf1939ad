#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the worked example of docs/formats: a small ledger made from fixed seeds.

It is a second implementation of the formats, written from the documents and not from the C++
code, so that the golden files judge both. Needs the Python package "cryptography".
Usage: make_examples.py [OUTPUT_DIRECTORY]   (default: the directory of this file)
"""
import base64
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def b64(b):
    return base64.b64encode(b).decode()


def b32(b):
    return base64.b32encode(b).decode().rstrip("=").lower()


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


class Key:
    def __init__(self, name, seed):
        self.name, self.seed = name, seed
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = sha(name.encode(), b"\n\x01", self.public)[:4]

    def vkey(self):
        return f"{self.name}+{self.id.hex()}+{b64(bytes([1]) + self.public)}"

    def secret_line(self):
        return f"PRIVATE+KEY+{self.name}+{self.id.hex()}+{b64(bytes([1]) + self.seed)}\n"

    def signature_line(self, text):
        return f"\u2014 {self.name} {b64(self.id + self.private.sign(text.encode()))}\n"


def note(text, *keys):
    return text + "\n" + "".join(k.signature_line(text) for k in keys)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def root(leaves):
    n = len(leaves)
    if n == 0:
        return sha(b"")
    if n == 1:
        return leaves[0]
    k = 1
    while k * 2 < n:
        k *= 2
    return sha(b"\x01", root(leaves[:k]), root(leaves[k:]))


def peaks(leaves):
    out, at = [], 0
    for bit in range(62, -1, -1):
        width = 1 << bit
        if len(leaves) & width:
            out.append(root(leaves[at:at + width]))
            at += width
    return out


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    origin = "ci.example.com/ethos/" + b32(bytes(range(16)))
    run = b32(bytes(range(16, 32)))
    boot = b32(bytes(range(32, 48)))
    epoch0, epoch1 = Key(origin, bytes([1] * 32)), Key(origin, bytes([2] * 32))
    root_key = Key(origin + "/root", bytes([9] * 32))
    leaves, records, checkpoints = [], [], []
    run_state = {"seq": 0, "prev": bytes(32)}

    def append(kind, body, in_run=False):
        record = {"body": body, "ledger": origin, "prev": b64(leaves[-1] if leaves else bytes(32)),
                  "seq": len(leaves), "type": kind, "v": 1,
                  "ts": {"boot": boot, "mono_ns": str(5_000_000_000 + len(leaves)),
                         "wall_ms": 1_790_000_000_000 + len(leaves)}}
        if in_run:
            record |= {"run": run, "run_seq": run_state["seq"], "run_prev": b64(run_state["prev"])}
        raw = canonical(record)
        leaf = sha(b"\x00", raw)
        leaves.append(leaf)
        records.append(raw)
        if in_run:
            run_state["seq"] += 1
            run_state["prev"] = leaf

    def commit(*keys):
        text = f"{origin}\n{len(leaves)}\n{b64(root(leaves))}\n"
        checkpoints.append((len(leaves), note(text, *keys)))

    append("ledger.genesis", {"format": 1, "name": "ci.example.com", "product": "0.1.0",
                              "root_vkey": root_key.vkey(), "vkey": epoch0.vkey()})
    commit(epoch0)
    salt, argv = bytes([7] * 32), b"shellcheck\x00--format=json1\x00"
    c = sha(b"ethos/commit/1\x00", salt, len(argv).to_bytes(8, "big"), argv)
    append("run.open", {"argv": {"c": b64(c), "kind": "argv", "n": len(argv)}}, True)
    append("run.close", {"count": 2}, True)
    commit(epoch0)
    append("ledger.resume", {"reason": "clock_step", "step_ms": -3600000})
    append("key.epoch", {"epoch": 1, "reason": "command", "vkey": epoch1.vkey()})
    commit(epoch0, epoch1)
    append("data.erase", {"authority": "dpo@example.com", "reason": "request", "targets": [b64(c)]},
           True)
    commit(epoch1)

    pin = {"genesis": b64(leaves[0]), "origin": origin, "root_vkey": root_key.vkey(), "v": 1}
    pin["fingerprint"] = b32(sha(b"ethos/pin/1\n", origin.encode(), b"\n", pin["genesis"].encode(),
                                 b"\n", pin["root_vkey"].encode(), b"\n"))[:20]
    pin_min = pin | {"min": {"root": b64(root(leaves[:3])), "size": 3}}
    revoke = note(f"ethos/revoke/1\n{origin}\n{epoch0.vkey()}\n{epoch1.vkey()}\n3\n1790000000000\n",
                  root_key)

    (out / "example.records").write_bytes(b"".join(r + b"\n" for r in records))
    (out / "example.leaves").write_text("".join(h.hex() + "\n" for h in leaves))
    for size, text in checkpoints:
        (out / f"example.checkpoint.{size}").write_text(text)
    (out / "example.pin").write_bytes(canonical(pin) + b"\n")
    (out / "example.pin-min").write_bytes(canonical(pin_min) + b"\n")
    (out / "example.revoke").write_text(revoke)
    (out / "example.key").write_text(epoch0.secret_line())
    (out / "example.root-vkey").write_text(root_key.vkey() + "\n")
    vectors = []
    for s, data in ((salt, argv), (bytes(32), b""), (bytes(range(32)), b"/home/alice/project"),
                    (bytes([255] * 32), bytes(range(256)))):
        vectors.append({"bytes": data.hex(), "c": b64(sha(b"ethos/commit/1\x00", s,
                        len(data).to_bytes(8, "big"), data)), "salt": s.hex()})
    (out / "commitment.json").write_text(json.dumps(vectors, indent=1) + "\n")
    (out / "example.peaks").write_text("".join(
        f"{n} {b''.join(peaks(leaves[:n])).hex()}\n" for n in range(1, len(leaves) + 1)))


main()
