// SPDX-License-Identifier: Apache-2.0
#include "sandbox/declaration_text.h"

#include <array>
#include <cassert>
#include <utility>

#include "sandbox/json_value.h"
#include "sandbox/jsonc.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {
namespace {

std::string quoted(std::string_view text) { return Json(text).encode(); }

std::string listed(const std::vector<std::string>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ", ") + items[i];
  return out + "]";
}

std::string list_of_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(quoted(text));
  return listed(items);
}

std::string list_of_paths(const std::vector<PathEntry>& entries) {
  std::vector<std::string> items;
  for (const PathEntry& e : entries) {
    std::string item = quoted(e.path);
    if (e.is_optional) item = "{\"path\": " + item + ", \"optional\": true}";
    if (e.may_delete) item = "{\"path\": " + item + ", \"delete\": true}";
    items.push_back(std::move(item));
  }
  return listed(items);
}

std::string list_of_env(const std::vector<EnvEntry>& entries) {
  std::vector<std::string> items;
  for (const EnvEntry& e : entries)
    items.push_back(quoted(e.value ? e.name + "=" + *e.value : e.name));
  return listed(items);
}

std::string limits_of(const ToolDeclaration& tool) {
  std::string out;
  for (const LimitSpec& spec : limit_specs()) {
    const auto at = tool.limits.find(std::string(spec.normal_name));
    if (at == tool.limits.end()) continue;
    out += (out.empty() ? "" : ", ") + quoted(spec.key) + ": ";
    const std::string text = limit_text(spec, at->second);
    out += spec.unit == Unit::count ? text : quoted(text);
  }
  return "{" + out + "}";
}

std::string enforce_of(const ToolDeclaration& tool) {
  std::string out;
  for (const auto& [name, list] : tool.enforce) {
    const LimitSpec* spec = find_limit_by_normal_name(name);
    assert(spec != nullptr);
    std::vector<std::string> names;
    for (const Enforcer e : list) names.emplace_back(enforcer_name(e));
    out += (out.empty() ? "" : ", ") + quoted(spec->key) + ": " + list_of_texts(names);
  }
  return "{" + out + "}";
}

}  // namespace

std::string limit_text(const LimitSpec& spec, std::uint64_t value) {
  using Step = std::pair<std::uint64_t, const char*>;
  static constexpr auto kSizes = std::to_array<Step>(
      {{std::uint64_t{1} << 30U, "GiB"}, {std::uint64_t{1} << 20U, "MiB"}, {1024, "KiB"}});
  static constexpr auto kTimes =
      std::to_array<Step>({{3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}});
  if (spec.unit == Unit::percent) return std::to_string(value) + "%";
  if (spec.unit == Unit::size)
    for (const auto& [factor, name] : kSizes)
      if (value != 0 && value % factor == 0) return std::to_string(value / factor) + name;
  if (spec.unit == Unit::time) {
    for (const auto& [factor, name] : kTimes)
      if (value % factor == 0) return std::to_string(value / factor) + name;
    return std::to_string(value) + "ms";
  }
  return std::to_string(value);
}

std::string comment_text(std::string_view text) {
  constexpr std::size_t kMost = 240;
  std::string out = shown(text);
  if (!is_utf8(out)) {
    std::string plain;
    for (const char c : out) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        plain += c;
        continue;
      }
      constexpr std::string_view kDigits = "0123456789abcdef";
      plain += "\\x";
      plain += kDigits[byte >> 4U];
      plain += kDigits[byte & 15U];
    }
    out = std::move(plain);
  }
  if (out.size() <= kMost) return out;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
  return out.substr(0, end) + "...";
}

std::string declaration_text(const ToolDeclaration& tool,
                             const std::vector<std::string>& comments) {
  std::string out;
  for (const std::string& comment : comments) out += "// " + comment_text(comment) + "\n";
  out += "{ \"version\": 1,\n  \"tools\": {\n    " + quoted(tool.name) + ": {\n";
  out += "      \"command\": " + list_of_texts(tool.command);
  const auto line = [&](const char* key, const std::string& value) {
    out += ",\n      \"" + std::string(key) + "\": " + value;
  };
  if (tool.profile != "lint-offline") line("profile", quoted(tool.profile));
  line("read", list_of_paths(tool.read.value_or(std::vector<PathEntry>{{.path = "."}})));
  if (tool.write) line("write", list_of_paths(*tool.write));
  if (tool.exec) line("exec", list_of_paths(*tool.exec));
  if (!tool.hide.empty()) line("hide", list_of_texts(tool.hide));
  if (tool.network != Network::none) line("network", quoted(network_name(tool.network)));
  if (tool.git != Git::none) line("git", quoted(git_name(tool.git)));
  if (!tool.env.empty()) line("env", list_of_env(tool.env));
  if (!tool.limits.empty()) line("limits", limits_of(tool));
  if (!tool.enforce.empty()) line("enforce", enforce_of(tool));
  if (tool.observe != Observe::writes) line("observe", quoted(observe_name(tool.observe)));
  if (tool.args != "any") line("args", quoted(tool.args));
  if (tool.isolation != "namespace") line("class", quoted(tool.isolation));
  if (tool.on_output_limit != "kill") line("on_output_limit", quoted(tool.on_output_limit));
  if (tool.output_format) line("output_format", quoted(*tool.output_format));
  return out + " } } }\n";
}

}  // namespace ethos::sandbox
