// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/model.h"

// How somebody who trusts nobody here checks again: words that every format says.
namespace ethos::reports {

struct RedoStep {
  std::string what;           // what the command does
  std::string command;        // exact; PIN, LEDGER and DIR are whoever checks' own
  std::string answer;         // what a good answer looks like: its last line
  int status = 0;             // and its exit status
  bool is_each_line = false;  // `answer` is how each line ends
  std::string bad = {};       // what a bad one looks like: exit status and first words
};
std::vector<RedoStep> redo_steps(const Model& model);
// "last line: VERIFIED: ...", "each line ends in \"same\"".
std::string answer_text(const RedoStep& step);
// What "everything asked for" in a good answer means, and what it leaves out.
std::string asked_text(const Model& model);
// Of these, the commands alone.
std::vector<std::string> redo_commands(const Model& model);

// What the ledger says of itself, to be held against a pin that came on another way: name in the
// pin, value.
struct PinPart {
  std::string name, value;
};
std::vector<PinPart> pin_parts(const Model& model);
std::string pin_text();

// Which steps need the program that made the report, and how to get and build it.
std::string maker_program_text();
// Prints one record; of the first run of the period when there is one.
// What the words in capitals of the commands stand for.
std::string_view placeholders_text();
// Prints a record with every value that it commits to and the evidence still keeps.
std::string open_command(const Model& model);
std::string show_command(const Model& model);
// Where the verifying program comes from, and how to build one; sentences.
std::string verifier_source_text();
std::vector<std::string> verifier_build_commands();
// When two programs are the same one.
std::string same_program_text();
// Every program that had a part in this report.
struct ProgramRow {
  std::string name, did, version, digest;
  std::string check;  // what prints the digits of its version, in the source tree
};
std::vector<ProgramRow> program_rows(const Model& model);
// "sha256:... (ethos-verify 0.1.0, the file that was run)", or that it is not known.
// Draws a sample of the period's runs; SEED is the reader's. No more than there are.
std::string sample_command(const Model& model);

std::string verifier_digest_text(const Model& model);

}  // namespace ethos::reports
