// SPDX-License-Identifier: Apache-2.0
#include "reports/explain.h"

#include <algorithm>
#include <span>

#include "ledger/base/base64.h"
#include "reports/arguments.h"
#include "reports/json_tape.h"
#include "reports/story.h"
#include "reports/text.h"
#include "reports/tree_root.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kLeastLetters = 4;
constexpr std::size_t kMostLetters = 26;

bool is_run_prefix(const std::string& text) {
  return text.size() >= kLeastLetters && text.size() <= kMostLetters &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
}

// The run whose id begins with the letters; a second one is noticed, not told.
struct Finder {
  Finder(const std::string& letters, const Zone& zone, Story::CommandLookup command)
      : prefix(letters), story(zone, std::move(command)) {}

  void add(std::uint64_t seq, std::string_view bytes, const Hash& leaf) {
    // Most records are of other runs: look for the letters before parsing.
    if (bytes.find(prefix) == std::string_view::npos || !tape.parse(bytes)) return;
    const JsonValue record = tape.root();
    const std::string_view id = record["run"].text_or("");
    if (!id.starts_with(prefix)) return;
    if (found.empty()) found = std::string(id);
    if (id != found) {
      is_ambiguous = true;
      return;
    }
    story.add(seq, record, leaf);
  }

  const std::string& prefix;
  Story story;
  JsonTape tape;
  std::string found;
  bool is_ambiguous = false;
};

}  // namespace

std::optional<Refusal> explain_run(const Request& request, const std::string& run, Sink& sink) {
  if (!is_run_prefix(run)) return Refusal{2, "RUN: at least four letters of a run id (a-z, 2-7)"};
  Model model;
  Refusal refusal;
  if (!accept_ledger(request, model, refusal)) return refusal;
  TreeRoot tree;
  Story::CommandLookup command;
  std::optional<base::Error> wrong;
  if (request.arguments) {
    command = [&](const std::string& commitment) {
      auto text = ArgumentReader(request).open(commitment);
      if (!text) wrong = text.error();
      return text && !text->empty() ? *text : std::string("no longer kept");
    };
  }
  Finder finder(run, request.zone, std::move(command));
  auto count = read_records(
      request, model.verified ? model.verdict.size : 0,
      [&](std::uint64_t seq, std::string_view bytes) { finder.add(seq, bytes, tree.add(bytes)); },
      [&](std::uint64_t, std::string_view hash) { tree.add_leaf(hash_of(hash)); });
  if (!count) {
    return Refusal{count.error().code == base::Errc::mismatch ? 1 : 3,
                   "cannot read: " + count.error().message()};
  }
  const Hash root = tree.root();
  if (model.verified &&
      base::encode_base64(std::as_bytes(std::span(root))) != model.verdict.root_base64) {
    return Refusal{1, "the records changed after they were verified"};
  }
  if (wrong) return Refusal{wrong->code == base::Errc::mismatch ? 1 : 3, wrong->message()};
  if (finder.found.empty()) return Refusal{2, "no run begins with " + run};
  if (finder.is_ambiguous) return Refusal{2, "more than one run begins with " + run};
  if (model.verified) {
    sink.write("Verified to record " + std::to_string(*count - 1) + " by ethos-verify " +
               model.verdict.verifier + ", pin " + visible(model.verdict.pin_fingerprint) + ".\n");
  } else {
    sink.write("NOT VERIFIED: " + visible(model.unverified_reason) +
               ". Nothing below is evidence.\n");
  }
  sink.write(finder.story.text());
  return std::nullopt;
}

}  // namespace ethos::reports
