#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of the policy vectors; what a file already expects is kept.

Each case is a declaration, ceilings and facts. Facts of paths are given shortly and expanded here."""
import copy
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
WORKSPACE = "/home/dev/proj"


def path_object(text):
    if not text.startswith("/"):
        return {"base": "workspace", "path": text}
    first = text[1:].split("/")[0]
    system = text == "/" or first.startswith("lib") or first in "usr bin sbin etc opt dev proc sys run".split()
    return {"base": "system" if system else "host", "path": text[1:] or "."}


def path(cap, asked, ino=0, kind="dir", state="present", nlink=None, holds=None, errno=None, uid=1000):
    out = {"asked": asked, "cap": cap, "state": state}
    if state in ("present", "created"):
        out.update(dev="65024", ino=str(ino), nlink=nlink or (2 if kind == "dir" else 1), path=path_object(asked), type=kind, uid=uid)
        if holds:
            out["holds"] = holds
    if errno:
        out["errno"] = errno
    return out


def hide(name, kind="file", by="hide"):
    return {"by": by, "path": path_object(name), "type": kind}


HOST = {"arch": "x86_64", "cgroup_controllers": ["cpu", "memory", "pids"], "cgroup_kill": True, "gid": 1000, "groups": [27, 1000],
        "kernel": "6.1.0-25-amd64", "landlock_abi": 2, "overlay_userxattr": False, "uid": 1000}
IO_HOST = dict(HOST, cgroup_controllers=["cpu", "io", "memory", "pids"])
BARE_HOST = dict(HOST, cgroup_controllers=[], cgroup_kill=False, kernel="6.18.15", landlock_abi=7, overlay_userxattr=True, uid=0, gid=0, groups=[])
SYSTEM = {"dirs": [{"at": "/usr", "dev": "65024", "ino": "11"}],
          "etc": [{"at": "/etc/alternatives", "dev": "65024", "ino": "12", "type": "dir"},
                  {"at": "/etc/ld.so.cache", "dev": "65024", "ino": "13", "type": "file"}],
          "links": [{"at": "/bin", "to": "usr/bin"}, {"at": "/etc/localtime", "to": "/usr/share/zoneinfo/Etc/UTC"},
                    {"at": "/lib", "to": "usr/lib"}, {"at": "/lib64", "to": "usr/lib64"}, {"at": "/sbin", "to": "usr/sbin"}]}


def facts(paths, hides=(), host=HOST, env=(), cwd=".", git="directory", policy=("ethos.json",), system=SYSTEM):
    layout = {"layout": git}
    if git != "none":
        layout.update(dev="65024", ino="21")
    return {"cwd": path_object(cwd), "env": sorted(env), "git": layout, "hides": list(hides), "host": copy.deepcopy(host), "paths": list(paths),
            "policy": [path_object(p) for p in policy], "system": copy.deepcopy(system), "v": 1,
            "workspace": {"dev": "65024", "gid": 1000, "ino": "20", "uid": 1000}}


def tool(**keys):
    body = dict({"command": ["true"]}, **keys)
    return json.dumps({"version": 1, "tools": {"t": body}}, ensure_ascii=False)


ROOT = path("read", ".", 20)
GIT = hide(".git", "dir", "git")
CASES = []


def case(name, about, declaration, facts=None, ceilings=(), origin="workspace", tool="t", workspace=WORKSPACE):
    CASES.append((name, {"about": about, "workspace": workspace, "declaration": declaration, "tool": tool, "origin": origin,
                         "ceilings": [c if isinstance(c, str) else json.dumps(c) for c in ceilings], "facts": facts}))


# --- what is granted -----------------------------------------------------------------------------
case("01-defaults", "Everything left out: profile lint-offline, the workspace readable, .git hidden", tool(), facts([ROOT], [GIT]))
case("02-linter", "A linter as a project would declare it, with comments, units and an enforce list", """{ "version": 1, // the only one
  "$schema": "https://example.org/declaration.schema.json",
  "tools": { /* one */ "shellcheck": {
    "command": ["shellcheck", "--format=json1"], "read": ["."], "write": [".ethos/out"], "hide": [".env", "**/*.pem"],
    "network": "none", "git": "none", "env": ["LANG", "TERM=dumb"],
    "limits": {"wall": "300s", "memory": "2GiB", "cpu": "150%", "pids": 256, "output": "16MiB", "scratch": "256MiB", "inodes": "20000"},
    "enforce": {"memory": ["cgroup", "rlimit"], "pids": "supervisor"}, "observe": "writes", "output_format": "shellcheck-json1" } } }""",
     facts([ROOT, path("write", ".ethos/out", 30, state="created")], [hide(".env"), GIT, hide("certs/server.pem")], env=["LANG"]), tool="shellcheck")
case("03-build", "Profile build-offline: scratch and workspace may be executed, output below an exec grant too",
     tool(profile="build-offline", command=["make", "-j2"], write=["build"]),
     facts([ROOT, path("write", "build", 31), path("exec", ".", 20)], [GIT]))
case("04-no-proc", "Profile no-proc: no /proc in the cage", tool(profile="no-proc"), facts([ROOT], [GIT]))
case("05-no-cgroup", "Without controllers memory falls to rlimit and pids to the supervisor, as their lists say", tool(), facts([ROOT], [GIT], host=BARE_HOST))
case("06-paths-normal", "Paths are normalised, absolute ones inside the workspace become relative, doubles merge",
     tool(read=["./src//lib/", WORKSPACE + "/src/lib", {"path": "docs/.", "optional": True}, {"path": "docs", "optional": True}, WORKSPACE],
          write=[{"path": "out/", "delete": False}, {"path": "./out", "delete": True}]),
     facts([ROOT, path("read", "docs", state="absent"), path("read", "src/lib", 41), path("write", "out", 42)], [GIT]))
case("07-optional", "An optional read entry that is missing gives no grant", tool(read=["src", {"path": "vendor", "optional": True}]),
     facts([path("read", "src", 40), path("read", "vendor", state="absent")], git="none"))
case("08-exec-below-read", "An exec grant below a read grant is a mount of its own; the rest stays noexec",
     tool(exec=["tools/run.sh", "@memory"]), facts([ROOT, path("exec", "tools/run.sh", 43, "file")], [GIT]))
case("09-nested-reads", "Grants that another grant or the base runtime already shows get no mount", tool(read=[".", "src", "/usr/share/dict", "/opt/sdk"],
     exec=["/usr/lib/gcc", "/opt/sdk/bin"]),
     facts([path("read", ".", 20), path("read", "/opt/sdk", 50, uid=0), path("read", "/usr/share/dict", 51, uid=0), path("read", "src", 40),
            path("exec", "/opt/sdk/bin", 52, uid=0), path("exec", "/usr/lib/gcc", 53, uid=0)], [GIT]))
# The facts above must stand in the order of the normal form: "." < "/opt/sdk" < "/usr/share/dict" < "src".
case("10-file-write", "A write grant of a file is a bind, not staged", tool(write=["report.xml"]),
     facts([ROOT, path("write", "report.xml", 60, "file")], [GIT]))
case("11-write-all", "The whole workspace staged, with deletions; reads below it need no mount; cwd is kept",
     tool(read=[".", "src"], write=[{"path": ".", "delete": True}], exec=["bin"]),
     facts([ROOT, path("read", "src", 40), path("write", ".", 20), path("exec", "bin", 44)], [GIT], cwd="src/app"))
case("12-git-read", "git: read shows .git without what may hold secrets", tool(git="read"),
     facts([ROOT], [hide(".git/config", "file", "git"), hide(".git/hooks", "dir", "git"), hide(".git/info", "dir", "git"), hide(".git/logs", "dir", "git"),
                    hide(".git/modules/lib/config", "file", "git")]))
case("13-git-file", "A worktree: .git is a file, and it is hidden like a directory", tool(), facts([ROOT], [hide(".git", "file", "git")], git="file"))
case("14-env", "Fixed values, passed names that are set, passed names that are not set", tool(env=["LANG", "EDITOR", "PATH=/usr/bin", "GIT_PAGER", "CI=true", "EMPTY="]),
     facts([ROOT], [GIT], env=["LANG"]))
case("15-loopback-all", "Network loopback, everything observed, truncated output, fixed arguments",
     tool(network="loopback", observe="all", on_output_limit="truncate", args="fixed"), facts([ROOT], [GIT]))
case("16-limits", "Every limit, in every unit", tool(limits={"wall": "1500ms", "memory": "3GB", "swap": 0, "cpu": "50%", "pids": "7", "output": 1, "file_size": "2MB",
     "open_files": 64, "scratch": "1KB", "staged": "1KiB", "inodes": 10}), facts([ROOT], [GIT]))
case("17-narrowed-by-ceiling", "An organisation's ceiling that the declaration respects", tool(limits={"wall": "60s", "memory": "1GiB"}), facts([ROOT], [GIT]),
     ceilings=[{"version": 1, "name": "acme-ci", "read": [".", "/usr"], "write": ["build", ".ethos/"], "network": ["none"], "git": ["none"],
                "profiles": ["lint-offline"], "limits": {"wall": "1h", "memory": "4GiB"}, "pinned": ["sha256:" + "0" * 64]}])
case("18-pinned", "A pinned declaration is not under the built-in ceiling", tool(read=["/srv/data"], env=["DEPLOY_TOKEN"]),
     facts([path("read", "/srv/data", 70, uid=0)], env=["DEPLOY_TOKEN"]), origin="pinned")
case("19-workspace-in-tmp", "A workspace below /tmp is still `workspace`; what else lies there is scratch inside", tool(read=[".", "/tmp/cache"]),
     facts([ROOT, path("read", "/tmp/cache", 71)], [GIT]), origin="revision", workspace="/tmp/job/proj")
case("20-hide-forms", "The full form of patterns", tool(hide=[".env", "/.env", "a/b", "**/c/*.key", "node_modules/", "x/**", "**"]), facts([path("read", ".", 20)], [], git="none"))
case("21-old-layout", "A host where /lib is a directory: it is bound like /usr", tool(),
     facts([ROOT], [GIT], system={"dirs": [{"at": "/bin", "dev": "65024", "ino": "14"}, {"at": "/lib", "dev": "65024", "ino": "15"},
                                            {"at": "/usr", "dev": "65024", "ino": "11"}], "etc": [], "links": []}))
case("22-cwd-hidden", "The caller stands in a hidden directory: the tool starts at the workspace root", tool(hide=["secret/"]),
     facts([ROOT], [GIT, hide("secret", "dir")], cwd="secret/x"))
case("23-cwd-ungranted", "The caller stands outside every grant", tool(read=["src"]), facts([path("read", "src", 40)], cwd="docs", git="none"))
case("24-order", "Bytes decide the order: '-' before '.', upper before lower case, UTF-8 after ASCII", tool(read=["é", "a", "B", "-x", ".y", "a/b"], write=["a-b"]),
     facts([path("read", "-x", 1), path("read", ".y", 2), path("read", "B", 3), path("read", "a", 4), path("read", "a/b", 5), path("read", "é", 6),
            path("write", "a-b", 7)], git="none"))
case("25-read-equals-write", "read, write and exec of one path: one mount, one rule", tool(read=["out"], write=["out"], exec=["out"]),
     facts([path("read", "out", 30), path("write", "out", 30), path("exec", "out", 30)], git="none"))
case("26-policy-files", "A ceiling and a decision inside the workspace are policy files too", tool(write=["."]),
     facts([ROOT, path("write", ".", 20)], [GIT], policy=["ci/ceiling.json", "ethos.json"]))
case("27-git-read-none", "git: read without a repository", tool(git="read"), facts([ROOT], git="none"))

# --- what is refused -----------------------------------------------------------------------------
case("40-not-json", "A trailing comma", '{"version": 1,\n "tools": {"t": {"command": ["true"],}}}')
case("41-duplicate", "A key twice, once with an escape", '{"version": 1, "tools": {"t": {\n "command": ["true"], "\\u0063ommand": ["false"]}}}')
case("42-unknown-key", "An unknown key", tool(colour="red"))
case("43-dotdot", "A path that leads upward", tool(read=["src/../.."]))
case("44-float", "A number that is no integer", '{"version": 1, "tools": {"t": {"command": ["true"], "limits": {"pids": 1.5}}}}')
case("45-version", "An unknown version", '{"version": 2, "tools": {"t": {"command": ["true"]}}}')
case("46-enforcer", "cpu has no rlimit form", tool(limits={"cpu": "50%"}, enforce={"cpu": "rlimit"}))
case("47-env-loader", "LD_PRELOAD can never be set", tool(env=["LD_PRELOAD=/tmp/x.so"]))
case("48-env-twice", "A name given twice", tool(env=["A=1", "A"]))
case("49-limit-zero", "A limit of nothing", tool(limits={"pids": 0}))
case("50-enforce-without-value", "enforce for a limit that has no value", tool(enforce={"swap": "cgroup"}))
case("51-ceiling-bad", "A ceiling with an unknown key", tool(), ceilings=['{"version": 1, "name": "x",\n "wirte": []}'])
case("52-ceiling-read", "A workspace file asks for /etc/shadow", tool(read=["/etc/shadow"]),
     facts([path("read", "/etc/shadow", 80, "file", uid=0)]))
case("53-ceiling-write", "A workspace file asks to write outside", tool(write=["/srv/www"]), facts([ROOT, path("write", "/srv/www", 81)], [GIT]))
case("54-ceiling-env", "A secret-looking name, in lower case", tool(env=["my_api_key"]), facts([ROOT], [GIT], env=["my_api_key"]))
case("55-ceiling-limit", "More memory than the organisation allows", tool(limits={"memory": "5GiB"}), facts([ROOT], [GIT]),
     ceilings=[{"version": 1, "name": "acme-ci", "limits": {"memory": "4GiB"}}])
case("56-ceiling-undeclared", "A limit that the ceiling names has to have a value", tool(), facts([ROOT], [GIT]),
     ceilings=[{"version": 1, "name": "acme-ci", "limits": {"cpu": "200%"}}])
case("57-ceiling-network", "loopback under a ceiling that says none; the profile is named first", tool(network="loopback", profile="build-offline"),
     facts([ROOT, path("exec", ".", 20)], [GIT]), ceilings=[{"version": 1, "name": "a", "network": ["none"], "profiles": ["lint-offline"]}])
case("58-ceiling-dot", "'/' covers every absolute path but not the workspace", tool(), facts([ROOT], [GIT]), ceilings=[{"version": 1, "name": "a", "read": ["/"]}])
case("59-microvm", "A class that is not there is never replaced by a weaker one", tool(**{"class": "microvm"}), facts([ROOT], [GIT]))
case("60-missing", "A read entry that is missing", tool(read=["src"]), facts([path("read", "src", state="absent")], git="none"))
case("61-symlink", "A symbolic link on the way", tool(read=["link/src"]), facts([path("read", "link/src", state="refused", errno=40)], git="none"))
case("62-no-enforcer", "A limit that nothing on this host can hold", tool(limits={"cpu": "50%"}), facts([ROOT], [GIT], host=BARE_HOST))
case("63-reserved", "The cage has its own /proc", tool(read=["/proc/self"]), facts([path("read", "/proc/self", 82)], git="none"), origin="pinned")
case("64-git-write", "Nothing in .git is writable, in any case of letters", tool(git="read", write=["sub/.GIT/hooks"]),
     facts([ROOT, path("write", "sub/.GIT/hooks", 83)], []))
case("65-git-read-grant", "A read grant inside .git under git: none", tool(read=[".git/refs"]), facts([path("read", ".git/refs", 84)], []))
case("66-hidden-write", "A write grant below something hidden", tool(hide=["secret/"], write=["secret/out"]), facts([ROOT, path("write", "secret/out", 85)], [GIT, hide("secret", "dir")]))
case("67-nested-write", "A write grant below another", tool(write=["out", "out/sub"]), facts([ROOT, path("write", "out", 30), path("write", "out/sub", 86)], [GIT]))
case("68-system-write", "Even without a ceiling the system is never writable", tool(write=["/usr/local/x"]), facts([path("read", ".", 20), path("write", "/usr/local/x", 87)], [GIT]), origin="pinned")
case("28-small-memory", "The defaults of scratch and staged shrink with memory", tool(limits={"memory": "100MiB"}), facts([ROOT], [GIT]))
case("29-home-write", "A directory below somebody's home, granted by a pinned declaration", tool(write=["/home/dev/out"], hide=["*.pem"]),
     facts([path("read", ".", 20), path("write", "/home/dev/out", 92)], [GIT]), origin="pinned")
case("69-memory", "Scratch counts against memory", tool(limits={"memory": "512MiB", "scratch": "384MiB"}), facts([ROOT], [GIT]))
case("70-memory-rlimit", "It does not when memory is held by rlimit", tool(limits={"memory": "512MiB", "scratch": "1GiB"}), facts([ROOT], [GIT], host=BARE_HOST))
case("71-holds-home", "A grant that holds the caller's home", tool(read=["/home"]), facts([path("read", "/home", 88, holds=["home", "ledger", "workspace"], uid=0)], git="none"), origin="pinned")
case("72-hard-link", "A file with other names cannot be written", tool(write=["a.txt"]), facts([ROOT, path("write", "a.txt", 89, "file", nlink=2)], [GIT]))
case("73-policy-write", "The declaration itself is never writable", tool(write=["ethos.json"]), facts([ROOT, path("write", "ethos.json", 90, "file")], [GIT]))
case("74-first-reason", "Of several reasons the ceiling's comes first", tool(read=["/proc/x", "gone"], **{"class": "microvm"}),
     facts([path("read", "/proc/x", state="refused", errno=2), path("read", "gone", state="absent")], git="none"))
case("75-git-config", "git: read does not show .git/config, so a grant of it contradicts", tool(git="read", read=[".git/config"]),
     facts([path("read", ".git/config", 91, "file")], []))
case("76-io", "Bytes a second from and to disks, where the controller is", tool(limits={"io_read": "10MiB", "io_write": "64KiB"}), facts([ROOT], [GIT], host=IO_HOST))
case("77-io-nowhere", "No weaker form of an io limit takes its place", tool(limits={"io_write": "1MB"}), facts([ROOT], [GIT]))
case("78-io-slow", "Below 64 KiB a second a page would take too long", tool(limits={"io_read": 65535}), facts([ROOT], [GIT], host=IO_HOST))

for name, members in CASES:
    target = HERE / (name + ".json")
    kept = {}
    if target.exists() and "--fresh" not in sys.argv:
        old = json.loads(target.read_text())
        kept = {k: old[k] for k in ("normal", "grants", "plan", "refusal") if k in old}
    dump = lambda v: json.dumps(v, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    lines = ["%s:%s" % (dump(k), dump(v)) for k, v in list(members.items()) + list(kept.items()) if v is not None]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(len(CASES), "cases")
