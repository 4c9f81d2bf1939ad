// SPDX-License-Identifier: Apache-2.0
#include "sandbox/git_commit.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::size_t kMaxSteps = 10'000;

// Tags lead to what they name.
Result<GitCommit> peel(const GitStore& store, std::string name) {
  constexpr int kMaxTags = 8;
  for (int i = 0; i < kMaxTags; ++i) {
    auto object = store.read(name);
    if (!object) return base::Unexpected(std::move(object).error());
    if (object->type == "commit") return GitCommit{std::move(name), std::move(object->bytes)};
    auto target = object->type == "tag" ? git_header_line(object->bytes, "object") : std::nullopt;
    if (!target) return fail(Errc::malformed, name + " is no commit");
    name = std::move(*target);
  }
  return fail(Errc::too_large, "a tag of a tag of a tag");
}

bool is_abbreviation(std::string_view text) {
  constexpr std::size_t kLeast = 4;
  constexpr std::size_t kMost = 63;
  return text.size() >= kLeast && text.size() <= kMost &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Result<std::string> find_abbreviated(const GitStore& store, std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  auto names = store.find_by_beginning(text);
  if (!names) return base::Unexpected(std::move(names).error());
  // Files and directories of that beginning are not meant.
  std::erase_if(*names, [&](const std::string& name) {
    const auto object = store.read(name);
    return object && object->type != "commit" && object->type != "tag";
  });
  if (names->empty()) return fail(Errc::not_found, "no commit of that name: " + text);
  if (names->size() > 1)
    return fail(Errc::malformed, text + " is the beginning of " + std::to_string(names->size()) +
                                     " commits; give more of its hash");
  return std::move(names->front());
}

Result<std::string> find_base(const GitDirectories& git, const GitStore& store,
                              const std::string& text, Abbreviations abbreviations) {
  auto name = resolve_git_name(git, text == "@" ? "HEAD" : text);
  if (name || name.error().code != Errc::not_found || !is_abbreviation(text)) return name;
  if (abbreviations == Abbreviations::taken) return find_abbreviated(store, text);
  return fail(Errc::not_found,
              "no commit of that name: " + text +
                  "; the beginning of a hash is not enough here, as others may be made for it: "
                  "give the full hash");
}

// Takes a number off the front; `otherwise` when there is none.
Result<std::size_t> take_number(std::string_view& text, std::size_t otherwise) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return otherwise;
  std::size_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + digits, out);
  if (parsed.ec != std::errc() || out > kMaxSteps)
    return fail(Errc::too_large, "more than 10000 commits back");
  text.remove_prefix(digits);
  return out;
}

Result<GitCommit> parent_of(const GitStore& store, const GitCommit& commit, std::size_t which) {
  const auto parent = git_header_line(commit.bytes, "parent", which);
  if (!parent)
    return fail(Errc::not_found,
                "commit " + commit.name + " has no parent " + std::to_string(which));
  return peel(store, *parent);
}

}  // namespace

std::optional<std::string> git_header_line(std::string_view bytes, std::string_view key,
                                           std::size_t which) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.empty()) return std::nullopt;  // the message begins
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ' &&
        --which == 0)
      return std::string(line.substr(key.size() + 1));
  }
  return std::nullopt;
}

Result<GitCommit> find_git_commit(const GitDirectories& git, const GitStore& store,
                                  const std::string& revision, Abbreviations abbreviations) {
  const std::size_t base_size = std::min(revision.find_first_of("~^"), revision.size());
  auto name = find_base(git, store, revision.substr(0, base_size), abbreviations);
  if (!name) return base::Unexpected(std::move(name).error());
  auto commit = peel(store, std::move(*name));
  std::size_t steps = 0;
  for (std::string_view rest = std::string_view(revision).substr(base_size);
       commit && !rest.empty();) {
    const char kind = rest.front();
    rest.remove_prefix(1);
    if (kind == '^' && rest.starts_with('{')) {
      // The kinds that a commit can be taken for and still be one.
      const bool is_plain = rest.starts_with("{}");
      if (!is_plain && !rest.starts_with("{commit}"))
        return fail(Errc::unsupported,
                    "no name of a commit that this reader knows: " + revision.substr(0, 80));
      rest.remove_prefix(rest.find('}') + 1);
      continue;
    }
    if (kind != '^' && kind != '~')
      return fail(Errc::malformed, "no name of a commit: " + revision.substr(0, 80));
    const auto number = take_number(rest, 1);
    if (!number) return base::Unexpected(base::Error(number.error()));
    // ~N is N times the first parent, ^N the Nth parent, once.
    const std::size_t rounds = kind == '~' ? *number : std::min<std::size_t>(*number, 1);
    for (std::size_t i = 0; i < rounds && commit; ++i) {
      if (++steps > kMaxSteps) return fail(Errc::too_large, "more than 10000 commits back");
      commit = parent_of(store, *commit, kind == '~' ? 1 : *number);
    }
  }
  return commit;
}

}  // namespace ethos::sandbox
