// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ceiling.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>

#include "ledger/base/base64.h"
#include "sandbox/declaration.h"
#include "sandbox/hide_pattern.h"
#include "sandbox/jsonc.h"
#include "sandbox/limits.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

using base::Result;
using Kind = JsonNode::Kind;
using Texts = std::vector<std::string>;

constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kMaxPins = 1024;

// Each entry through `check`, which gives its normal form or nothing.
Result<Texts> read_list(
    const JsonNode& node, std::size_t most,
    const std::function<std::optional<std::string>(const std::string&)>& check) {
  if (node.kind != Kind::array) return refuse_at(node, "an array of strings was expected");
  if (node.items.size() > most)
    return refuse_at(node, "more than " + std::to_string(most) + " entries");
  Texts out;
  for (const JsonNode& item : node.items) {
    if (item.kind != Kind::string) return refuse_at(item, "a string was expected");
    auto text = check(item.text);
    if (!text) return refuse_at(item, "not allowed in this list");
    out.push_back(std::move(*text));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<std::string> only_if(bool is_allowed, const std::string& text) {
  return is_allowed ? std::optional(text) : std::nullopt;
}

bool is_ceiling_name(std::string_view name) {
  constexpr std::string_view kMore = "._/+-";
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMore.find(c) != std::string_view::npos;
  });
}

std::optional<std::string> env_pattern(const std::string& text) {
  const bool is_pattern =
      !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '*';
      });
  return only_if(is_pattern, text);
}

std::optional<std::string> digest_text(const std::string& text) {
  constexpr std::string_view kPrefix = "sha256:";
  const bool is_digest =
      text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
      text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string::npos;
  return only_if(is_digest, text);
}

std::optional<std::string> key_text(const std::string& text) {
  constexpr std::size_t kEd25519Bytes = 32;
  const auto bytes = base::decode_base64(text);
  return only_if(bytes.has_value() && bytes->size() == kEd25519Bytes, text);
}

Result<std::map<std::string, std::uint64_t>> read_limits(const JsonNode& node) {
  if (node.kind != Kind::object) return refuse_at(node, "an object was expected");
  std::map<std::string, std::uint64_t> out;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const JsonNode& item = node.items[i];
    const LimitSpec* spec = find_limit(node.keys[i]);
    if (spec == nullptr) return refuse_at(item, "unknown limit \"" + node.keys[i] + "\"");
    const bool is_text = item.kind == Kind::integer || item.kind == Kind::string;
    const auto value = is_text ? parse_limit(*spec, item.text) : std::nullopt;
    if (!value) return refuse_at(item, "no value for the limit \"" + node.keys[i] + "\"");
    out[std::string(spec->normal_name)] = *value;
  }
  return out;
}

Result<void> read_key(const std::string& key, const JsonNode& node, Ceiling& ceiling) {
  const auto list = [&](std::optional<Texts>& into, std::size_t most, auto check) -> Result<void> {
    auto texts = read_list(node, most, check);
    if (!texts) return base::Unexpected(std::move(texts).error());
    into = std::move(*texts);
    return {};
  };
  const auto path = [](const std::string& t) { return normalise_path(t); };
  if (key == "read") return list(ceiling.read, kMaxEntries, path);
  if (key == "write") return list(ceiling.write, kMaxEntries, path);
  if (key == "exec") return list(ceiling.exec, kMaxEntries, path);
  if (key == "network")
    return list(ceiling.network, 2,
                [](const std::string& t) { return only_if(parse_network(t).has_value(), t); });
  if (key == "git")
    return list(ceiling.git, 2,
                [](const std::string& t) { return only_if(parse_git(t).has_value(), t); });
  if (key == "profiles")
    return list(ceiling.profiles, 16,
                [](const std::string& t) { return only_if(is_profile(t), t); });
  if (key == "env_deny") return list(ceiling.env_deny, kMaxEntries, env_pattern);
  if (key == "limits") {
    auto limits = read_limits(node);
    if (!limits) return base::Unexpected(std::move(limits).error());
    ceiling.limits = std::move(*limits);
    return {};
  }
  std::optional<Texts> trusted;
  const bool is_pin = key == "pinned";
  if (!is_pin && key != "decision_keys") return refuse_at(node, "unknown key \"" + key + "\"");
  if (auto read = list(trusted, kMaxPins, is_pin ? digest_text : key_text); !read) return read;
  (is_pin ? ceiling.pinned : ceiling.decision_keys) = std::move(*trusted);
  return {};
}

