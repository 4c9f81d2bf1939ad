// SPDX-License-Identifier: Apache-2.0
#include "sandbox/path_text.h"

#include <algorithm>
#include <array>

#include "ledger/base/base64.h"
#include "sandbox/jsonc.h"

namespace ethos::sandbox {
namespace {

constexpr std::size_t kMaxPath = 4096;

bool is_system(std::string_view relative) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"usr", "bin", "sbin", "etc", "opt", "dev", "proc", "sys", "run", "."});
  const std::string_view first = relative.substr(0, relative.find('/'));
  return first.starts_with("lib") || std::ranges::find(kNames, first) != kNames.end();
}

// "/usr/lib" -> "usr/lib", "/" -> ".".
std::string strip_root(std::string_view absolute) {
  const std::string_view rest = absolute.substr(1);
  return rest.empty() ? std::string(".") : std::string(rest);
}

std::string below(std::string_view path, std::string_view parent) {
  if (path == parent) return ".";
  return std::string(path.substr(parent == "/" ? 1 : parent.size() + 1));
}

}  // namespace

std::optional<std::string> normalise_path(std::string_view text) {
  if (text.empty() || text.size() > kMaxPath) return std::nullopt;
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const bool is_absolute = text.front() == '/';
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string_view component = text.substr(at, end - at);
    at = end + 1;
    if (component.empty() || component == ".") continue;
    if (component == "..") return std::nullopt;
    if (is_absolute || !out.empty()) out += '/';
    out += component;
  }
  if (out.empty()) out = is_absolute ? "/" : ".";
  return out;
}

std::optional<std::string> normalise_path(std::string_view text, std::string_view workspace) {
  auto path = normalise_path(text);
  if (path && path->front() == '/' && is_at_or_below(*path, workspace))
    return below(*path, workspace);
  return path;
}

bool is_at_or_below(std::string_view path, std::string_view parent) {
  const bool is_absolute = path.starts_with('/');
  if (is_absolute != parent.starts_with('/')) return false;
  if (parent == "." || parent == "/" || path == parent) return true;
  return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '/';
}

BasedPath host_path(std::string_view path) {
  if (!path.starts_with('/')) return {Base::workspace, std::string(path)};
  std::string relative = strip_root(path);
  const Base base = is_system(relative) ? Base::system : Base::host;
  return {base, std::move(relative)};
}

BasedPath cage_path(std::string_view path, std::string_view workspace) {
  if (is_at_or_below(path, workspace)) return {Base::workspace, below(path, workspace)};
  if (is_at_or_below(path, "/tmp")) return {Base::scratch, below(path, "/tmp")};
  return host_path(path);
}

std::string absolute_path_of(std::string_view path, std::string_view workspace) {
  if (path.starts_with('/')) return std::string(path);
  if (path == ".") return std::string(workspace);
  return std::string(workspace == "/" ? "" : workspace) + "/" + std::string(path);
}

std::string_view base_text(Base base) {
  switch (base) {
    case Base::workspace:
      return "workspace";
    case Base::system:
      return "system";
    case Base::scratch:
      return "scratch";
    case Base::host:
      break;
  }
  return "host";
}

Json encode_path(const BasedPath& path) {
  Json out;
  out["base"] = base_text(path.base);
  const bool is_plain = is_utf8(path.path) && std::ranges::none_of(path.path, [](char c) {
                          return static_cast<unsigned char>(c) < 0x20 || c == '\x7F';
                        });
  if (is_plain)
    out["path"] = path.path;
  else
    out["path_b64"] = ethos::base::encode_base64(ethos::base::as_bytes(path.path));
  return out;
}

bool is_git_name(std::string_view component) {
  constexpr std::string_view kGit = ".git";
  return std::ranges::equal(component, kGit, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool has_git_component(std::string_view path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (is_git_name(path.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace ethos::sandbox
