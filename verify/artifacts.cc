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

void ArtifactList::add(std::int64_t seq, const Value& path, bool is_deleted, bool is_directory) {
  std::string text = text_of(path);
  Sha256 hash;
  // A directory may go and a file of its name come.
  const Digest digest = hash.of((is_deleted ? "-" : "+") + text);
  Key key{};
  std::memcpy(key.data(), digest.bytes.data(), key.size());
  seen_.emplace_back(key, seq);
  bytes_ += text.size() + sizeof(Entry);
  kept_.push_back({seq, std::move(text), is_directory});
}

std::vector<ArtifactList::Entry> ArtifactList::take() {
  bytes_ = 0;
  return std::exchange(kept_, {});
}

std::int64_t ArtifactList::find_repeated() {
  std::sort(seen_.begin(), seen_.end());
  std::int64_t out = -1;
  for (std::size_t i = 1; i < seen_.size(); ++i) {
    if (seen_[i].first == seen_[i - 1].first && (out < 0 || seen_[i].second < out))
      out = seen_[i].second;
  }
  return out;
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
