// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "sarif/line_key.h"
#include "sarif/log/match.h"
#include "sarif/log/result_view.h"

// What identifies a result: keys_of() of match.h.

namespace ethos::sarif {
namespace {

constexpr std::string_view kLineHash = "primaryLocationLineHash";

// Never 0, so that 0 can say "none".
std::uint64_t hash_of(std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (const std::string_view part : parts) {
    hash ^= std::hash<std::string_view>{}(part) + 0x9E3779B97F4A7C15U + (hash << 6U) + (hash >> 2U);
  }
  return hash == 0 ? 1 : hash;
}

struct Description {
  std::string rule;  // with the tool's name before it
  std::string path;
  std::string message;
  std::string region;
  std::string line_hash;
  std::string line_key;
};

// "61 lines, 50 allowed" is "# lines, # allowed": what a tool measures changes with the code. A
// digit in a name ("x1") is part of the name.
std::string without_numbers(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.empty()) {
      out.push_back(text[at++]);
      continue;
    }
    const bool is_number =
        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    out += is_number ? std::string_view("#") : word;
    at = end;
  }
  return out;
}

Description describe(const JsonView& result, const RunIndex& run) {
  Description out;
  out.rule = run.tool + '\0' + run.rule_id_of(result);
  if (const auto message = result.find("message")) {
    out.message = text_of(*message, "text");
    if (out.message.empty()) out.message = text_of(*message, "id");
  }
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  if (first) {
    if (const auto uri = first->find_path({"physicalLocation", "artifactLocation", "uri"})) {
      out.path = uri->text();
    }
    if (const auto region = first->find_path({"physicalLocation", "region"})) {
      for (const std::string_view key : {"startLine", "startColumn", "endLine", "endColumn"}) {
        const auto value = region->find(key);
        out.region += (value ? std::string(value->token()) : "") + ",";
      }
    }
  }
  if (const auto prints = result.find("partialFingerprints")) {
    out.line_hash = text_of(*prints, kLineHash);
    out.line_key = text_of(*prints, kLineKeyName);
  }
  return out;
}

std::uint64_t identity_of(const JsonView& result, const Description& about) {
  const std::string guid = text_of(result, "guid");
  if (!guid.empty()) return hash_of({"guid", guid});
  const auto prints = result.find("fingerprints");
  if (!prints || !prints->is_object() || prints->begin() == prints->end()) return 0;
  const JsonView first = *prints->begin();
  return hash_of({about.rule, first.key(), first.text()});
}

std::uint64_t own_print_of(const JsonView& result, const Description& about) {
  const auto prints = result.find("partialFingerprints");
  if (!prints || !prints->is_object()) return 0;
  std::string all;
  for (const JsonView one : *prints) {
    if (!one.key_is(kLineHash) && !one.key_is(kLineKeyName))
      all += one.key() + '\0' + one.text() + '\0';
  }
  return all.empty() ? 0 : hash_of({about.rule, all});
}

}  // namespace

ResultKeys keys_of(const JsonView& result, const RunIndex& run) {
  const Description about = describe(result, run);
  ResultKeys keys;
  keys.identity = identity_of(result, about);
  keys.own_print = own_print_of(result, about);
  if (!about.path.empty()) keys.path = hash_of({about.path});
  keys.place = hash_of({about.rule, about.message, about.region});
  keys.message = hash_of({about.rule, about.message});
  keys.shape = hash_of({about.rule, "#", without_numbers(about.message)});
  if (!about.line_key.empty()) keys.line_key = hash_of({about.rule, about.line_key});
  if (!about.line_hash.empty()) {
    keys.line_text = hash_of({about.rule, about.line_hash});
    const std::string_view bare =
        std::string_view(about.line_hash).substr(0, about.line_hash.find(':'));
    keys.line_bare = hash_of({about.rule, about.message, bare});
  }
  const std::string_view path = about.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view line = std::string_view(about.region).substr(0, about.region.find(','));
  if (!name.empty()) keys.file_name = hash_of({about.rule, about.message, name, line});
  keys.content = hash_of({level_text(run.level_of(result)), about.message});
  // Bounded, so that a difference of two never overflows.
  keys.line = std::clamp<std::int64_t>(primary_line(result), 0, 1LL << 40);
  return keys;
}

}  // namespace ethos::sarif
