#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives every hash, root, peak, commitment and signature of a ledger anew, from docs/formats alone.

  independent_reader.py LEDGER [BUNDLE|TILES-DIR]    exit 0 and the counts, or 1 and the first fault

Python's standard library and `openssl pkeyutl`; it shares no line with the programs.
"""
import base64
import hashlib
import json
import os
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def b64(text):
    return base64.b64decode(text, validate=True)


def need(holds, what):
    if not holds:
        raise SystemExit("FAULT: " + what)


def push(peaks, leaf):
    """T-3: peaks as (height, hash), biggest first."""
    peaks.append((0, leaf))
    while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
        (height, right), (_, left) = peaks.pop(), peaks.pop()
        peaks.append((height + 1, sha(b"\x01", left, right)))


def fold(peaks):
    root = peaks[-1][1]
    for _, peak in reversed(peaks[:-1]):
        root = sha(b"\x01", peak, root)
    return root


def key_of(vkey):
    name, key_id, blob = vkey.split("+", 2)
    raw = b64(blob)
    need(raw[0] == 1 and len(raw) == 33, "not an Ed25519 vkey")
    need(sha(name.encode(), b"\n", raw)[:4].hex() == key_id, "key id")
    return name, bytes.fromhex(key_id), raw[1:]


def verifies(public, signature, text):
    with tempfile.TemporaryDirectory() as where:
        paths = [os.path.join(where, name) for name in ("key", "signature", "text")]
        for path, content in zip(paths, (bytes.fromhex("302a300506032b6570032100") + public, signature, text)):
            with open(path, "wb") as file:
                file.write(content)
        return subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", paths[0],
                               "-sigfile", paths[1], "-in", paths[2]], capture_output=True, check=False).returncode == 0


def signers(note, vkeys):
    """N-2 to N-5: which of the keys signed; a wrong signature of one is a fault."""
    text, lines = note[:note.rindex(b"\n\n") + 1], note[note.rindex(b"\n\n") + 2:].decode().splitlines()
    found = set()
    for line in lines:
        dash, name, blob = line.split(" ")
        need(dash == "\u2014", "signature line")
        for vkey in vkeys:
            known, key_id, public = key_of(vkey)
            if (name, b64(blob)[:4]) == (known, key_id):
                need(verifies(public, b64(blob)[4:], text), "signature by " + vkey)
                found.add(vkey)
    return found


def commitments(value):
    if isinstance(value, dict):
        if set(value) == {"c", "kind", "n"}:
            yield value
        for one in value.values():
            yield from commitments(one)
    elif isinstance(value, list):
        for one in value:
            yield from commitments(one)


def read_ledger(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    notes = dict(database.execute("SELECT size, note FROM checkpoint ORDER BY size"))
    leaves, peaks, roots, runs, epochs, named = [], [], {}, {}, [], {}
    dropped, pruned = [], None
    for seq, (number, stored, kept) in enumerate(database.execute("SELECT seq, bytes, hash FROM leaf ORDER BY seq")):
        need(number == seq, f"record {seq} is missing")
        if not stored:
            dropped.append(seq)
            leaf = kept
        else:
            leaf = sha(b"\x00", stored)
            need(leaf == kept, f"hash of record {seq}")
            record = json.loads(stored)
            need(json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == stored,
                 f"record {seq} is not canonical")
            need(record["seq"] == seq and b64(record["prev"]) == (leaves[-1] if leaves else bytes(32)), f"place of record {seq}")
            if "run" in record:
                count, last = runs.get(record["run"], (0, bytes(32)))
                need((record["run_seq"], b64(record["run_prev"])) == (count, last), f"run of record {seq}")
                runs[record["run"]] = (count + 1, leaf)
            if record["type"] in ("ledger.genesis", "key.epoch"):
                epochs.append((seq, record["body"]["vkey"], record["body"].get("reason")))
            if record["type"] == "ledger.prune":
                pruned = record["body"]
            for one in commitments(record["body"]):
                named[b64(one["c"])] = one
        leaves.append(leaf)
        push(peaks, leaf)
        roots[seq + 1] = fold(peaks)
    need(bool(leaves), "no record")
    if dropped:
        listing = "".join(f"{seq}\n" for seq in dropped).encode()
        need(pruned is not None and pruned["total"] == len(dropped) and pruned["list"] == "sha256:" + sha(listing).hex() and
             dropped[-1] < pruned["below"], "records were dropped and nobody ordered it")
    need(max(notes) == len(leaves), "the last checkpoint covers other records")
    for size, note in notes.items():
        origin, stated, root = note.decode().split("\n")[:3]
        need(int(stated) == size and b64(root) == roots[size], f"root of checkpoint {size}")
        # K-6, K-7: the key of the size's epoch, and at a hand-over the next one too.
        at = max(i for i, (seq, _, _) in enumerate(epochs) if i == 0 or seq + 1 < size)
        expected = {epochs[at][1]}
        if at + 1 < len(epochs) and epochs[at + 1][0] + 1 == size:
            expected = {epochs[at + 1][1]} if epochs[at + 1][2] == "revoked" else expected | {epochs[at + 1][1]}
        need(key_of(epochs[at][1])[0] == origin, "origin")
        need(expected <= signers(note, [vkey for _, vkey, _ in epochs]), f"signatures of checkpoint {size}")
    opened = 0
    for c, kind, salt, stored in database.execute("SELECT c, kind, salt, bytes FROM disclosure"):
        need(sha(b"ethos/commit/1\x00", salt, struct.pack(">Q", len(stored)), stored) == c, "commitment")
        need(c in named and named[c]["kind"] == kind and named[c]["n"] == len(stored), "disclosure of nothing")
        opened += 1
    for digest, stored in database.execute("SELECT sha256, bytes FROM blob"):
        need(sha(stored) == digest, "blob")
    tail = database.execute("SELECT peaks, epoch, epoch_seq FROM tail").fetchone()
    need(tail == (b"".join(peak for _, peak in peaks), len(epochs) - 1, epochs[-1][0]), "tail")
    return leaves, dict(notes), f"{len(leaves)} records ({len(dropped)} dropped), {len(runs)} runs, {len(notes)} checkpoints, " \
                                f"{len(epochs)} epochs, {opened} disclosures"


def check_tiles(read, leaves, notes):
    """C2SP tlog-tiles of a tree of as many leaves as its checkpoint says."""
    note = read("checkpoint")
    size = int(note.decode().split("\n")[1])
    need(notes[size] == note, "checkpoint of the tiles")
    level, hashes = 0, leaves[:size]
    while hashes:
        above = []
        for at in range(0, len(hashes), 256):
            tile = hashes[at:at + 256]
            number = f"{at // 256:03d}" if at // 256 < 1000 else f"x{at // 256000:03d}/{at // 256 % 1000:03d}"
            suffix = "" if len(tile) == 256 else f".p/{len(tile)}"
            need(read(f"tile/{level}/{number}{suffix}") == b"".join(tile), f"hash tile {level} {number}")
            if level == 0:
                entries, place = read(f"tile/entries/{number}{suffix}"), 0
                for leaf in tile:
                    length = struct.unpack_from(">H", entries, place)[0]
                    need(length == 0 or sha(b"\x00", entries[place + 2:place + 2 + length]) == leaf, "entry")
                    place += 2 + length
                need(place == len(entries), "entries are left over")
            if len(tile) == 256:
                peaks = []
                for one in tile:
                    push(peaks, one)
                above.append(fold(peaks))
        level, hashes = level + 1, above
    return f"; tiles of {size} leaves"


def main(arguments):
    leaves, notes, said = read_ledger(arguments[0])
    if len(arguments) > 1 and os.path.isdir(arguments[1]):
        def read(name):
            with open(os.path.join(arguments[1], name), "rb") as file:
                return file.read()
        said += check_tiles(read, leaves, notes)
    elif len(arguments) > 1:
        with tarfile.open(arguments[1]) as archive:
            said += check_tiles(lambda name: archive.extractfile(name).read(), leaves, notes)
    print(said)


if __name__ == "__main__":
    main(sys.argv[1:])
