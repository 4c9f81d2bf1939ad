// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ethos::verify {

// What the command line asked for.
struct SessionOptions {
  std::string input;
  bool is_input_from_environment = false;  // no file was named, and $ETHOS_LEDGER is
  std::string pin;
  std::string at;                       // number of records or file of a checkpoint: judge that state
  bool no_min = false;                  // what the pin remembers of size and root is left out
  std::string memory;                   // file of states seen before
  std::string policy;                   // C2SP tlog-policy
  std::string tsa_roots;                // PEM
  std::vector<std::string> records;     // files with exact record bytes, for a proof of one record
  std::string run;                      // show this run only; the first characters will do
  std::vector<std::int64_t> show;       // records
  std::string period;
  std::string zone = "UTC";
  std::vector<std::string> sarif;
  std::vector<std::string> reports;     // of ethos-report: its directory or report.json
  std::string signer;                   // vkey: who signed the directories of `reports`
  std::vector<std::string> assertions;
  std::string junit;
  std::string transcript;
  std::string attest;
  std::string attest_type = "svr";
  std::string attest_key;
  bool json = false;
  bool bad_runs = false;                // with json: only runs whose policy is not `pass`
  bool quiet = false;                   // no text
  bool all_runs = false;                // every run in words
  bool progress = false;                // tell on `err` how far it is
  std::int64_t now_ms = 0;              // the wall clock
  std::optional<unsigned> extra_threads;  // besides the calling one; nothing: what the processors suggest
  std::vector<std::string> arguments;   // as given, for the transcript
};

// One verification from open to report; returns the exit status.
int run_session(const SessionOptions& options, std::ostream& out, std::ostream& err);

// One line on `err`; returns `status`.
int complain(std::ostream& err, int status, const std::string& text);

}  // namespace ethos::verify
