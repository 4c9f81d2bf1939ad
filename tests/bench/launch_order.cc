// SPDX-License-Identifier: Apache-2.0
// Prints the list of sandbox/launch.ld: the functions of ours, and the objects of others, that one
// run of a static program enters, in order of first use; then the objects of ours.
//
//   launch_order MAP PROGRAM [ARGUMENT...]     MAP: what the linker wrote with -Wl,-Map,MAP
//
// Every function gets a breakpoint, which is taken out when it is met for the first time, in the
// program and in all that it starts with its own memory.
#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

struct Section {
  std::uint64_t end = 0;
  std::string name;  // of the input section: .text, .text._Z...
  std::string file;  // of the object: /usr/lib/libc.a(malloc.o)
};

// Lines as " .text  0x401000  0x2a0 /usr/lib/libc.a(malloc.o)", a long name on a line of its own.
std::map<std::uint64_t, Section> read_map(const char* path) {
  std::map<std::uint64_t, Section> out;
  const std::regex whole(R"(^ (\.text\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S.*)$)");
  const std::regex rest(R"(^\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S.*)$)");
  std::ifstream in(path);
  std::string pending;
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    const auto add = [&](const std::string& name, std::size_t first) {
      const std::uint64_t at = std::stoull(m[first], nullptr, 16);
      const std::uint64_t size = std::stoull(m[first + 1], nullptr, 16);
      if (at != 0 && size != 0) out[at] = {at + size, name, m[first + 2]};
    };
    if (line.starts_with(" .text") && std::regex_match(line, m, whole)) {
      add(m[1], 2);
    } else if (line.starts_with(" .text") && line.find(' ', 1) == std::string::npos) {
      pending = line.substr(1);
      continue;
    } else if (!pending.empty() && std::regex_match(line, m, rest)) {
      add(pending, 1);
    }
    pending.clear();
  }
  return out;
}

std::set<std::uint64_t> read_functions(const char* program) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::set<std::uint64_t> out;
  const auto at = [&](std::size_t offset, auto& value) {
    if (offset + sizeof value <= bytes.size()) std::memcpy(&value, &bytes[offset], sizeof value);
  };
  Elf64_Ehdr head{};
  at(0, head);
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section{};
    at(head.e_shoff + i * sizeof section, section);
    if (section.sh_type != SHT_SYMTAB) continue;
    for (std::size_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s) {
      Elf64_Sym symbol{};
      at(section.sh_offset + s * sizeof symbol, symbol);
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_size > 0)
        out.insert(symbol.st_value);
    }
  }
  return out;
}

int memory_of(pid_t pid) {
  return open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
}

// The functions that were entered, in order.
std::vector<std::uint64_t> follow(char** argv, const std::set<std::uint64_t>& functions) {
  const pid_t program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execv(argv[0], argv);
    _exit(127);
  }
  int status = 0;
  waitpid(program, &status, 0);
  ptrace(PTRACE_SETOPTIONS, program, nullptr,
         PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC);
  std::map<std::uint64_t, unsigned char> original;
  const int memory = memory_of(program);
  constexpr unsigned char kBreak = 0xCC;
  for (const std::uint64_t at : functions) {
    unsigned char byte = 0;
    const auto offset = static_cast<off_t>(at);
    if (pread(memory, &byte, 1, offset) == 1 && pwrite(memory, &kBreak, 1, offset) == 1)
      original[at] = byte;
  }
  close(memory);
  std::vector<std::uint64_t> out;
  std::set<std::uint64_t> met;
  ptrace(PTRACE_CONT, program, nullptr, nullptr);
  for (;;) {
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == ECHILD) return out;
    if (pid < 0 || !WIFSTOPPED(status)) continue;
    int signal = WSTOPSIG(status) == SIGSTOP || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    user_regs_struct registers{};
    if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0 &&
        ptrace(PTRACE_GETREGS, pid, nullptr, &registers) == 0) {
      const std::uint64_t at = registers.rip - 1;
      if (const auto found = original.find(at); found != original.end()) {
        if (met.insert(at).second) out.push_back(at);
        const int own = memory_of(pid);
        static_cast<void>(!pwrite(own, &found->second, 1, static_cast<off_t>(at)));
        close(own);
        registers.rip = at;
        ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
      }
    }
    ptrace(PTRACE_CONT, pid, nullptr, signal);
  }
}

struct Pattern {
  std::string line;
  std::string rest;  // what else there is of an object of ours
};

// Of our own objects the function, of the others all that lies in the same section:
// "*libc.a:malloc.o(.text)", and the whole of SQLite.
Pattern pattern(const Section& section) {
  const std::string base = section.file.substr(section.file.rfind('/') + 1);
  const std::size_t open = base.find('(');
  const std::string archive = base.substr(0, open);
  const std::string function = "*(" + section.name + ")";
  if (open == std::string::npos)
    return {section.name == ".text" ? "*" + base + "(.text)" : function, {}};
  if (archive == "libsqlite3.a") return {"*libsqlite3.a:*(.text .text.*)", {}};
  const std::string object = archive + ":" + base.substr(open + 1, base.size() - open - 2);
  if (archive.starts_with("libethos_"))
    return {section.name == ".text" ? "*" + object + "(.text)" : function,
            "*" + object + "(.text .text._Z*)"};
  return {section.name == ".text" ? "*" + object + "(.text)" : function, {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "launch_order MAP PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  const auto sections = read_map(argv[1]);
  const auto entered = follow(argv + 2, read_functions(argv[2]));
  std::vector<std::string> lines;
  std::vector<std::string> rests;
  std::string last;  // the largest one, where it parts nothing
  std::set<std::string> seen;
  for (const std::uint64_t at : entered) {
    auto section = sections.upper_bound(at);
    if (section == sections.begin() || at >= (--section)->second.end) continue;
    const Pattern found = pattern(section->second);
    if (found.line.find("libsqlite3") != std::string::npos) {
      last = found.line;
    } else if (seen.insert(found.line).second) {
      lines.push_back(found.line);
    }
    if (!found.rest.empty() && seen.insert(found.rest).second) rests.push_back(found.rest);
  }
  if (!last.empty()) lines.push_back(last);
  lines.insert(lines.end(), rests.begin(), rests.end());
  for (const std::string& line : lines) std::printf("    %s\n", line.c_str());
  std::fprintf(stderr, "%zu functions, %zu lines\n", entered.size(), lines.size());
  return entered.empty() ? 1 : 0;
}
