// SPDX-License-Identifier: Apache-2.0
#include "verify/report_sample.h"

#include <algorithm>

#include "verify/digest.h"

namespace ethos::verify {
namespace {

class KeyedHash {
 public:
  explicit KeyedHash(const std::string& key) {
    constexpr std::size_t kBlock = 64;
    std::string block(key.size() > kBlock ? hash_.of(key).view() : std::string_view(key));
    block.resize(kBlock, '\0');
    inner_ = outer_ = block;
    for (char& c : inner_) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer_) c = static_cast<char>(c ^ 0x5c);
  }
  Digest of(const std::string& message) {
    const Digest first = hash_.of(inner_ + message);
    return hash_.of(outer_ + std::string(first.view()));
  }

 private:
  Sha256 hash_;
  std::string inner_;
  std::string outer_;
};

bool is_smaller(const Digest& a, const Digest& b) {
  return std::lexicographical_compare(
      a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end(),
      [](char x, char y) { return static_cast<unsigned char>(x) < static_cast<unsigned char>(y); });
}

}  // namespace

void compare_sample(const Value& claimed,
                    const std::vector<std::pair<std::string, std::int64_t>>& runs,
                    const ReportSame& same) {
  if (!claimed.is_object()) {
    const std::string found = report_text(claimed);
    same(-1, "", "sample", "null", &found, false);
    return;
  }
  KeyedHash hash(claimed.text_at("seed"));
  std::vector<std::pair<Digest, std::size_t>> order;
  for (std::size_t i = 0; i < runs.size(); ++i) order.emplace_back(hash.of(runs[i].first), i);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first == b.first ? a.second < b.second : is_smaller(a.first, b.first);
  });
  const auto& picks = claimed.at("picks").items();
  const auto asked =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, claimed.at("asked").number()));
  const std::string number = std::to_string(picks.size());
  same(-1, "", "sample, picks", std::to_string(std::min<std::uint64_t>(asked, runs.size())),
       &number, false);
  for (std::size_t i = 0; i < picks.size() && i < order.size(); ++i) {
    const auto& [run, opened] = runs[order[i].second];
    const ClaimedObject pick(picks[i], "sample, pick " + std::to_string(i + 1), same, opened);
    pick.must("run", run);
    pick.record("opened", opened);
  }
}

}  // namespace ethos::verify
