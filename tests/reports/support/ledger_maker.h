// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Makes ledger files in the layout of docs/formats/store.md, for tests of the reports alone: the
// records are well-formed and chained, the checkpoint has the right root, but nothing is signed and
// the commitments open nothing. Everything is the same in each run.
namespace ethos::support {

struct MadeLedger {
  std::int64_t size = 0;
  std::int64_t runs = 0;
  std::string origin, root_base64, note;
};

class LedgerMaker {
 public:
  explicit LedgerMaker(std::string path);
  ~LedgerMaker();
  LedgerMaker(const LedgerMaker&) = delete;
  LedgerMaker& operator=(const LedgerMaker&) = delete;

  // A run id made from a number.
  static std::string run_id(std::uint64_t number);
  // Appends one record; `body` is JSON. An empty `run` makes a record of the ledger itself.
  void add(const std::string& type, const std::string& run, std::int64_t wall_ms,
           const std::string& body);
  void genesis(std::int64_t wall_ms);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  MadeLedger finish();

 private:
  struct Chain {
    std::uint64_t next = 0;
    std::string previous;
  };
  struct Database;
  std::string path_, origin_, previous_;
  std::uint64_t size_ = 0;
  std::int64_t run_count_ = 0;
  std::map<std::string, Chain> runs_;
  Database* database_;
};

// How one run of a scenario goes.
struct RunPlan {
  enum class End { close, refuse, abort, none };
  std::string tool = "shellcheck";
  std::int64_t start_ms = 0;
  std::int64_t duration_ms = 1500;
  End end = End::close;
  int exit_code = 0;
  int signal = 0;
  std::string ended_by = "tool";
  std::string network = "none", git = "none", observe = "writes", origin = "workspace";
  std::vector<std::string> writes = {".ethos/out"};
  std::vector<std::string> exported = {};  // below the first write grant
  std::string revision = {};               // of the repository; empty: none recorded
  bool weaker = false, hides = true;
  int uid = 1000;
  std::string pids_by = {};  // by what the number of processes is held; empty: no such limit
  struct Denial {
    std::string rule, operation, object_kind, object, outcome = "denied", mark = "A";
    int count = 1;
    int error = 13;
  };
  std::vector<Denial> denials = {};
  std::vector<std::string> limits = {};  // names
  std::vector<std::string> near = {};    // of limits that a look saw the run at or near
  std::string exe = {};                  // path below usr/bin; empty: the tool's name
  std::string interpreter = {};          // the same, of a script
  std::int64_t lost = 0;
  std::string setup_rule = "limit", cause = "no cgroup controller on this host",
              fix = "delegate one";
  int extra_denials = 0;  // more of the same, to make a ledger big
};
void add_run(LedgerMaker& maker, std::uint64_t number, const RunPlan& plan);

// Around the fourth quarter of 2026: refused, aborted, open and straddling runs, limits, gaps,
// hostile names, two key epochs, a clock step, an erasure. The path must not exist.
MadeLedger make_small_ledger(const std::string& path);
// `runs` runs spread over the quarter, with about `records_per_run` records each.
MadeLedger make_big_ledger(const std::string& path, int runs, int records_per_run);

// What a verifier that found nothing wrong would say.
std::string passing_verdict(const MadeLedger& ledger);

}  // namespace ethos::support
