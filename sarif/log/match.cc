// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/match.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>

namespace ethos::sarif {
namespace {

constexpr std::string_view kLineHash = "primaryLocationLineHash";
constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

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
};

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
  if (const auto hash = result.find_path({"partialFingerprints", kLineHash})) {
    out.line_hash = hash->text();
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
    if (!one.key_is(kLineHash)) all += one.key() + '\0' + one.text() + '\0';
  }
  return all.empty() ? 0 : hash_of({about.rule, about.path, all});
}

// Previous results that are still free, by one of their keys, each bucket ordered by line.
class FreeByKey {
 public:
  void add(std::uint64_t key, std::int64_t line, std::size_t index) {
    buckets_[key].emplace(line, index);
  }

  // Takes the one nearest to `line`, or kUnmatched.
  std::size_t take(std::uint64_t key, std::int64_t line) {
    const auto bucket = buckets_.find(key);
    if (bucket == buckets_.end() || bucket->second.empty()) return kUnmatched;
    auto& lines = bucket->second;
    auto best = lines.lower_bound(line);
    if (best == lines.end() ||
        (best != lines.begin() && line - std::prev(best)->first < best->first - line)) {
      --best;
    }
    const std::size_t index = best->second;
    lines.erase(best);
    return index;
  }

 private:
  std::unordered_map<std::uint64_t, std::multimap<std::int64_t, std::size_t>> buckets_;
};

class Matcher {
 public:
  Matcher(const std::vector<ResultKeys>& previous, const std::vector<ResultKeys>& current)
      : previous_(previous),
        current_(current),
        partner_(current.size(), kUnmatched),
        taken_(previous.size(), false) {}

  void match_by(std::uint64_t ResultKeys::*key) {
    FreeByKey free;
    for (std::size_t i = 0; i < previous_.size(); ++i) {
      if (!taken_[i] && previous_[i].*key != 0) free.add(previous_[i].*key, previous_[i].line, i);
    }
    for (std::size_t i = 0; i < current_.size(); ++i) {
      if (partner_[i] != kUnmatched || current_[i].*key == 0) continue;
      const std::size_t found = free.take(current_[i].*key, current_[i].line);
      if (found == kUnmatched) continue;
      partner_[i] = found;
      taken_[found] = true;
    }
  }

  [[nodiscard]] Matching result() const {
    Matching out;
    out.current.reserve(current_.size());
    for (std::size_t i = 0; i < current_.size(); ++i) {
      if (partner_[i] == kUnmatched) {
        out.current.push_back(BaselineState::fresh);
      } else {
        const bool is_same = previous_[partner_[i]].content == current_[i].content;
        out.current.push_back(is_same ? BaselineState::unchanged : BaselineState::updated);
      }
    }
    for (const bool taken : taken_) out.previous_absent.push_back(!taken);
    return out;
  }

 private:
  const std::vector<ResultKeys>& previous_;
  const std::vector<ResultKeys>& current_;
  std::vector<std::size_t> partner_;
  std::vector<bool> taken_;
};

}  // namespace

ResultKeys keys_of(const JsonView& result, const RunIndex& run) {
  const Description about = describe(result, run);
  ResultKeys keys;
  keys.identity = identity_of(result, about);
  keys.own_print = own_print_of(result, about);
  keys.exact = hash_of({about.rule, about.path, about.message, about.region});
  keys.message = hash_of({about.rule, about.path, about.message});
  if (!about.line_hash.empty()) {
    keys.line_text = hash_of({about.rule, about.path, about.line_hash});
    const std::string_view bare =
        std::string_view(about.line_hash).substr(0, about.line_hash.find(':'));
    keys.line_moved = hash_of({about.rule, about.message, bare});
  }
  const std::string_view path = about.path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view line = std::string_view(about.region).substr(0, about.region.find(','));
  if (!name.empty()) keys.place_moved = hash_of({about.rule, about.message, name, line});
  keys.content = hash_of({level_text(run.level_of(result)), about.message});
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  const auto start =
      first ? first->find_path({"physicalLocation", "region", "startLine"}) : std::nullopt;
  // Bounded, so that a difference of two never overflows.
  keys.line = std::clamp<std::int64_t>(start ? start->integer().value_or(0) : 0, 0, 1LL << 40);
  return keys;
}

Matching match_results(const std::vector<ResultKeys>& previous,
                       const std::vector<ResultKeys>& current) {
  Matcher matcher(previous, current);
  for (const auto key :
       {&ResultKeys::identity, &ResultKeys::exact, &ResultKeys::line_text, &ResultKeys::own_print,
        &ResultKeys::message, &ResultKeys::line_moved, &ResultKeys::place_moved}) {
    matcher.match_by(key);
  }
  return matcher.result();
}

}  // namespace ethos::sarif
