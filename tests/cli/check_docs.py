#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds --help, manual pages and completion against each other, in all directions.

  check_docs.py BIN-DIR SOURCE-DIR            exit 1 and a line for each difference
  check_docs.py BIN-DIR SOURCE-DIR --fix      also adds what is missing (then write what it means)
  check_docs.py --self-test                   the check notices each kind of fault
"""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cli_fix  # noqa: E402
import cli_help  # noqa: E402
import cli_man  # noqa: E402
import cli_table  # noqa: E402
import cli_words  # noqa: E402

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
# Words that --help names elsewhere than in its list of commands.
UNLISTED = {"ethos-run": {"run"}}


def show(names):
    return ", ".join(names)


def check_help(commands):
    """A stranger who reads one --help finds an example and the exit statuses in it."""
    for command in commands.values():
        text = command.text.lower()
        if "exit status" not in text:
            yield f"{command.name} --help says nothing of \"Exit status\": add it to the footer of the command"
        if "example" not in text:
            yield f"{command.name} --help has no \"Example\": add one to the footer of the command"


def check_page(commands, page):
    mine = {n: c for n, c in commands.items() if n.split()[0] == page.program}
    for section in SECTIONS:
        if section not in page.sections():
            yield f"{page.path}: there is no section {section}"
    for one in page.lists:
        for pattern in one.commands:
            if not any(cli_man.holds_for(pattern, name) for name in mine):
                yield f"{page.path}:{one.line}: \"options of: {pattern}\": there is no such command"
    for name, command in mine.items():
        documented = page.options_of(name)
        for option in command.options:
            if option.names not in documented:
                yield (f"{page.path}: {name} has the option {show(option.names)}, the page has not: in the list below "
                       f"'.\\\" options of: {name}' add\n{cli_fix.man_item(option)}")
            for word in option.words:
                if option.names in documented and not re.search(rf"\b{word}\b", page.text_of(name, option.names)):
                    yield f"{page.path}: {show(option.names)} of {name} may be {word}: say so there"
        known = [o.names for o in command.options]
        for names in documented:
            if names not in known:
                yield f"{page.path}: {show(names)} is said to be an option of {name}, whose --help does not know it: take it out"
        for names in documented:
            if documented.count(names) > 1:
                yield f"{page.path}: {show(names)} stands twice in the lists for {name}"
    synopsis = page.synopsis_commands()
    listed = {n.split(" ", 1)[1] for n in mine if " " in n}
    for name in sorted(listed - synopsis):
        yield f"{page.path}: SYNOPSIS lacks {name}: add '.Nm' and '.Cm {name}'"
    for name in sorted(synopsis - listed - UNLISTED.get(page.program, set())):
        yield f"{page.path}: SYNOPSIS has {name}, which {page.program} does not know"
    for name in sorted(listed):
        if not page.has_heading(f"{page.program} {name}"):
            yield f"{page.path}: add '.Ss {page.program} {name}' to SUBCOMMANDS, with what it does and its list of options"


def check_table(commands, table):
    yield from table.faults
    for name, command in commands.items():
        rows = table.options_of(name)
        for option in command.options:
            row = next((r for r in rows if r.names == option.names), None)
            if row is None:
                yield (f"{table.path}: {name} has the option {show(option.names)}, the table has not: add\n"
                       f"{cli_fix.table_row(name, option)}")
            elif bool(row.kind) != option.takes_value:
                yield f"{table.path}:{row.number}: {show(option.names)} of {name} " + (
                    "takes a value: say of which kind" if option.takes_value else "is a flag: leave the value empty")
            elif option.words and table.words_of(row) != set(option.words):
                yield (f"{table.path}:{row.number}: {show(option.names)} of {name} may be {' '.join(option.words)}: "
                       f"the kind must be '{cli_fix.kind_of(option)}'")
        known = [o.names for o in command.options]
        for row in rows:
            if row.names not in known:
                yield f"{table.path}:{row.number}: {name} does not know {show(row.names)}: take it out"
            if sum(r.names == row.names for r in rows) > 1:
                yield f"{table.path}:{row.number}: {show(row.names)} of {name} stands twice"
        for place, one in table.missing_arguments(command):
            yield (f"{table.path}: {name} takes {one.name}, the table says nothing of it: add\n"
                   f"{cli_fix.argument_row(name, place, one)}")
        offered = table.subcommands_of(name)
        for sub in sorted(set(command.subcommands) - offered):
            yield (f"{table.path}: {name} has the subcommand {sub}, the table has not: add\n"
                   f"{name} | :{sub} | | {cli_fix.sentence(command.subcommands[sub])}")
        for sub in sorted(offered - set(command.subcommands) - UNLISTED.get(name, set())):
            yield f"{table.path}: {name} does not know the subcommand {sub}: take it out"
    for row in table.rows:
        for pattern in row.commands:
            if not any(cli_man.holds_for(pattern, name) for name in commands):
                yield f"{table.path}:{row.number}: there is no command {pattern}"


def check_lists(lists, table):
    for name, words in lists.items():
        have = table.lists.get(name, [])
        if sorted(have) != sorted(words):
            yield f"{table.path}: the list {name} must be\nlist {name} | {' '.join(words)}"


def check(commands, pages, table, lists):
    faults = list(check_help(commands))
    for program in cli_help.PROGRAMS:
        if program not in pages:
            faults.append(f"there is no docs/man/{program}.1")
        else:
            faults += check_page(commands, pages[program])
    return faults + list(check_table(commands, table)) + list(check_lists(lists, table))


def self_test(source):
    """Each fault put into what is read is noticed; nothing else is."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample_help.txt"), encoding="utf-8") as f:
        text = f.read()
    page = cli_man.Page(os.path.join(source, "tests", "cli", "sample.1"))
    table = cli_table.Table(os.path.join(source, "tests", "cli", "sample.table"))
    page.path = "sample.1"

    def faults(help_text=text, page=page, table=table):
        commands = {"sample": cli_help.Command("sample", help_text)}
        for name in commands["sample"].subcommands:
            commands[f"sample {name}"] = cli_help.Command(f"sample {name}", help_text.split("Commands:")[0])
        return [*check_help(commands), *check_page(commands, page), *check_table(commands, table)]

    failed = [f"a fault where there is none: {f}" for f in faults()]
    failed += fix_test(text, page, table)
    for what, changed, expected in (
            ("a new option", text.replace("  --quiet", "  --loud\n  --quiet"), ["--loud, the page", "--loud, the table"]),
            ("an option that went", text.replace("  --quiet                     Say nothing\n", ""),
             ["--quiet is said to be", "does not know --quiet"]),
            ("a short name", text.replace("  --quiet ", "  -q,--quiet "), ["-q, --quiet, the page", "-q, --quiet, the table"]),
            ("a flag with a value", text.replace("--quiet     ", "--quiet TEXT"), ["takes a value"]),
            ("a value that went", text.replace("--output TEXT", "--output     "), ["is a flag"]),
            ("a subcommand", text + "\nCommands:\n  fly TO    Fly\n",
             ["SYNOPSIS lacks fly", "add '.Ss sample fly'", "the subcommand fly"]),
            ("another word", text.replace("a, b or c", "a, b or d"), ["may be d: say", "must be 'one of a b d'"]),
            ("an argument", text.replace("\n\nOptions", "\n  more TEXT ...             More\n\nOptions"), ["@* | text"]),
            ("no exit status", text.replace("Exit status", "Ends with"), ["Exit status"]),
            ("no example", text.replace("Example", "See"), ["no \"Example\""])):
        found = "\n".join(faults(changed))
        failed += [f"{what}: not noticed: {e}" for e in expected if e not in found]
    if not list(check_lists({"tool": ["a", "b"]}, table)):
        failed.append("a list that lacks a word: not noticed")
    return failed


