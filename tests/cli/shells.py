# SPDX-License-Identifier: Apache-2.0
"""An interactive shell at the other end of a terminal, with completion loaded."""
import os
import pty
import re
import select
import time

BASH = r"""
. {folder}/ethos-run
bind 'set enable-bracketed-paste off' 'set bell-style none' 'set page-completions off' 'set completion-query-items 0'
bind -x '"\C-xp": printf "<<%s>>\n" "$READLINE_LINE"'
bind '"\C-xi": insert-completions'
"""
# The folder of the completion must not be writable by others for compinit, nor is anything cached.
ZSH = r"""
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D
unsetopt zle_bracketed_paste auto_menu auto_list; setopt no_beep no_list_beep
show() {{ print -r -- "<<$BUFFER>>" }}; zle -N show; bindkey '^Xp' show
"""


class Shell:
    def __init__(self, name, folder, directory, environment):
        words = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[name]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(words[0], words, {**environment, "PS1": "$ ", "TERM": "dumb", "HISTFILE": "/dev/null"})
        text = {"bash": BASH, "zsh": ZSH}[name].format(folder=folder).strip()
        self._send("; ".join(text.split("\n")) + "; echo REA''DY\n")
        if "READY\r\n" not in self._read("READY\r\n"):
            raise SystemExit(f"{name} did not start")

    def _send(self, text):
        os.write(self.terminal, text.encode())

    def _read(self, mark):
        out, end = b"", time.monotonic() + 20
        while mark.encode() not in out and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                out += os.read(self.terminal, 65536)
        return out.decode(errors="replace")

    def press(self, line, key):
        """The line after it was typed and the key pressed; then the line is emptied."""
        self._send("\x15" + line + key + "\x18p")
        out = self._read(">>\r\n")
        self._send("\x05\x15")
        found = re.findall(r"<<(.*?)>>\r\n", out, re.S)
        return found[-1] if found else f"(no answer: {out!r})"

    def tab(self, line):
        return self.press(line, "\t")

    def offered(self, line):
        """bash: the words that would be listed."""
        after = self.press(line, "\x18i")
        start = line[:line.rfind(" ") + 1]
        return after[len(start):].split() if after != line else []

    def close(self):
        os.write(self.terminal, b"\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)
