// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "verify/digest.h"
#include "verify/json.h"
#include "verify/problem.h"
#include "verify/sarif_file.h"
#include "verify/source.h"
#include "verify/vkey.h"

namespace ethos::verify {

// One record of a run, read for the comparison.
struct SarifRecord {
  std::int64_t seq = 0;
  std::string type;
  Value body;
};

// Holds SARIF files against the ledger: the sandbox block and the denial results are recomputed from
// the run's records, every other result is looked up in what sarif.written lists. Files are given
// before the audit, answers come after it.
class SarifChecker {
 public:
  void add(std::string name, SarifFile file) { files_.push_back({std::move(name), std::move(file)}); }
  [[nodiscard]] bool empty() const { return files_.empty(); }

  using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;  // as RunEvidence::pieces

  // Remembers where the runs that the files name lie in the ledger.
  // `last_leaf`: the hash of its last record. `is_known`: every record of the run is of a type and version that is
  // known here.
  void on_run_end(const std::string& run, const Pieces& pieces, const Digest& last_leaf, bool is_known);
  // `late`: why it may be none that the run wrote at its end; empty: it is.
  void on_sarif_written(const std::string& run, const Value& body, const std::string& late = {});

  // After the last record; one object a file (verdict.md V-7).
  Value check(EvidenceSource& source, const std::vector<Vkey>& keys, Findings& findings);

 private:
  struct Named {
    std::string name;
    SarifFile file;
  };
  struct Span {
    Pieces pieces;
    Digest last_leaf;
    bool is_known = true;
  };
  struct Answer {
    std::uint64_t kept = 0;
    std::uint64_t missing = 0;
    std::uint64_t foreign = 0;
    std::uint64_t suppressed = 0;  // denials
    std::uint64_t passed_over = 0;  // results of the tool's that a viewer passes over
    std::uint64_t marked_down = 0;  // those with a text in Markdown beside the other
    std::uint64_t rules_off = 0;    // entries that switch a rule of the tool's off
    bool failed = false;
    bool unknown = false;
    bool same_file = true;  // its bytes are those that sarif.written names, for every run in it
    std::string text;
  };
  // What a file of one run of the ledger must hold, less what was found in it so far.
  struct Expected {
    bool known = false;  // the run is in the ledger
    bool has_list = false;
    bool same_file = false;
    std::string late;           // why what names the file may not be the run's own
    bool is_ambiguous = false;  // the ledger names several files of it
    std::string origin;
    std::vector<SarifRecord> records;
    std::string tool;
    std::set<std::int64_t> denials;  // numbers of denial and limit records
    std::map<Digest, std::int64_t> listed;
  };

  [[nodiscard]] bool wanted(const std::string& run) const;
  Value check_file(const Named& named, EvidenceSource& source, Findings& findings);
  bool check_block(const SarifRun& run, EvidenceSource& source, Expected& expected, Answer& answer);
  void open_list(const std::string& id, const Digest& file, EvidenceSource& source, Expected& expected) const;
  static void check_results(const SarifRun& run, Expected& expected, Answer& answer);
  static void check_left(const std::string& id, const Expected& expected, Answer& answer);
  static Value tell(const Named& named, const std::string& run, Answer& answer, Findings& findings);

  [[nodiscard]] bool checkpoint_holds(const std::string& note_bytes, const std::string& origin, std::int64_t last_seq,
                                      EvidenceSource& source) const;

  std::vector<Vkey> keys_;
  std::vector<Named> files_;
  std::map<std::string, Span> spans_;
  std::map<std::string, std::vector<Value>> written_;
  std::map<std::string, std::string> late_;  // why the first of them may be another's
};

// The block that a run's records give (sarif-property.md SP-1 to SP-9), without `ledger.checkpoint`.
// `records`: (seq, type, body) in order, up to run.close.
Value sandbox_block(const std::string& origin, const std::string& run, const std::vector<SarifRecord>& records);

// SD-5: the fingerprint of a denial or limit record of a run of `tool`.
std::string denial_fingerprint(const std::string& tool, const SarifRecord& record);

}  // namespace ethos::verify
