# SPDX-License-Identifier: Apache-2.0
"""What the manual pages say: the lists of options with the commands they hold for, and the examples."""
import os
import re

MARK = re.compile(r'^\.\\" options of: (.*)$')
STATUS = re.compile(r'^\.\\" status: ([0-9 ]+)$')
FILE = re.compile(r'^\.\\" file: (\S+)$')


class OptionList:
    def __init__(self, commands, line):
        self.commands = commands  # ["ethos-run", "ethos-run plan"]
        self.line = line  # of the mark, from 1
        self.end = line  # of the ".El"
        self.options = []  # [["-o", "--output"], ...]
        self.texts = []  # what the page says of each


class Page:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().split("\n")
        self.lists = []
        self._read_lists()

    @property
    def program(self):
        return os.path.basename(self.path).rsplit(".", 1)[0]

    def _read_lists(self):
        current, depth = None, 0
        for number, line in enumerate(self.lines, 1):
            mark = MARK.match(line)
            if mark:
                current, depth = OptionList([c.strip() for c in mark.group(1).split(",")], number), 0
                self.lists.append(current)
            elif current and line.startswith(".Bl"):
                depth += 1
            elif current and line.startswith(".El"):
                depth -= 1
                if depth == 0:
                    current.end, current = number, None
            elif current and depth == 1 and line.startswith(".It Fl "):
                current.options.append(names_of(line))
                current.texts.append("")
            elif current and current.texts:
                current.texts[-1] += line + "\n"

    def lists_of(self, command):
        return [one for one in self.lists if any(holds_for(c, command) for c in one.commands)]

    def options_of(self, command):
        return [names for one in self.lists_of(command) for names in one.options]

    def text_of(self, command, names):
        return next((text for one in self.lists_of(command) for option, text in zip(one.options, one.texts)
                     if option == names), "")

    def sections(self):
        return [line[4:].strip().strip('"') for line in self.lines if line.startswith(".Sh ")]

    def has_heading(self, command):
        return f".Ss {command}" in self.lines

    def synopsis_commands(self):
        """Words after .Cm in SYNOPSIS that stand first after .Nm: "plan", or "fleet add"."""
        found, inside, after_name = set(), False, False
        for line in self.lines:
            if line.startswith(".Sh "):
                inside = line == ".Sh SYNOPSIS"
            elif inside and line.startswith(".Nm"):
                after_name = True
            elif inside and after_name and line.startswith(".Cm "):
                found.add(line[4:].strip())
                after_name = False
            else:
                after_name = False
        return found

    def examples(self):
        """(kind, detail, text): ("run", {0, 1}, commands) or ("file", "ethos.json", content)."""
        inside, detail, block, kind = False, {0}, None, "run"
        for line in self.lines:
            if line.startswith(".Sh "):
                inside = line == ".Sh EXAMPLES"
            if not inside:
                continue
            if STATUS.match(line):
                kind, detail = "run", {int(n) for n in STATUS.match(line).group(1).split()}
            elif FILE.match(line):
                kind, detail = "file", FILE.match(line).group(1)
            elif line.startswith(".Bd -literal"):
                block = []
            elif line == ".Ed" and block is not None:
                yield kind, detail, plain("\n".join(block)) + "\n"
                block, kind, detail = None, "run", {0}
            elif block is not None:
                block.append(line)


def holds_for(pattern, command):
    """"ethos-ledger *" stands for every subcommand of ethos-ledger."""
    if pattern.endswith(" *"):
        return command.startswith(pattern[:-1])
    return pattern == command


def names_of(item):
    """[".It Fl o , Fl -output Ar file"] -> ["-o", "--output"]."""
    return ["-" + name for name in re.findall(r"\bFl (-?[-\w]+)", item)]


def plain(text):
    """The characters that roff text stands for, as far as the pages use them in examples."""
    for escape, character in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ti", "~"), (r"\(dq", '"'), (r"\&", ""), (r"\e", "\\")):
        text = text.replace(escape, character)
    return text


def read_pages(folder, programs):
    return {p: Page(os.path.join(folder, p + ".1")) for p in programs if os.path.exists(os.path.join(folder, p + ".1"))}
