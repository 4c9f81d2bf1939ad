// SPDX-License-Identifier: Apache-2.0
#include "verify/artifacts.h"

#include <algorithm>
#include <cstring>

#include "verify/policy_path.h"

namespace ethos::verify {
namespace {

// Is `path`, or a directory that it lies in, one of the names?
bool at_or_above(const std::set<std::string, std::less<>>& names, std::string_view path) {
  if (names.empty()) return false;
  for (auto end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (names.contains(path.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
  }
}

}  // namespace

ArtifactList::Key ArtifactList::key_of(const std::string& name) {
  const Digest digest = hash_.of(name);
  Key key{};
  std::memcpy(key.data(), digest.bytes.data(), key.size());
  return key;
}

void ArtifactList::add(std::int64_t seq, const Value& path, bool is_deleted, bool is_directory) {
  std::string text = text_of(path);
  // A directory may go and a file of its name come.
  seen_.push_back({key_of((is_deleted ? "-" : "+") + text), seq, !is_deleted && !is_directory});
  if (!is_deleted) add_above(seq, text);
  bytes_ += text.size() + sizeof(Entry);
  kept_.push_back({seq, std::move(text), is_directory});
}

std::vector<ArtifactList::Entry> ArtifactList::take() {
  bytes_ = 0;
  return std::exchange(kept_, {});
}

std::int64_t ArtifactList::find_repeated() {
  sort_seen();
  std::int64_t out = -1;
  for (std::size_t i = 1; i < seen_.size(); ++i) {
    if (seen_[i].key == seen_[i - 1].key && (out < 0 || seen_[i].seq < out)) out = seen_[i].seq;
  }
  return out;
}

std::int64_t ArtifactList::find_below_file() {
  sort_seen();
  std::int64_t out = -1;
  for (const auto& [key, seq] : above_) {
    const auto at = std::lower_bound(seen_.begin(), seen_.end(), key,
                                     [](const Seen& a, const Key& b) { return a.key < b; });
    if (at != seen_.end() && at->key == key && at->is_made_file && (out < 0 || seq < out)) out = seq;
  }
  return out;
}

void ArtifactList::sort_seen() {
  std::sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) {
    return a.key != b.key ? a.key < b.key : a.seq < b.seq;
  });
}

// Names of one directory come one after the other: of the next name only what is new is looked at.
void ArtifactList::add_above(std::int64_t seq, const std::string& path) {
  const auto most = std::min(path.size(), last_made_.size());
  const auto differ = std::mismatch(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(most), last_made_.begin());
  const auto common = static_cast<std::size_t>(differ.first - path.begin());
  for (auto end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (end < common) continue;
    has_forgotten_ = has_forgotten_ || above_.size() >= kMostAbove * seen_.size() + kFreeAbove;
    if (has_forgotten_) return;
    above_.emplace_back(key_of("+" + path.substr(0, end)), seq);
  }
  last_made_ = path;
}

WriteGuard::WriteGuard(const Value& normal, const Value& facts) : patterns_(normal.at("hide")) {
  for (const Value& path : facts.at("policy").items()) policy_.insert(lower(text_of(path)));
  for (const Value& hide : facts.at("hides").items()) hidden_.insert(text_of(hide.at("path")));
}

const char* WriteGuard::refuses(const std::string& path, bool is_directory) {
  const std::string low = lower(path);
  for (const std::string_view part : components(low)) {
    if (part == ".git") return "a file was brought out as part of a repository";
  }
  if (at_or_above(policy_, low))
    return "a declaration, ceiling or decision was brought out of a cage";
  if (at_or_above(hidden_, path)) return "a file was brought out at a name that was hidden";
  if (path.starts_with('/') || patterns_.empty()) return nullptr;
  constexpr const char* kMatched = "a file was brought out at a name that a hide pattern matches";
  const auto slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
  if (!parent.empty() && parent != good_parent_) {
    if (patterns_.matches_at_or_above(parent, true)) return kMatched;
    good_parent_ = parent;
  }
  return patterns_.matches(path, is_directory) ? kMatched : nullptr;
}

}  // namespace ethos::verify
