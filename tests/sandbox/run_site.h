// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/sandbox/program.h"

// What tests of whole runs ask of the host they are on.
namespace ethos::support {

// Every host that can build a cage at all; the test of the cage says why where it cannot.
bool can_build_cages();

constexpr uid_t kUser = 12345;

// Who to run as: the caller and, for root, an ordinary user too, where one can get to the programs.
std::vector<std::optional<uid_t>> callers();

// The types of the records, oldest first.
std::vector<std::string> types_of(const std::vector<sandbox::JsonNode>& records);

// Tools for ethos.json: one that runs, one that asks for too much, two with few words.
inline constexpr const char* kDeclaration = R"({"version":1,"tools":{
  "greet":{"command":["/bin/sh","-c","echo hello; echo there >&2; exit 5"]},
  "widens":{"command":["true"],
    "read":["/etc/shadow"]},
  "fixed":{"command":["echo"],"args":"fixed"},"paths":{"command":["echo"],"args":"paths"}}})";

// A first run makes the ledger; one that is refused leaves genesis, run.open, the denial and
// run.close.
inline constexpr std::size_t kRecordsOfRefused = 4;
void make_ledger(const Site& site);

}  // namespace ethos::support

#define NEEDS_CAGES                                                   \
  if (!ethos::support::can_build_cages()) {                           \
    WARN("skipped: no cage can be built here, see ethos-run doctor"); \
    return;                                                           \
  }
