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
     "the records are those that the checkpoint signs: none was changed, added, removed or moved "
     "after it was signed. When that was is not recorded; before it, whoever holds the signing key "
     "could have written other records (Not proved)",
     "whether a record was changed, added, removed or moved",
     "the whole ledger, or a bundle of it"},
    {"signatures", "Signatures",
     "each checkpoint that is there is signed by the key in force; a signature names no time",
     "whether the checkpoints are signed by the keys in force", "a signed checkpoint"},
    {"trust", "Trust",
     "against the pin that the maker of this report used: the ledger is the one that it names; "
     "only your own pin makes this say something",
     "whether this is the ledger that you mean", "a pin that you got on another way (--pin)"},
    {"completeness", "Completeness",
     "of the ledger, not of the period: every run that has a first record has an end, and no "
     "record is missing below the checkpoint; what no record tells is under Covered and Not "
     "proved",
     "whether every run that began has an end, and nothing is missing", "the whole ledger"},
    {"freshness", "Freshness",
     "the checkpoint is at least as new as the state that the maker of this report held against it",
     "whether this is the newest state of the ledger, or an older one",
     "a pin with a minimum that you kept (ethos-ledger pin --min), or a checkpoint that you "
     "received earlier"},
    {"time", "Time",
     "outside parties confirm by when the state that they signed existed, not when anything "
     "happened",
     "when it existed, by anybody but this host",
     "a time stamp of an authority (ethos-ledger anchor) or cosignatures of witnesses "
     "(ethos-ledger cosign)"},
    {"disclosure", "Disclosure",
     "each value that the evidence still keeps beside the records is the committed one; how many "
     "these are is left out here (at least those that this page shows), and where it keeps none, "
     "nothing was checked; of values that are "
     "withheld it says nothing",
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

namespace {

// Of the answers of one kind: " (Freshness, Time)".
class Answers {
 public:
  void add(std::string_view name) {
    ++count_;
    names_ += (names_.empty() ? "" : ", ") + std::string(verdict_label(name));
  }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] std::string text(std::string_view word) const {
    return std::to_string(count_) + std::string(word) + " (" + names_ + ")";
  }

 private:
  std::size_t count_ = 0;
  std::string names_;
};

}  // namespace

std::string verified_heading(const Model& model) {
  std::string out = "Verified to record " + std::to_string(model.source.size - 1);
  // Each of the eight is in one of these; an answer within narrower bounds is not counted beside
  // one that needs none.
  Answers holds;
  Answers bounded;
  Answers part;
  Answers open;
  Answers bad;
  for (const Verdict::Check& check : model.verdict.checks) {
    Answers& kind = is_qualified(model, check)                            ? bounded
                    : check.result == "pass"                              ? holds
                    : check.result == "incomplete"                        ? part
                    : check.result == "none" || check.result == "unknown" ? open
                                                                          : bad;
    kind.add(check.name);
  }
  std::string list;
  const auto put = [&list](const Answers& kind, std::string_view word) {
    if (!kind.is_empty()) list += (list.empty() ? ": " : "; ") + kind.text(word);
  };
  put(bad, " not true");
  put(holds, " hold for the ledger");
  put(bounded, " hold only within the bounds named");
  put(part, " incomplete");
  put(open, " not checked");
  return out + list;
}

std::string verdict_word(const Model& model, const Verdict::Check& check) {
  std::string out(verdict_word(check.result));
  if (check.result != "pass") return out;
  if (check.name == "integrity") return out + " for the records as they were signed";
  if (check.name == "signatures") return out + " for the checkpoints that are there";
  if (check.name == "trust") return out + " against the maker's pin, not yet against yours";
  if (check.name == "completeness")
    return out + (model.covered.state == Coverage::State::whole
                      ? " for the ledger"
                      : " for the ledger, the period is covered in part only");
  if (check.name == "freshness") return out + " against what the maker saw earlier";
  if (check.name == "time") return out + " for the states that were signed";
  if (check.name == "disclosure") return out + " for the values that are kept, if any";
  return out + " for the records of all runs of the ledger";
}

std::string checked_text(const Verdict::Check& check) {
  const std::string count = std::to_string(check.checked);
  // Of these two the model has a figure that is the same for every form of the evidence.
  if (check.result == "pass" && check.name == "disclosure") return "those kept, of " + count;
  if (check.result == "pass" && check.name == "signatures")
    return "those there, by " + count + (check.checked == 1 ? " key" : " keys");
  return count;
}

bool is_qualified(const Model& model, const Verdict::Check& check) {
  if (check.result != "pass") return false;
  if (check.name == "trust" || check.name == "freshness" || check.name == "disclosure") return true;
  return check.name == "completeness" && model.covered.state != Coverage::State::whole;
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
