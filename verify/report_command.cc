// SPDX-License-Identifier: Apache-2.0
#include "verify/report_command.h"

#include <algorithm>
#include <optional>

#include "verify/documents.h"

namespace ethos::verify {
namespace {

// The words of a command line as a report writes them; nothing where it may write them in another
// way: they are cut at 2,000 characters, and what is no plain text is shown in a form of the
// report's own.
std::optional<std::string> command_words(std::string_view argv) {
  constexpr std::size_t kMost = 1990;
  constexpr std::string_view kPlain =
      "%+,-./:=@_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string out;
  while (!argv.empty()) {
    const std::string_view word = argv.substr(0, argv.find('\0'));
    argv.remove_prefix(std::min(argv.size(), word.size() + 1));
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
      out += word;
    } else {
      out += '\'';
      for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
      out += '\'';
    }
    if (out.size() > kMost) return std::nullopt;
  }
  const bool is_text =
      std::all_of(out.begin(), out.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_text ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

void ReportCommands::on_open(const Envelope& e, const View& body) {
  const auto row = claims_.runs.find(e.seq);
  const std::string* const claimed =
      row == claims_.runs.end() ? nullptr : report_field(row->second.fields, "command");
  if (claimed == nullptr || source_ == nullptr) return;
  const auto c = Digest::from_base64(body.at("argv").at("c").raw());
  const auto stored = c ? source_->disclosure(*c) : std::nullopt;
  const bool is_right =
      stored && stored->kind == "argv" && commit(stored->salt, stored->bytes, hash_) == *c;
  if (!is_right) {
    ++closed_;
    return;
  }
  if (const auto words = command_words(stored->bytes))
    same_(e.seq, std::string(e.run), "runs, command", *words, claimed, true);
}

}  // namespace ethos::verify
