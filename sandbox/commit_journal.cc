// SPDX-License-Identifier: Apache-2.0
#include "sandbox/commit_journal.h"

#include <charconv>

namespace ethos::sandbox {
namespace {

using base::Errc;

constexpr std::string_view kHeader = "ethos-commit 1\n";

std::string hex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(c) / 16];
    out += kDigits[static_cast<unsigned char>(c) % 16];
  }
  return out.empty() ? "-" : out;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool unhex(std::string_view text, std::string& out) {
  out.clear();
  if (text == "-") return true;
  if (text.empty() || text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    if (digit(text[i]) < 0 || digit(text[i + 1]) < 0) return false;
    out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return true;
}

std::string_view next(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view field = text.substr(0, at);
  text.remove_prefix(at + 1);
  return field;
}

bool number(std::string_view text, std::uint64_t& out) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

const char* kind_text(CommitStep::Kind kind) {
  switch (kind) {
    case CommitStep::Kind::exchange:
      return "exchange";
    case CommitStep::Kind::create:
      return "create";
    case CommitStep::Kind::remove:
      return "remove";
    case CommitStep::Kind::discard:
      break;
  }
  return "discard";
}

bool parse_kind(std::string_view text, CommitStep::Kind& out) {
  for (const auto kind : {CommitStep::Kind::exchange, CommitStep::Kind::create,
                          CommitStep::Kind::remove, CommitStep::Kind::discard})
    if (text == kind_text(kind)) {
      out = kind;
      return true;
    }
  return false;
}

}  // namespace

std::size_t max_journal_size(const CommitJournal& journal) {
  constexpr std::size_t kNumber = 20;  // kDigits of a 64-bit number
  constexpr std::size_t kKind = 8;     // "exchange"
  std::size_t size = kHeader.size() + 9 + 2 * kNumber + 2 * journal.grant_path.size();
  for (const auto& step : journal.steps)
    size += kKind + 2 * kNumber + 5 + 2 * (step.temp.size() + step.final.size());
  return size;
}

std::string encode_journal(const CommitJournal& journal) {
  std::string out(kHeader);
  out += "grant " + std::to_string(journal.device) + " " + std::to_string(journal.inode) + " " +
         hex(journal.grant_path) + "\n";
  for (const auto& step : journal.steps)
    out += std::string(kind_text(step.kind)) + " " + std::to_string(step.new_inode) + " " +
           std::to_string(step.old_inode) + " " + hex(step.temp) + " " + hex(step.final) + "\n";
  return out;
}

base::Result<CommitJournal> parse_journal(std::string_view text) {
  CommitJournal out;
  const auto malformed = [] { return base::fail(Errc::malformed, "commit journal"); };
  if (!text.starts_with(kHeader)) return malformed();
  text.remove_prefix(kHeader.size());
  if (next(text, ' ') != "grant") return malformed();
  if (!number(next(text, ' '), out.device) || !number(next(text, ' '), out.inode) ||
      !unhex(next(text, '\n'), out.grant_path))
    return malformed();
  while (!text.empty()) {
    CommitStep step;
    if (!parse_kind(next(text, ' '), step.kind) || !number(next(text, ' '), step.new_inode) ||
        !number(next(text, ' '), step.old_inode) || !unhex(next(text, ' '), step.temp) ||
        !unhex(next(text, '\n'), step.final))
      return malformed();
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace ethos::sandbox
