# SPDX-License-Identifier: Apache-2.0
"""The table that every shell's completion is made from: scripts/completion/options.table."""
import re

from cli_man import holds_for

KINDS = re.compile(r"^(|text|tool|environment|zone|dir|file( \S+)*|(one|list) of \S.*|pairs \{\w+\}( of \S.*)?|"
                   r"like ethos-\S+)( or file)?$")


class Row:
    def __init__(self, line, number):
        parts = [p.strip() for p in line.split(" |")]
        if len(parts) != 4:
            raise ValueError(f"line {number}: four fields with \" | \" between, not {len(parts)}")
        self.number = number
        self.commands = [c.strip() for c in parts[0].split(",")]
        self.word, self.kind, self.about = parts[1], parts[2], parts[3]
        if not KINDS.match(self.kind):
            raise ValueError(f"line {number}: there is no kind of value \"{self.kind}\"")
        if not self.about or "'" in line:
            raise ValueError(f"line {number}: a line about it, without apostrophe, is needed")

    @property
    def is_option(self):
        return self.word.startswith("-")

    @property
    def names(self):
        return [n.strip() for n in self.word.removesuffix("...").split(",")]

    def holds_for(self, command):
        return any(holds_for(c, command) for c in self.commands)


class Table:
    def __init__(self, path):
        self.path = path
        self.rows, self.lists, self.faults = [], {}, []
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().split("\n")
        for number, line in enumerate(self.lines, 1):
            if not line or line.startswith("#"):
                continue
            found = re.match(r"^list (\w+) \| (.*)$", line)
            if found:
                self.lists[found.group(1)] = found.group(2).split()
                continue
            try:
                self.rows.append(Row(line, number))
            except ValueError as error:
                self.faults.append(f"{path}: {error}")
        for row in self.rows:
            for name in re.findall(r"\{(\w+)\}", row.kind):
                if name not in self.lists:
                    self.faults.append(f"{path}: line {row.number}: there is no list {name}")

    def options_of(self, command):
        return [r for r in self.rows if r.is_option and r.holds_for(command)]

    def missing_arguments(self, command):
        """(place, argument) of each argument of the command that no row tells of."""
        places = {r.word[1:] for r in self.rows if r.word.startswith("@") and r.holds_for(command.name)}
        for place, argument in enumerate(command.arguments, 1):
            wanted = "*" if argument.value.endswith("...") or "... " in argument.value else str(place)
            if wanted not in places and "*" not in places:
                yield wanted, argument

    def words_of(self, row):
        """The words of "one of" and "list of", lists put in."""
        found = re.match(r"(?:one|list) of (.*?)(?: or file)?$", row.kind)
        words = [w for word in (found.group(1).split() if found else [])
                 for w in (self.lists.get(word[1:-1], []) if word.startswith("{") else [word])]
        return set(words)

    def subcommands_of(self, command):
        return {r.word[1:] for r in self.rows if r.word.startswith(":") and r.holds_for(command)}
