// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "reports/build.h"

namespace ethos::reports {

// Opens commitments of the kinds `argv` and `source` (docs/formats/commitment.md), from the ledger
// or bundle of the request. What is shown is what the record commits to, or nothing is shown.
//
// Errc::mismatch: a value that is not the committed one.
class ArgumentReader {
 public:
  explicit ArgumentReader(const Request& request) : request_(request) {}
  // `commitment`: base64 of `c`. The command line as a shell would take it again, on one line;
  // empty when its bytes are not there (withheld or erased).
  base::Result<std::string> open(const std::string& commitment);
  // Those of all runs of the model, into Run::command, and the digest of each declaration's file,
  // into Run::declaration_sha256.
  base::Result<void> open_all(Model& model);

 private:
  const Request& request_;
};

// `sh`, `-c`, `echo $HOME` (each followed by a zero byte) -> sh -c 'echo $HOME'. Cut at 2,000
// bytes.
std::string command_text(std::string_view argv);

}  // namespace ethos::reports
