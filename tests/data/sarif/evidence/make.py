#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the evidence documents beside it: good_*.json, and fail_*.json with one fault each."""
import copy
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = "caireeyuculbogazdinryhi6d4"
ORIGIN = "ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4"


def commitment(kind):
    return {"c": "TH9a1Ur8ahqxqYSvgPanngHzKJvQL/OjiD8M1sR9V8I=", "kind": kind, "n": 26}


def document(bodies, first=1, step=1):
    records = [
        {"body": body, "ledger": ORIGIN, "prev": "A" * 43 + "=", "run": RUN, "run_prev": "A" * 43 + "=",
         "run_seq": i, "seq": first + i * step, "type": kind, "v": 1,
         "ts": {"boot": "eaqseizeeutcokbjfivsyljof4", "mono_ns": str(5000000000 + i),
                "wall_ms": 1790000000000 + i * 10}}
        for i, (kind, body) in enumerate(bodies)]
    last = records[-1]["seq"]
    return {"v": 1, "kind": "ethos-evidence", "records": records,
            "ledger": {"origin": ORIGIN, "run": RUN, "first_seq": first, "last_seq": last,
                       "checkpoint": f"{ORIGIN}\n{last + 1}\nroot\n\n\u2014 sig\n"}}


def grant(**body):
    return ("capability.grant", body)


def denial(**body):
    return ("runtime.sandbox_denial", body)


def close(records, **body):
    rest = {"denials": {"acts": "0", "records": 0}, "gaps": 0, "limits": [], "records": records,
            "teardown": {"cgroup": "none", "processes_left": 0, "scratch": "gone"},
            "usage": {"cpu_ms": 100, "max_rss_bytes": "1000"}}
    return ("run.close", rest | body)


OPEN = ("run.open", {
    "argc": 2, "argv": commitment("argv"), "caller": {"gid": 0, "pid": 7, "uid": 0},
    "ceilings": [{"name": "workspace/1", "sha256": "sha256:" + "0" * 64}], "class": "namespace",
    "exe": {"measured": "before_start", "path": {"base": "system", "path": "usr/bin/shellcheck"},
            "sha256": "sha256:" + "1" * 64, "size": 5},
    "host": {"arch": "x86_64", "cgroup": "none", "kernel": "6.1.0", "landlock_abi": 2},
    "observe": "writes", "origin": "workspace", "product": "0.1.0", "profile": "lint-offline",
    "repository": {"layout": "directory", "revision": "a" * 40}, "tool": "shellcheck",
    "workspace": {"dev": "1", "ino": "2", "path": commitment("workspace")}})

GRANTS = [
    grant(cap="fs.read", dev="1", ino="2", path={"base": "workspace", "path": "."}, type="dir"),
    grant(cap="fs.read", dev="1", ino="3", path={"base": "system", "path": "usr"}, type="dir"),
    grant(cap="fs.write", created=True, delete=False, dev="1", ino="4",
          path={"base": "workspace", "path": ".ethos/out"}, staged=True, type="dir"),
    grant(cap="network", mode="none"), grant(cap="git", layout="directory", mode="none"),
    grant(cap="env", fixed=[], **{"pass": ["LANG"]}),
    grant(cap="limit", enforced_by="rlimit", name="memory_bytes", value="2147483648"),
    grant(cap="limit", enforced_by="supervisor", name="wall_ms", value="300250")]

ENFORCED = ("sandbox.enforced", {
    "k": {"caps": {}, "listener": True, "no_new_privs": 1, "ns_shared": [], "seccomp": 2,
          "seccomp_filters": 1,
          "ns": {name: f"40265325{i:02d}" for i, name in
                 enumerate(["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"])}},
    "p": [{"errno": 13, "name": "open_ungranted"}],
    "s": {"init": "sha256:" + "2" * 64, "landlock": {"abi": "2"},
          "seccomp": {"name": "writes-none", "sha256": "sha256:" + "3" * 64}},
    "sources": ["pidfd", "seccomp_notify"], "weaker": [{"by": "rlimit", "limit": "memory_bytes"}]})

EVENTS = [
    denial(count=3, errno=13, mark="A", object={"base": "workspace", "path": "src/tabs.sh"},
           operation="openat", outcome="denied", phase="run", rule="outside-grants", source="seccomp"),
    denial(count=1, errno=13, mark="A", object={"base": "workspace", "path": ".git/hooks/pre-commit"},
           operation="openat", outcome="denied", phase="run", rule="git", source="seccomp"),
    denial(count=1, errno=13, mark="A", object={"base": "host", "commit": commitment("path")},
           operation="openat", outcome="denied", phase="run", rule="outside-grants", source="seccomp"),
    denial(count=2, errno=0, mark="A", object={"address": "192.0.2.1:443"}, operation="connect",
           outcome="attempt", phase="run", rule="no-network", source="seccomp"),
    ("resource.limit", {"action": "killed", "enforced_by": "supervisor", "limit": "wall", "mark": "S",
                        "observed": "300260", "source": "timer", "value": "300250"}),
    ("run.gap", {"lost": "5", "reason": "flood", "source": "seccomp"})]

REFUSAL = denial(cause="user namespaces are off", count=1, errno=1, mark="S", operation="clone",
                 fix="sysctl kernel.unprivileged_userns_clone=1", outcome="denied", phase="setup",
                 rule="userns", source="launcher")


def write(name, value):
    with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(value, file, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def main():
    started = [OPEN, *GRANTS, ENFORCED]
    stopped = started + EVENTS
    denials = document(stopped + [close(
        len(stopped) + 1, denials={"acts": "7", "records": 4}, duration_ms=300260, ended_by="wall",
        exit={"signal": 9}, gaps=1, limits=["wall"], status=124)], first=10, step=2)
    denials["declaration"] = {"uri": "ethos.json", "lines": {"shellcheck": 4, "other": 9}}
    clean = document(started + [close(len(started) + 1, duration_ms=812, ended_by="tool",
                                      exit={"code": 1}, status=1)])
    refused = document([OPEN, REFUSAL, close(3, duration_ms=0, ended_by="refused", status=120)])
    write("good_denials", denials)
    write("good_clean", clean)
    write("good_refused", refused)
    faults = {
        "version": lambda d: d.update(v=2),
        "kind": lambda d: d.update(kind="other"),
        "unknown_key": lambda d: d.update(extra=1),
        "no_records": lambda d: d.update(records=[]),
        "other_run": lambda d: d["records"][3].update(run="x" * 26),
        "other_ledger": lambda d: d["records"][3].update(ledger="y"),
        "hole": lambda d: d["records"].pop(3),
        "seq_back": lambda d: d["records"][5].update(seq=1),
        "first_seq": lambda d: d["ledger"].update(first_seq=0),
        "last_seq": lambda d: d["ledger"].update(last_seq=99),
        "no_checkpoint": lambda d: d["ledger"].pop("checkpoint"),
        "not_open_first": lambda d: d["records"][0].update(type="run.gap"),
        "open_twice": lambda d: d["records"][2].update(type="run.open"),
        "record_version": lambda d: d["records"][2].update(v=2),
        "body_list": lambda d: d["records"][2].update(body=[]),
    }
    for name, apply in faults.items():
        broken = copy.deepcopy(clean)
        apply(broken)
        write("fail_" + name, broken)


if __name__ == "__main__":
    main()