Json encode_list(const Texts& texts) {
  Json out = Json::Array{};
  for (const std::string& text : texts) out.push_back(text);
  return out;
}

// Built and not parsed: every run begins with it. Lists as parse_ceiling leaves them, in byte
// order.
Ceiling make_built_in() {
  Ceiling out;
  out.name = "workspace/1";
  out.read = {".",
              "/bin",
              "/etc/alternatives",
              "/etc/java-17-openjdk",
              "/etc/mime.types",
              "/etc/ssl/certs",
              "/lib",
              "/lib32",
              "/lib64",
              "/libx32",
              "/opt",
              "/sbin",
              "/usr"};
  out.write = {"."};
  out.exec = {".",    "/bin",  "/lib", "/lib32",  "/lib64",  "/libx32",
              "/opt", "/sbin", "/usr", "@memory", "@scratch"};
  out.network = {"loopback", "none"};
  out.git = {"none", "read"};
  out.profiles = {"build-offline", "lint-offline", "no-proc"};
  out.env_deny = {"*APIKEY*",   "*API_KEY*", "*AUTH*",   "*CREDENTIAL*", "*PASSWD*",
                  "*PASSWORD*", "*PRIVATE*", "*SECRET*", "*TOKEN*",      "AWS_*",
                  "AZURE_*",    "GOOGLE_*",  "SSH_*"};
  out.limits.emplace();
  return out;
}

}  // namespace

Result<Ceiling> parse_ceiling(std::string_view text) {
  auto parsed = parse_jsonc(text);
  if (!parsed) return base::Unexpected(std::move(parsed).error());
  const JsonNode& root = *parsed;
  if (root.kind != Kind::object) return refuse_at(root, "an object was expected");
  const JsonNode* version = root.find("version");
  if (version == nullptr) return refuse_at(root, "\"version\" is missing");
  if (version->kind != Kind::integer || version->number != 1)
    return refuse_at(*version, "the only known version is 1");
  const JsonNode* name = root.find("name");
  if (name == nullptr) return refuse_at(root, "\"name\" is missing");
  if (name->kind != Kind::string || !is_ceiling_name(name->text))
    return refuse_at(*name, "no name of a ceiling");
  Ceiling out;
  out.name = name->text;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i];
    const JsonNode& item = root.items[i];
    if (key == "version" || key == "name") continue;
    if (key == "$schema") {
      if (item.kind != Kind::string) return refuse_at(item, "a string was expected");
      continue;
    }
    if (auto read = read_key(key, item, out); !read)
      return base::Unexpected(std::move(read).error().with_context(key));
  }
  return out;
}

const Ceiling& workspace_ceiling() {
  static const Ceiling ceiling = make_built_in();
  return ceiling;
}

Json encode_ceiling(const Ceiling& ceiling) {
  Json out;
  out["name"] = ceiling.name;
  if (ceiling.read) out["read"] = encode_list(*ceiling.read);
  if (ceiling.write) out["write"] = encode_list(*ceiling.write);
  if (ceiling.exec) out["exec"] = encode_list(*ceiling.exec);
  if (ceiling.network) out["network"] = encode_list(*ceiling.network);
  if (ceiling.git) out["git"] = encode_list(*ceiling.git);
  if (ceiling.profiles) out["profiles"] = encode_list(*ceiling.profiles);
  if (ceiling.env_deny) out["env_deny"] = encode_list(*ceiling.env_deny);
  if (ceiling.limits) {
    Json& limits = out["limits"];
    for (const auto& [limit, value] : *ceiling.limits)
      limits[limit] = static_cast<std::int64_t>(value);
  }
  return out;
}

bool matches_env_pattern(std::string_view pattern, std::string_view name) {
  const auto upper = [](std::string_view text) {
    std::string out(text);
    for (char& c : out)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
  };
  return matches_wildcard(upper(pattern), upper(name));
}

}  // namespace ethos::sandbox
