// SPDX-License-Identifier: Apache-2.0
#include "sandbox/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/bulk_hash.h"
#include "sandbox/exec_check.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using base::UniqueFd;

bool is_program(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
         (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

// "a/../b" against "/cwd", as the kernel would walk it if no component were a link.
std::string join_plain(const std::string& cwd, const std::string& path) {
  std::string whole = path.starts_with('/') ? path : cwd + "/" + path;
  std::string out;
  for (std::size_t at = 0; at <= whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string component = whole.substr(at, end - at);
    at = end + 1;
    if (component.empty() || component == ".") continue;
    if (component == "..")
      out.resize(out.empty() ? 0 : out.rfind('/'));
    else
      out += "/" + component;
  }
  return out.empty() ? "/" : out;
}

// "#!/usr/bin/python3 -u" -> "/usr/bin/python3".
std::optional<std::string> interpreter_of(const OpenProgram& script, const std::string& cwd) {
  std::array<char, 256> head{};
  const ssize_t n = ::pread(script.file.get(), head.data(), head.size(), 0);
  const std::string_view start(head.data(), n < 0 ? 0 : static_cast<std::size_t>(n));
  if (!start.starts_with("#!")) return std::nullopt;
  std::string name = interpreter_in(start).name;
  if (name.empty()) return std::nullopt;
  return name.front() == '/' ? name : cwd + "/" + name;
}

}  // namespace

std::string resolve_command(const Plan& plan) {
  const std::string& word = plan.argv.front();
  if (word.find('/') != std::string::npos) return join_plain(plan.cwd, word);
  std::string path;
  for (const EnvVar& var : plan.env)
    if (var.name == "PATH") path = var.value;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string directory = path.substr(at, end - at);
    at = end + 1;
    if (directory.starts_with('/') && is_program(directory + "/" + word))
      return join_plain("/", directory + "/" + word);
  }
  return "/usr/bin/" + word;
}

OpenPrograms open_programs(const Plan& plan) {
  constexpr std::size_t kMostInterpreters = 5;
  OpenPrograms out;
  out.program = open_startable(plan, plan.argv.front());
  const OpenProgram* last = out.program ? &*out.program : nullptr;
  while (last != nullptr && out.interpreters.size() < kMostInterpreters) {
    const auto name = interpreter_of(*last, plan.cwd);
    auto next = name ? open_startable(plan, *name) : std::nullopt;
    if (!next) break;
    out.interpreters.push_back(std::move(*next));
    last = &out.interpreters.back();
  }
  return out;
}

Result<ProgramFile> measure(const OpenProgram& program, const std::string& workspace,
                            const std::function<bool()>& goes_on) {
  ProgramFile out;
  // The place is the host's; inside the workspace it is said relative to it.
  const auto path = normalise_path(program.path, workspace);
  out.path = path ? host_path(*path) : BasedPath{Base::host, "."};
  out.size = program.size;
  auto digest = ledger::hash_file(program.file, program.path, goes_on);
  if (!digest) return base::Unexpected(std::move(digest).error());
  out.sha256 = *digest;
  return out;
}

}  // namespace ethos::sandbox
