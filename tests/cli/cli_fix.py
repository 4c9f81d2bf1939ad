# SPDX-License-Identifier: Apache-2.0
"""Adds to manual pages and completion what a program has and they have not, in its own words of --help."""
import re
import textwrap


def sentence(text):
    """"the ledger (default: x)" -> "The ledger (default: x)", without apostrophes."""
    text = text.strip().rstrip(".").replace("'", "") or "(say what it is)"
    return text[0].upper() + text[1:]


def argument(option):
    """What stands for the value in the page: "file", "dir", "text"."""
    value = re.sub(r"REQUIRED|\.\.\.|[=:\[{].*", "", option.value).strip().lower()
    value = {"f": "file", "uint": "number", "int": "number", "n": "number"}.get(value, value or "text")
    if value == "text" and re.match(r"(the )?director|root of|where the tool ran", option.about, re.I):
        return "dir"
    if value == "text" and re.search(r"\bfiles?\b|^path of", option.about, re.I):
        return "file"
    return value


def roff(text):
    text = text.replace("\\", r"\e")
    return "\\&" + text if text[0] in ".'" else text


def words_of(text):
    return textwrap.fill(roff(sentence(text)) + ".", 80, break_long_words=False, break_on_hyphens=False)


def man_item(option):
    names = " , ".join("Fl " + n[1:] for n in option.names)
    value = f" Ar {argument(option)}" if option.takes_value else ""
    text = [f".It {names}{value}"]
    if not (option.words and option.about.startswith(option.words[0])):
        text.append(words_of(option.about))
    if option.words:
        text += ["One of", f".Cm {' , '.join(option.words)} ."]
    return "\n".join(text)


def kind_of(option):
    if option.words:
        is_list = "," in option.about and ", " not in option.about
        return ("list of " if is_list else "one of ") + " ".join(option.words)
    if not option.takes_value:
        return ""
    return {"file": "file", "dir": "dir"}.get(argument(option), "text")


def table_row(command, option):
    again = "..." if option.value.endswith("...") else ""
    row = f"{command} | {', '.join(option.names)}{again} | {kind_of(option)} | {sentence(option.about)}"
    return row.replace("|  |", "| |")


def argument_row(command, place, argument):
    kind = "dir" if re.match("director", argument.about, re.I) else "file" if "file" in argument.about.lower() else "text"
    return f"{command} | @{place} | {kind} | {sentence(argument.about)}"


def _own_list(page, name, about):
    """The list that holds for this command and no other; made at the end of its heading when there is none."""
    for one in page.lists:
        if one.commands == [name]:
            return one
    lines = page.lines
    if not page.has_heading(name):
        at = next(i for i, line in enumerate(lines) if line == ".Sh ENVIRONMENT")
        lines[at:at] = [f".Ss {name}", *words_of(about).split("\n")]
    at = lines.index(f".Ss {name}") + 1 if " " in name else lines.index(".Sh OPTIONS") + 1
    while not re.match(r"\.S[hs] ", lines[at]):
        at += 1
    lines[at:at] = [rf'.\" options of: {name}', ".Bl -tag -width Ds", ".El"]
    return _reread(page, name)


def _reread(page, name):
    page.lists = []
    page._read_lists()  # pylint: disable=protected-access
    return next((one for one in page.lists if one.commands == [name]), None)


def fix_page(page, commands):
    for name, command in commands.items():
        if name.split()[0] != page.program:
            continue
        sub = name.partition(" ")[2]
        if sub and sub not in page.synopsis_commands():
            at = page.lines.index(".Sh DESCRIPTION")
            page.lines[at:at] = [".Nm", f".Cm {sub}", ".Op Ar options"]
            _reread(page, name)
        for option in command.options:
            if option.names in page.options_of(name):
                continue
            about = commands[page.program].subcommands.get(sub, "")
            end = _own_list(page, name, about).end - 1
            page.lines[end:end] = man_item(option).split("\n")
            _reread(page, name)
    with open(page.path, "w", encoding="utf-8") as f:
        f.write("\n".join(page.lines))


def _place(table, name):
    """Behind the last row of this command, or of its program."""
    for wanted in (name, name.split()[0]):
        rows = [r.number for r in table.rows if any(c == wanted or c.startswith(wanted + " ") for c in r.commands)
                and len({c.split()[0] for c in r.commands}) == 1]
        if rows:
            return max(rows)
    return len(table.lines) - 1


def fix_table(table, commands, lists):
    added = []
    for name, command in commands.items():
        for sub, about in command.subcommands.items():
            if sub not in table.subcommands_of(name):
                added.append((_place(table, name), f"{name} | :{sub} | | {sentence(about)}"))
        for option in command.options:
            row = next((r for r in table.options_of(name) if r.names == option.names), None)
            if row is None:
                added.append((_place(table, name), table_row(name, option)))
            elif option.words and table.words_of(row) != set(option.words):
                table.lines[row.number - 1] = " | ".join(
                    [", ".join(row.commands), row.word, kind_of(option), row.about])
        for place, one in table.missing_arguments(command):
            added.append((_place(table, name), argument_row(name, place, one)))
    for at, line in reversed(added):
        table.lines[at:at] = [line]
    for i, line in enumerate(table.lines):
        found = re.match(r"^list (\w+) \|", line)
        if found and found.group(1) in lists and sorted(line.split("| ", 1)[1].split()) != sorted(lists[found.group(1)]):
            table.lines[i] = f"list {found.group(1)} | {' '.join(lists[found.group(1)])}"
    with open(table.path, "w", encoding="utf-8") as f:
        f.write("\n".join(table.lines))


def fix(commands, pages, table, lists):
    for page in pages.values():
        fix_page(page, commands)
    fix_table(table, commands, lists)
