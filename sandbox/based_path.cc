// SPDX-License-Identifier: Apache-2.0
#include "sandbox/based_path.h"

#include <algorithm>
#include <array>

namespace ethos::sandbox {
namespace {

// First components that belong to the system; "lib" stands for every name that starts with it.
constexpr std::array<std::string_view, 9> kSystemDirs = {"usr", "bin",  "sbin", "etc", "opt",
                                                         "dev", "proc", "sys",  "run"};

bool is_system(std::string_view relative) {
  const std::string_view first = relative.substr(0, relative.find('/'));
  return first.starts_with("lib") ||
         std::find(kSystemDirs.begin(), kSystemDirs.end(), first) != kSystemDirs.end();
}

// `path` below `tree`, as a relative path; "." for the tree itself.
std::string below(std::string_view path, std::string_view tree) {
  if (tree == "/") tree = "";
  path.remove_prefix(std::min(path.size(), tree.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  return path.empty() ? std::string(".") : std::string(path);
}

}  // namespace

std::string plain_path(std::string_view absolute) {
  std::string out;
  out.reserve(absolute.size());
  std::size_t at = 0;
  while (at < absolute.size()) {
    const std::size_t end = std::min(absolute.find('/', at), absolute.size());
    const std::string_view part = absolute.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const std::size_t slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    out += '/';
    out += part;
  }
  return out.empty() ? "/" : out;
}

std::string fitting_path(std::string path) {
  constexpr std::size_t kMost = 4000;
  while (path.size() > kMost) path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  return path;
}

bool is_within(std::string_view path, std::string_view tree) {
  if (tree == "/") return path.starts_with('/');
  if (!path.starts_with(tree)) return false;
  return path.size() == tree.size() || path[tree.size()] == '/';
}

BasedPath based_path(std::string_view path, std::string_view workspace) {
  if (!workspace.empty() && is_within(path, workspace))
    return {Base::workspace, below(path, workspace)};
  if (is_within(path, "/tmp")) return {Base::scratch, below(path, "/tmp")};
  std::string relative = below(path, "/");
  if (relative == "." || is_system(relative)) return {Base::system, std::move(relative)};
  return {Base::host, std::move(relative)};
}

const char* base_name(Base base) {
  switch (base) {
    case Base::workspace:
      return "workspace";
    case Base::system:
      return "system";
    case Base::scratch:
      return "scratch";
    case Base::host:
      return "host";
  }
  return "?";
}

}  // namespace ethos::sandbox