def fix_test(text, page, table):
    """What --fix adds is what the check asks for."""
    text += "\nCommands:\n  fly TO      Fly\n"
    text = text.replace("  --quiet", "  --loud TEXT:{a,b} ...        It's loud\n  --quiet").replace("a, b or c", "a or b")
    commands = {"sample": cli_help.Command("sample", text),
                "sample fly": cli_help.Command("sample fly", text.split("Commands:")[0])}
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for one, name in ((page, "sample.1"), (table, "sample.table")):
            copies.append(os.path.join(folder, name))
            with open(copies[-1], "w", encoding="utf-8") as f:
                f.write("\n".join(one.lines))
        cli_fix.fix(commands, {"sample": cli_man.Page(copies[0])}, cli_table.Table(copies[1]), {"tool": ["a", "c"]})
        page, table = cli_man.Page(copies[0]), cli_table.Table(copies[1])
        left = [*check_page(commands, page), *check_table(commands, table), *check_lists({"tool": ["a", "c"]}, table)]
    return [f"after --fix: {f}" for f in left]


def main(arguments):
    if arguments == ["--self-test"]:
        failed = self_test(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        print("\n".join(failed) or "self test: all faults noticed")
        return 1 if failed else 0
    directory, source = arguments[:2]
    commands = cli_help.read_commands(directory)
    lists = cli_words.defined_lists(directory, source)
    folder, path = os.path.join(source, "docs", "man"), os.path.join(source, "scripts", "completion", "options.table")
    if arguments[2:] == ["--fix"]:
        cli_fix.fix(commands, cli_man.read_pages(folder, cli_help.PROGRAMS), cli_table.Table(path), lists)
    faults = check(commands, cli_man.read_pages(folder, cli_help.PROGRAMS), cli_table.Table(path), lists)
    print("\n".join(faults) or f"{len(commands)} commands: help, manual pages and completion agree")
    if faults and arguments[2:] != ["--fix"]:
        print(f"\nMost of it is added by: {os.path.abspath(__file__)} {directory} {source} --fix")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
