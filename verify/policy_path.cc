// SPDX-License-Identifier: Apache-2.0
#include "verify/policy_path.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/hide_patterns.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxPattern = 1024;

}  // namespace

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (slash != 0) out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Result<std::string> normal_path(std::string_view declared) {
  if (declared.empty() || declared.size() > kMaxPath)
    return malformed("a path is not 1 to 4096 bytes long");
  if (declared.find('\0') != std::string_view::npos) return malformed("a path holds a NUL");
  const bool absolute = declared[0] == '/';
  std::string out;
  for (const std::string_view component : components(declared)) {
    if (component == "..") return malformed("a path holds `..`");
    if (component == ".") continue;
    if (!out.empty() || absolute) out += '/';
    out += component;
  }
  if (out.empty()) out = absolute ? "/" : ".";
  return out;
}

std::string relative_to_workspace(std::string path, std::string_view workspace) {
  if (path[0] != '/' || !within(path, workspace)) return path;
  if (path == workspace) return ".";
  return path.substr(workspace == "/" ? 1 : workspace.size() + 1);
}

bool within(std::string_view path, std::string_view parent) {
  if (path == parent) return true;
  if (parent == ".") return path[0] != '/';
  if (parent == "/") return path[0] == '/';
  return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '/';
}

bool strictly_within(std::string_view path, std::string_view parent) {
  return path != parent && within(path, parent);
}

Result<std::string> full_pattern(std::string_view declared) {
  if (declared.empty() || declared.size() > kMaxPattern ||
      declared.find('\0') != std::string_view::npos) {
    return malformed("a pattern is not 1 to 1024 bytes without NUL");
  }
  const bool leading = declared[0] == '/';
  std::string_view body = leading ? declared.substr(1) : declared;
  const bool trailing = body.ends_with('/');
  const std::string_view core = trailing ? body.substr(0, body.size() - 1) : body;
  if (core.empty() || core.starts_with('/') || core.ends_with('/') ||
      core.find("//") != std::string_view::npos) {
    return malformed("a pattern has an empty component");
  }
  for (const std::string_view component : components(core)) {
    if (component == "." || component == "..")
      return malformed("a pattern has a `.` or `..` component");
  }
  if (core == "**") return std::string(body);
  const bool anchored = leading || core.find('/') != std::string_view::npos;
  if (!anchored) return "**/" + std::string(body);
  return (body.starts_with("**/") ? "" : "/") + std::string(body);
}

bool name_matches(std::string_view pattern, std::string_view name) {
  return matches_wildcard(lower(pattern), lower(name));
}

Value make_path(std::string_view base, std::string_view plain) {
  Value out = Value::object();
  out.set("base", Value::of(base));
  const bool odd = !is_utf8(plain) || std::any_of(plain.begin(), plain.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (odd) {
    out.set("path_b64", Value::of(encode_base64(plain)));
  } else {
    out.set("path", Value::of(plain));
  }
  return out;
}

std::string plain_of(const Value& path) {
  if (path.has("path")) return path.text_at("path");
  return decode_base64(path.text_at("path_b64")).value_or("");
}

std::string text_of(const Value& path) {
  const std::string& base = path.text_at("base");
  const std::string plain = plain_of(path);
  if (base == "workspace") return plain;
  if (base == "scratch") return plain == "." ? "/tmp" : "/tmp/" + plain;
  return plain == "." ? "/" : "/" + plain;
}

Value place_of_absolute(std::string_view absolute) {
  const std::string_view plain = absolute == "/" ? "." : absolute.substr(1);
  if (absolute == "/tmp") return make_path("scratch", ".");
  if (absolute.starts_with("/tmp/")) return make_path("scratch", absolute.substr(5));
  const std::string_view first = plain.substr(0, plain.find('/'));
  constexpr std::string_view system[] = {"usr", "bin",  "sbin", "etc", "opt",
                                         "dev", "proc", "sys",  "run"};
  const bool is_system = plain == "." || first.starts_with("lib") ||
                         std::find(std::begin(system), std::end(system), first) != std::end(system);
  return make_path(is_system ? "system" : "host", plain);
}

Value place_of(const Value& path) {
  if (path.text_at("base") == "workspace") return path;
  return place_of_absolute(text_of(path));
}

}  // namespace ethos::verify
