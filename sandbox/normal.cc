// SPDX-License-Identifier: Apache-2.0
#include "sandbox/normal.h"

#include <algorithm>
#include <cassert>

#include "sandbox/hide_pattern.h"
#include "sandbox/jsonc.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;

std::vector<PathEntry> default_paths(std::initializer_list<std::string_view> paths) {
  std::vector<PathEntry> out;
  for (const std::string_view path : paths) out.push_back({std::string(path)});
  return out;
}

// D-4 and N-3: two entries for one path are one; it is optional only when both are, and may delete
// when one of them may.
std::vector<PathEntry> normalise(const std::vector<PathEntry>& entries,
                                 std::string_view workspace) {
  std::map<std::string, PathEntry> merged;
  for (const PathEntry& entry : entries) {
    const auto path = normalise_path(entry.path, workspace);
    assert(path);  // the reader of declarations and options has checked it
    const auto [at, is_new] =
        merged.try_emplace(*path, PathEntry{*path, entry.is_optional, entry.may_delete});
    if (is_new) continue;
    at->second.is_optional = at->second.is_optional && entry.is_optional;
    at->second.may_delete = at->second.may_delete || entry.may_delete;
  }
  std::vector<PathEntry> out;
  for (auto& [path, entry] : merged) out.push_back(std::move(entry));
  return out;
}

void fill_limits(const ToolDeclaration& tool, Normal& normal) {
  const bool is_build = tool.profile == "build-offline";
  normal.limits = tool.limits;
  for (const LimitSpec& spec : limit_specs()) {
    const std::string name(spec.normal_name);
    std::uint64_t fallback = is_build ? spec.build_default : spec.lint_default;
    // D-7: these two live in memory, so that a small memory limit makes their defaults smaller.
    if (spec.key == "scratch" || spec.key == "staged")
      fallback = std::clamp<std::uint64_t>(normal.limits.at("memory_bytes") / 4, 1, fallback);
    if (fallback != 0) normal.limits.try_emplace(name, fallback);
    if (!normal.limits.contains(name)) continue;
    const auto declared = tool.enforce.find(name);
    normal.enforce[name] = declared == tool.enforce.end() ? spec.possible : declared->second;
  }
}

bool is_all_utf8(const Normal& n) {
  const auto ok = [](const std::string& t) { return is_utf8(t); };
  const auto path_ok = [](const PathEntry& e) { return is_utf8(e.path); };
  return std::ranges::all_of(n.command, ok) && std::ranges::all_of(n.hide, ok) &&
         std::ranges::all_of(n.read, path_ok) && std::ranges::all_of(n.write, path_ok) &&
         std::ranges::all_of(n.exec, path_ok) && std::ranges::all_of(n.env, [](const EnvEntry& e) {
           return !e.value || is_utf8(*e.value);
         });
}

Json encode_texts(const std::vector<std::string>& texts) {
  Json out = Json::Array{};
  for (const std::string& text : texts) out.push_back(text);
  return out;
}

Json encode_paths(const std::vector<PathEntry>& entries, bool is_write) {
  Json out = Json::Array{};
  for (const PathEntry& entry : entries) {
    Json item;
    item["path"] = entry.path;
    if (is_write)
      item["delete"] = entry.may_delete;
    else
      item["optional"] = entry.is_optional;
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::options:
      return "options";
    case Origin::workspace:
      return "workspace";
    case Origin::catalog:
      return "catalog";
    case Origin::pinned:
      return "pinned";
    case Origin::learn:
      return "learn";
    case Origin::revision:
      break;
  }
  return "revision";
}

bool Normal::may_exec(std::string_view special) const {
  return std::ranges::find(exec, special, &PathEntry::path) != exec.end();
}

Result<Normal> build_normal(const ToolDeclaration& tool, Origin origin,
                            const std::vector<Ceiling>& ceilings, std::string_view workspace) {
  Normal n;
  n.tool = tool.name;
  n.origin = origin;
  n.profile = tool.profile;
  n.isolation = tool.isolation;
  n.args = tool.args;
  n.on_output_limit = tool.on_output_limit;
  n.output_format = tool.output_format;
  n.command = tool.command;
  const bool is_build = tool.profile == "build-offline";
  n.read = normalise(tool.read.value_or(default_paths({"."})), workspace);
  n.write = normalise(tool.write.value_or(default_paths({})), workspace);
  n.exec = normalise(
      tool.exec.value_or(is_build ? default_paths({".", kExecScratch}) : default_paths({})),
      workspace);
  for (const std::string& pattern : tool.hide) {
    auto full = normalise_pattern(pattern);
    assert(full);
    n.hide.push_back(std::move(*full));
  }
  std::ranges::sort(n.hide);
  n.hide.erase(std::unique(n.hide.begin(), n.hide.end()), n.hide.end());
  n.env = tool.env;
  std::ranges::sort(n.env, {}, &EnvEntry::name);
  fill_limits(tool, n);
  for (const auto& [limit, list] : tool.enforce)
    if (!n.limits.contains(limit))
      return base::fail(Errc::malformed, "enforce names " + limit + ", which has no value");
  n.network = tool.network;
  n.git = tool.git;
  n.observe = tool.observe;
  n.ceilings = ceilings;
  if (!is_all_utf8(n))
    return base::fail(Errc::malformed, "an argument, path or value is not UTF-8");
  return n;
}

Json encode_normal(const Normal& n) {
  Json out;
  out["args"] = n.args;
  Json& ceilings = out["ceilings"] = Json::Array{};
  for (const Ceiling& ceiling : n.ceilings) ceilings.push_back(encode_ceiling(ceiling));
  out["class"] = n.isolation;
  out["command"] = encode_texts(n.command);
  Json& enforce = out["enforce"];
  for (const auto& [limit, list] : n.enforce) {
    Json& names = enforce[limit] = Json::Array{};
    for (const Enforcer e : list) names.push_back(enforcer_name(e));
  }
  Json& env = out["env"] = Json::Array{};
  for (const EnvEntry& entry : n.env) {
    Json item;
    item["name"] = entry.name;
    if (entry.value) item["value"] = *entry.value;
    env.push_back(std::move(item));
  }
  out["exec"] = encode_paths(n.exec, false);
  out["git"] = git_name(n.git);
  out["hide"] = encode_texts(n.hide);
  Json& limits = out["limits"];
  for (const auto& [limit, value] : n.limits) limits[limit] = static_cast<std::int64_t>(value);
  if (!n.narrowed.empty()) out["narrowed"] = encode_texts(n.narrowed);
  out["network"] = network_name(n.network);
  out["observe"] = observe_name(n.observe);
  out["on_output_limit"] = n.on_output_limit;
  out["origin"] = origin_name(n.origin);
  if (n.output_format) out["output_format"] = *n.output_format;
  out["profile"] = n.profile;
  out["read"] = encode_paths(n.read, false);
  out["tool"] = n.tool;
  out["v"] = 1;
  out["write"] = encode_paths(n.write, true);
  return out;
}

}  // namespace ethos::sandbox
