#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every program does when standard output is full, closed or has no reader, when its own
descriptors 0 to 2 are closed, and when a file may not grow: a message and a status, no death by a
signal, and nothing in a file that does not belong there.

    check_streams.py BIN-DIR
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

SARIF = ('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":'
         '[{"message":{"text":"m"},"ruleId":"r"}]}]}')
# Each prints something on standard output and, with a place for it, ends with 0.
PRINTS = {
    "ethos-run": [["--help"], ["--version"], ["plan", "--help"], ["plan", "--json", "--workspace", "ws", "--", "true"], ["doctor", "--help"],
                  ["drift", "a.json", "a.json"]],
    "ethos-ledger": [["--help"], ["--version"], ["show", "--ledger", "l.db"], ["runs", "--help"]],
    "ethos-sarif": [["--help"], ["--version"], ["formats"], ["list", "a.sarif"], ["summary", "a.sarif"]],
    "ethos-report": [["--help"], ["--version"], ["zones", "--help"]],
    "ethos-verify": [["--help"], ["--version"], ["--pin", "pin.json", "l.db"], ["--explain", "assertions"]],
}
LOST = {"ethos-run": 125, "ethos-ledger": 5, "ethos-sarif": 3, "ethos-report": 3, "ethos-verify": 3}


def environment(home):
    return {"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C", "TMPDIR": home}


def run(words, home, **how):
    return subprocess.run(words, cwd=home, env=environment(home), timeout=120, check=False,
                          stdin=subprocess.DEVNULL, **how)


def closes(*numbers):
    def close():
        for number in numbers:
            os.close(number)
    return close


def no_growth():
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def without_reader(words, home):
    out, into = os.pipe()
    os.close(out)
    try:
        return run(words, home, stdout=into, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(into)


def prints(directory, home, faults):
    for program, commands in PRINTS.items():
        for arguments in commands:
            words = [os.path.join(directory, program), *arguments]
            shown = " ".join([program, *arguments])
            plain = run(words, home, capture_output=True, text=True)
            if plain.returncode != 0 or not plain.stdout:
                faults.append(f"{shown}: ends with {plain.returncode}, prints {len(plain.stdout)}: {plain.stderr}")
                continue
            with open("/dev/full", "w") as full:
                done = run(words, home, stdout=full, stderr=subprocess.PIPE, text=True)
            if done.returncode != LOST[program] or "could not be written" not in done.stderr:
                faults.append(f"{shown} >/dev/full: {done.returncode}, {done.stderr!r}")
            done = run(words, home, stderr=subprocess.PIPE, text=True, preexec_fn=closes(1))
            if done.returncode != LOST[program] or done.stderr.count("\n") > 1:
                faults.append(f"{shown} >&-: {done.returncode}, {done.stderr!r}")
            done = without_reader(words, home)
            if done.returncode != LOST[program]:
                faults.append(f"{shown} | true: {done.returncode}, {done.stderr!r}")
            done = run(words, home, preexec_fn=closes(0, 1, 2))
            if done.returncode != LOST[program]:
                faults.append(f"{shown} <&- >&- 2>&-: {done.returncode}")


def outputs(directory, home, faults):
    """Files that a program writes with no descriptors of its own are the same as ever."""
    def path(name):
        return os.path.join(directory, name)
    cases = [([path("ethos-sarif"), "merge", "a.sarif", "b.sarif", "-o"], "merged"),
             ([path("ethos-ledger"), "bundle", "--ledger", "l.db", "-o"], "bundle"),
             ([path("ethos-verify"), "--pin", "pin.json", "l.db", "--transcript"], "transcript")]
    for words, name in cases:
        plain = run([*words, name], home, capture_output=True, text=True)
        if plain.returncode == 0:
            os.rename(f"{home}/{name}", f"{home}/{name}.1")
        else:
            faults.append(f"{name}: {plain.stderr}")
            continue
        # Only standard output can be missed: what it would have said is lost, the file is not.
        closed = run([*words, name], home, preexec_fn=closes(0, 1, 2))
        if closed.returncode < 0 or open(f"{home}/{name}.1", "rb").read() != open(f"{home}/{name}", "rb").read():
            faults.append(f"{name}: other bytes when 0 to 2 are closed ({closed.returncode})")
        before = set(os.listdir(home))
        small = run([*words, name + ".3"], home, capture_output=True, text=True, preexec_fn=no_growth)
        if small.returncode <= 0 or small.stderr.count("\n") != 1:
            faults.append(f"{name} with a limit on the size of files: {small.returncode}, {small.stderr!r}")
        if set(os.listdir(home)) != before:
            faults.append(f"{name} leaves {set(os.listdir(home)) - before}")


def killed(directory, home, faults):
    """A copy of the evidence goes away with the program that made it."""
    words = [os.path.join(directory, "ethos-verify"), "--pin", "pin.json", "-"]
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        temporary = f"{home}/tmp{int(sent)}"
        os.mkdir(temporary)
        with subprocess.Popen(words, cwd=home, env={**environment(home), "TMPDIR": temporary}, stdin=subprocess.PIPE) as child:
            with open(home + "/l.db", "rb") as ledger:
                child.stdin.write(ledger.read(40000))
            child.stdin.flush()
            for _ in range(2000):
                inside = [os.path.join(temporary, d, "input") for d in os.listdir(temporary)]
                if inside and os.path.exists(inside[0]) and os.path.getsize(inside[0]) > 0:
                    break
                time.sleep(0.01)
            else:
                faults.append("no copy of standard input is made")
            child.send_signal(sent)
            status = child.wait(60)
        if status != -sent or os.listdir(temporary):
            faults.append(f"ethos-verify ended by {sent.name}: {status}, leaves {os.listdir(temporary)}")


def tool_output(directory, home, faults):
    words = [os.path.join(directory, "ethos-run"), "--ledger", "l.db", "--workspace", "ws", "--read", ".", "--", "echo", "hello"]
    plain = run(words, home, capture_output=True, text=True)
    if plain.returncode in (120, 125):
        print("no tool could be run here: " + plain.stderr.strip())
        return
    with open("/dev/full", "w") as full:
        done = run(words, home, stdout=full, stderr=subprocess.PIPE, text=True)
    if done.returncode != 125 or "standard output of the tool could not be handed on" not in done.stderr:
        faults.append(f"ethos-run -- echo hello >/dev/full: {done.returncode}, {done.stderr!r}")
    if without_reader(words, home).returncode != 0:
        faults.append("ethos-run -- echo hello | true: not the tool's status")
    if run(words, home, preexec_fn=closes(0, 1, 2)).returncode != 0:
        faults.append("ethos-run -- echo hello <&- >&- 2>&-: not the tool's status")


def check(directory, home):
    faults = []
    os.mkdir(home + "/ws")
    for name in ("a.sarif", "b.sarif"):
        with open(f"{home}/{name}", "w") as file:
            file.write(SARIF)
    with open(home + "/a.json", "w") as file:
        file.write('{"version":1,"tools":{"t":{"command":["true"]}}}')
    made = run([os.path.join(directory, "ethos-ledger"), "init", "--ledger", "l.db", "-o", "pin.json"], home,
               capture_output=True, text=True)
    if made.returncode != 0:
        return [made.stderr]
    prints(directory, home, faults)
    outputs(directory, home, faults)
    tool_output(directory, home, faults)
    killed(directory, home, faults)
    return faults


def main(directory):
    with tempfile.TemporaryDirectory() as home:
        faults = check(os.path.abspath(directory), home)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
