// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "verify/assertion.h"
#include "verify/memory.h"
#include "verify/named_digest.h"
#include "verify/pin.h"
#include "verify/prefix.h"
#include "verify/report_check.h"
#include "verify/sarif_file.h"
#include "verify/session.h"
#include "verify/trust_policy.h"

namespace ethos::verify {

// Everything that is read before the evidence is opened.
struct SessionInputs {
  std::optional<Pin> pin;
  std::optional<Prefix> prefix;
  std::optional<TrustPolicy> policy;
  std::vector<Certificate> tsa_roots;
  std::vector<KnownState> known;  // by size
  std::vector<Assertion> assertions;
  std::vector<std::string> grant_files;  // that they name
  std::optional<Period> period;
  Zone zone;
  std::vector<std::pair<std::string, SarifFile>> sarif;
  std::vector<std::pair<std::string, ReportClaims>> reports;
  std::vector<std::string> records;
  std::vector<NamedDigest> digests;
};

// 0, or the exit status after one line on `err`: all that can be wrong with the command line is found here.
int read_inputs(const SessionOptions& options, SessionInputs& inputs, std::ostream& err);

}  // namespace ethos::verify
