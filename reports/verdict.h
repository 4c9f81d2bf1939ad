// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ledger/base/result.h"

namespace ethos::reports {

// What `ethos-verify --json` said (docs/formats/verdict.md, ethos-verdict/1), as far as a report
// needs it.
struct Verdict {
  struct Check {
    std::string name;    // one of the eight
    std::string result;  // pass, fail, incomplete, unknown, none
    std::int64_t checked = 0;
    std::string text;
  };
  struct Problem {
    std::string code;
    std::int64_t seq = -1;
    std::string run;
    std::string text;
  };

  // Old runs of which only hashes are left (verdict.md V-9); all 0 when there are none.
  struct Pruned {
    std::int64_t records = 0, runs = 0, from_ms = 0, until_ms = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> between;  // by the kept records around
  };

  Pruned pruned;
  std::string verifier;  // its version
  int exit = 3;
  std::string pin_fingerprint;  // empty: no pin
  std::string origin;
  std::string note;         // the accepted checkpoint, exact; empty when there is none
  std::int64_t size = 0;    // records the checkpoint covers
  std::string root_base64;  // as in the note
  std::vector<Check> checks;
  std::int64_t records = 0;
  std::int64_t runs = 0;
  std::int64_t commitments = 0;  // values that the records only commit to
  std::optional<Problem> first_bad;
  std::vector<Problem> problems;
  // Only runs whose policy verdict is not `pass`: id -> what is wrong.
  std::map<std::string, std::string, std::less<>> run_problems;

  // Words and figures of passed verdicts that depend on the form of the evidence, put so that they
  // hold for every form: a bundle carries fewer checkpoints and values than the ledger, values are
  // erased later. Without that, a report could only be made again from the very same file.
  void forget_form(std::size_t key_epochs);

  [[nodiscard]] bool has_problem(std::string_view code) const;
  // The result of one of the eight, "unknown" when it is not there.
  [[nodiscard]] std::string_view result_of(std::string_view name) const;

  // Errc::malformed for what is not such a document, unsupported for another format version,
  // mismatch when `status`, the verifier's exit status, is not the one the document states.
  static base::Result<Verdict> parse(std::string_view json, int status);
};

// The eight, in the order of the format.
inline constexpr std::string_view kVerdictNames[] = {"integrity",    "signatures", "trust",
                                                     "completeness", "freshness",  "time",
                                                     "disclosure",   "policy"};

}  // namespace ethos::reports
