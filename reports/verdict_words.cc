// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reports/words.h"

namespace ethos::reports {
namespace {

// `holds` is only said of a verdict that passed; of one that nobody asked for, the question it
// leaves open and what would answer it.
struct VerdictWords {
  std::string_view name, label, holds, question, need;
};
constexpr std::array<VerdictWords, 8> kVerdicts = {{
    {"integrity", "Integrity",
     "nothing was changed, added, removed or moved since it was signed; whoever holds the key that "
     "signed it could have written other records before (Not proved)",
     "whether a record was changed, added, removed or moved",
     "the whole ledger, or a bundle of it"},
    {"signatures", "Signatures", "the checkpoints are signed by the keys in force",
     "whether the checkpoints are signed by the keys in force", "a signed checkpoint"},
    {"trust", "Trust",
     "against the pin that the maker of this report used: the ledger is the one that it names; "
     "only your own pin makes this say something",
     "whether this is the ledger that you mean", "a pin that you got on another way (--pin)"},
    {"completeness", "Completeness",
     "of the ledger, not of the period: every run that began has an end, and nothing is missing "
     "below the checkpoint; what it says nothing of is told under Covered",
     "whether every run that began has an end, and nothing is missing", "the whole ledger"},
    {"freshness", "Freshness", "the checkpoint is at least as new as what you saw earlier",
     "whether this is the newest state of the ledger, or an older one",
     "a pin with a minimum that you kept (ethos-ledger pin --min), or a checkpoint that you "
     "received earlier"},
    {"time", "Time", "outside parties confirm when it existed",
     "when it existed, by anybody but this host",
     "a time stamp of an authority (ethos-ledger anchor) or cosignatures of witnesses "
     "(ethos-ledger cosign)"},
    {"disclosure", "Disclosure", "values shown beside the records are the committed ones",
     "whether values shown beside the records are the committed ones", "such values"},
    {"policy", "Policy",
     "each run got what its declaration and ceilings allow, by what ethos-run wrote down that the "
     "kernel showed; the verifier compared these records, it did not see the kernel",
     "whether each run got what its declaration and ceilings allow",
     "a run, and the documents that its records commit to"},
}};

const VerdictWords* words_of(std::string_view name) {
  for (const VerdictWords& words : kVerdicts) {
    if (words.name == name) return &words;
  }
  return nullptr;
}

}  // namespace

std::string_view verdict_label(std::string_view name) {
  const VerdictWords* words = words_of(name);
  return words == nullptr ? name : words->label;
}

std::string_view verdict_meaning(std::string_view name) {
  const VerdictWords* words = words_of(name);
  return words == nullptr ? std::string_view() : words->question;
}

std::string_view verdict_word(std::string_view result) {
  if (result == "pass") return "holds";
  if (result == "fail") return "fails";
  if (result == "incomplete") return "incomplete";
  return "not checked";
}

std::string verified_heading(const Model& model) {
  std::string out = "Verified to record " + std::to_string(model.source.size - 1);
  const std::size_t all = model.verdict.checks.size();
  std::size_t holds = 0;
  std::size_t part = 0;
  std::size_t open = 0;
  for (const Verdict::Check& check : model.verdict.checks) {
    holds += check.result == "pass" ? 1U : 0U;
    part += check.result == "incomplete" ? 1U : 0U;
    open += check.result == "none" || check.result == "unknown" ? 1U : 0U;
  }
  if (all == 0) return out;
  out += ": " + std::to_string(holds) + " of " + std::to_string(all) + " answers hold";
  if (part != 0) out += ", " + std::to_string(part) + " incomplete";
  if (open != 0) out += ", " + std::to_string(open) + " not checked";
  if (const std::size_t bad = all - holds - part - open; bad != 0)
    out += ", " + std::to_string(bad) + (bad == 1 ? " fails" : " fail");
  return out;
}

std::string verdict_word(const Model& model, const Verdict::Check& check) {
  std::string out(verdict_word(check.result));
  if (check.result != "pass") return out;
  if (check.name == "integrity") return out + " since it was signed";
  if (check.name == "trust") return out + " against the maker's pin";
  if (check.name == "completeness")
    return out + (model.covered.state == Coverage::State::whole
                      ? " for the ledger"
                      : " for the ledger, the period is covered in part only");
  return out;
}

bool is_qualified(const Model& model, const Verdict::Check& check) {
  return check.result == "pass" && check.name == "completeness" &&
         model.covered.state != Coverage::State::whole;
}

std::string verdict_says(const Verdict::Check& check) {
  const VerdictWords* words = words_of(check.name);
  if (words == nullptr) return check.text;
  std::string out;
  if (check.result == "pass") {
    out = std::string(words->holds) + "; " + check.text;
  } else if (check.result == "fail") {
    out = "asked: " + std::string(words->question) + ". Answer: " + check.text;
  } else if (check.result == "incomplete") {
    out = "something is missing: " + check.text;
  } else {
    out = "open: " + std::string(words->question) + ". Needed: " + std::string(words->need) +
          ". The verifier says: " + check.text;
  }
  return out;
}

}  // namespace ethos::reports
