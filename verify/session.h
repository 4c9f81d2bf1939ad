// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ethos::verify {

// What the command line asked for.
struct SessionOptions {
  std::string input;
  std::string pin;
  std::string at;                       // number of records or file of a checkpoint: judge that state
  std::string run;                      // show this run only
  std::string period;
  std::string zone = "UTC";
  std::vector<std::string> sarif;
  std::vector<std::string> assertions;
  bool json = false;
  bool quiet = false;
  bool all_runs = false;                // every run in words
  bool progress = false;                // tell on `err` how far it is
};

// One verification from open to report; returns the exit status.
int run_session(const SessionOptions& options, std::ostream& out, std::ostream& err);

// One line on `err`; returns `status`.
int complain(std::ostream& err, int status, const std::string& text);

}  // namespace ethos::verify
