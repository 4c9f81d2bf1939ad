// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_cache.h"

#include "verify/filter_policy.h"
#include "verify/view.h"

namespace ethos::verify {

const std::string& JudgeCache::filter_fault(const std::string& digest, const std::string& program, const std::string& name) {
  constexpr std::size_t kMost = 1000;
  if (filters.size() == kMost) filters.clear();
  const auto [at, is_new] = filters.try_emplace({digest, name});
  if (is_new) {
    const auto parsed = BpfProgram::parse(program);
    at->second = parsed ? check_filter(*parsed, name) : parsed.error().what;
  }
  return at->second;
}

std::int64_t JudgeCache::untold_call(const std::string& digest, const std::vector<std::uint32_t>& calls, const LoadProgram& load) {
  constexpr std::size_t kMost = 1000;
  const auto known = untold.find({digest, calls});
  if (known != untold.end()) return known->second;
  const auto program = load();
  if (!program) return -1;
  if (untold.size() == kMost) untold.clear();
  const auto parsed = BpfProgram::parse(*program);
  const std::int64_t first = parsed ? first_untold(*parsed, calls) : -1;
  untold.try_emplace({digest, calls}, first);
  return first;
}

void JudgeCache::remember_blob(const std::string& digest) {
  constexpr std::size_t kMost = 1000;
  if (blobs.size() == kMost) blobs.clear();
  blobs.insert(digest);
}

void InputText::add(std::string_view text) {
  text_ += std::to_string(text.size());
  text_ += ':';
  text_ += text;
}

std::string without_chance(std::string_view body, std::string_view parent, std::string_view blank) {
  constexpr std::string_view kOpening = "{\"c\":\"";
  constexpr std::size_t kDigestChars = 44;
  std::string out;
  out.reserve(body.size());
  const std::string_view value = View(body).at(parent).at(blank).source();
  std::string_view rest = body;
  const auto copy_to = [&](std::size_t end) {
    out += rest.substr(0, end);
    rest.remove_prefix(end);
  };
  // Either may come first; neither lies within the other.
  bool blanked = value.empty();
  while (!rest.empty()) {
    const auto at = rest.find(kOpening);
    const std::size_t stop = at == std::string_view::npos ? rest.size() : at;
    const auto value_at = static_cast<std::size_t>(blanked ? 0 : value.data() - rest.data());
    if (!blanked && value_at < stop) {
      copy_to(value_at);
      out += '0';
      rest.remove_prefix(value.size());
      blanked = true;
    } else {
      copy_to(at == std::string_view::npos ? rest.size() : at + kOpening.size());
      const bool commitment = at != std::string_view::npos && rest.size() > kDigestChars && rest.find('"') == kDigestChars &&
                              rest[kDigestChars - 1] == '=';
      if (commitment) rest.remove_prefix(kDigestChars);
    }
  }
  return out;
}

}  // namespace ethos::verify
