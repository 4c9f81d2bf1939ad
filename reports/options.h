// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/build.h"

namespace ethos::reports {

// What the command line says, before anything is believed.
struct Options {
  std::string ledger, bundle, pin, period, zone = "UTC", out, title = "Evidence report",
                                           organisation;
  std::string tzdir = "/usr/share/zoneinfo";
  std::string seed;
  // Whose grants are compared: points (grant_compare.h); a bundle of another ledger with its pin.
  std::string baseline, against, baseline_bundle, baseline_pin;
  std::string signer;      // file of the secret key that signs the statement; empty for none
  std::string controls;    // file; empty for the map the program carries
  std::string redact;      // file of a policy; empty for none
  std::string full_out;    // with `redact`: directory of the full report, empty for none
  std::string pdf_engine;  // path; empty for what the host has
  std::int64_t sample = 0;
  std::int64_t at = 0;  // so many records, 0 for all
  std::vector<std::string> formats = {"html", "csv", "md", "json"};
  bool unverified = false, json = false, quiet = false, csv_raw = false, arguments = false;
};

// $ETHOS_LEDGER, then $XDG_STATE_HOME/ethos/ledger.db, then ~/.local/state/ethos/ledger.db.
std::string default_ledger();

// The request, or why it is none (status usage or unverifiable).
std::optional<Refusal> read_request(const Options& options, Request& request);

// The two points of a comparison of grants. Without a point of its own, another ledger is taken up
// to its last record.
std::optional<Refusal> read_points(const Options& options, Request& request);

// The options that shape the bytes of a report, quoted for a shell: what has to be given again to
// make it again.
std::string shaping_options(const Options& options);

}  // namespace ethos::reports
