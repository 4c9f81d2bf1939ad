// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/digest.h"
#include "verify/hide_patterns.h"
#include "verify/json.h"

namespace ethos::verify {

// Files that one run brought out (artifact.exported). The names of a bounded number of them are
// kept; of the others what is needed to know them again.
class ArtifactList {
 public:
  struct Entry {
    std::int64_t seq = 0;
    std::string path;  // text form: relative in the workspace, else absolute
    bool is_directory = false;
  };

  void add(std::int64_t seq, const Value& path, bool is_deleted, bool is_directory);
  [[nodiscard]] bool empty() const { return seen_.empty(); }
  // Take them before the next one is added.
  [[nodiscard]] bool is_full() const { return bytes_ >= kMaxBytes; }
  std::vector<Entry> take();
  // The record that brings out what another one brought out already; -1 when there is none.
  std::int64_t find_repeated();
  // The record that brings out something below what another one brought out as a file; -1.
  std::int64_t find_below_file();
  // The names lie so far apart that not every directory above them was remembered.
  [[nodiscard]] bool has_forgotten() const { return has_forgotten_; }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;
  using Key = std::array<unsigned char, 16>;  // of the digest: names are the tool's own choice

  std::vector<Entry> kept_;
  std::size_t bytes_ = 0;
  struct Seen {
    Key key{};
    std::int64_t seq = 0;
    bool is_made_file = false;
  };
  using Above = std::pair<Key, std::int64_t>;
  static constexpr std::size_t kMostAbove = 16;     // directories of a name, on the average
  static constexpr std::size_t kFreeAbove = 65'536;

  Key key_of(const std::string& name);
  void sort_seen();
  void add_above(std::int64_t seq, const std::string& path);
  Sha256 hash_;
  std::vector<Seen> seen_;
  std::vector<Above> above_;  // the directories that what was made lies in
  std::string last_made_;
  bool has_forgotten_ = false;
};

// Names at which nothing is brought out of a cage, whatever was granted (plan.md P-4, M-10).
class WriteGuard {
 public:
  WriteGuard(const Value& normal, const Value& facts);
  // Why that name is none; null when it may be. `path` in text form.
  const char* refuses(const std::string& path, bool is_directory);
  // About how many steps the hide patterns took: patterns and names may be made to take long.
  [[nodiscard]] std::uint64_t work() const { return patterns_.work(); }

 private:
  std::set<std::string, std::less<>> policy_;  // in lower case
  std::set<std::string, std::less<>> hidden_;
  HidePatterns patterns_;
  std::string good_parent_;  // of the last name: nothing is hidden at it or above
};

}  // namespace ethos::verify
