# SPDX-License-Identifier: Apache-2.0
"""What the programs say of themselves: commands, options and texts, read from --help."""
import os
import re
import subprocess

PROGRAMS = ["ethos-run", "ethos-ledger", "ethos-sarif", "ethos-verify", "ethos-report"]

# "  -o,--output TEXT REQUIRED   File to write": two spaces, names, value; the text may be on the next line.
OPTION = re.compile(r"^  (-[-\w]+(?:,-[-\w]+)*)(?: (\S.*?))?(?:\s{2,}(\S.*))?$")
ARGUMENT = re.compile(r"^  ([A-Za-z]\w*) (\S.*?)(?:\s{2,}(\S.*))?$")
# "  plan TOOL ...      print what would be granted"
COMMAND = re.compile(r"^  ([a-z][a-z0-9-]*)\b.*?(?:\s{2,}(\S.*))?$")


class Option:
    def __init__(self, names, value, about):
        self.names = names  # ["-o", "--output"], or ["TOOL"] of a positional
        self.value = value  # "TEXT REQUIRED", or "" of a flag
        self.about = about

    @property
    def name(self):
        return self.names[-1]

    @property
    def takes_value(self):
        return bool(re.sub(r"REQUIRED|\[OPTIONS\]", "", self.value).strip())

    @property
    def words(self):
        """The words that may be its value, when --help names them: {a,b} or "a, b or c (more)" or "a,b,c"."""
        choice = re.search(r"\{([^}]*)\}", self.value)
        if choice:
            return choice.group(1).split(",")
        text = re.sub(r"\s*\(.*\)$", "", self.about)
        if self.takes_value and re.fullmatch(r"[a-z][\w-]*((, ?| or )[a-z][\w-]*)+", text):
            return re.split(r", ?| or ", text)
        return []


class Command:
    def __init__(self, name, text):
        self.name = name  # "ethos-run plan"
        self.text = text
        self.options = []
        self.arguments = []  # the options without a dash
        self.subcommands = {}  # name -> one line about it
        self._read()

    def option(self, name):
        return next((o for o in self.options if name in o.names), None)

    def _read(self):
        section, last = "", None
        for line in self.text.splitlines():
            heading = re.match(r"^([A-Z][A-Za-z ]+)\b.*:$", line)
            if heading:
                section, last = heading.group(1), None
            elif section == "Positionals" and ARGUMENT.match(line):
                name, value, about = ARGUMENT.match(line).groups()
                self.arguments.append(Option([name], value, about or ""))
            elif section == "Options" and OPTION.match(line):
                names, value, about = OPTION.match(line).groups()
                last = Option(names.split(","), value or "", about or "")
                self.options.append(last)
            elif section == "Options" and last and re.match(r"^ {20,}\S", line):
                last.about = (last.about + " " + line.strip()).strip()
            elif line.startswith(self.name + " ") and re.match(r"[a-z-]+\b.*\s{2,}\S", line[len(self.name) + 1:]):
                name, about = re.match(r"([a-z-]+)\b.*?\s{2,}(\S.*)", line[len(self.name) + 1:]).groups()
                self.subcommands[name] = about
            elif section in ("Subcommands", "Commands") and COMMAND.match(line):
                name, about = COMMAND.match(line).groups()
                self.subcommands[name] = about or ""
            elif not line.startswith(" "):
                section = ""


def run(directory, words):
    """--help of a command. HOME is a place that does not exist: --help needs none, and makes none."""
    environment = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LC_ALL": "C"}
    program = os.path.join(directory, words[0])
    done = subprocess.run([program, *words[1:], "--help"], capture_output=True, text=True, timeout=60,
                          env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} --help: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def read_commands(directory):
    """Every command of every program, subcommands of subcommands too: name -> Command."""
    commands = {}

    def visit(words, parent):
        command = Command(" ".join(words), run(directory, words))
        # ethos-run prints its list of commands again below each of them.
        if parent and set(command.subcommands) <= set(parent.subcommands):
            command.subcommands = {}
        commands[command.name] = command
        for name in command.subcommands:
            visit([*words, name], command)

    for program in PROGRAMS:
        visit([program], None)
    return commands
