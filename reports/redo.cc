// SPDX-License-Identifier: Apache-2.0
#include "reports/redo.h"

#include "reports/period.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

// The last line of ethos-verify by its exit status.
std::string last_line_of_verifier(int status) {
  if (status == 4) return "INCOMPLETE: what is there is intact, but something is missing.";
  return "VERIFIED: everything asked for was checked and holds.";
}

}  // namespace

std::vector<RedoStep> redo_steps(const Model& model) {
  const std::string at =
      model.verified ? " --at " + std::to_string(model.source.size) : std::string();
  const int status = model.verified ? model.verdict.exit : 0;
  std::vector<RedoStep> out;
  out.push_back({model.verified
                     ? "Verify the records this report covers; any other status or last line is no "
                       "good answer"
                     : "Verify; when this report was made, the answer was no good one (status " +
                           std::to_string(model.verdict.exit) + ")",
                 "ethos-verify --pin PIN" + at + " LEDGER", last_line_of_verifier(status), status});
  out.push_back({"Make this report again from the ledger",
                 "ethos-report --ledger LEDGER --pin PIN" + at + " --period " +
                     model.period.text() + " --zone " + model.zone.name() +
                     " --format html,csv,md,json" + model.shaping + " --out DIR",
                 "report of " + std::to_string(model.now.runs) + " runs, " +
                     std::to_string(model.exceptions.size()) + " exceptions, records 0 to " +
                     std::to_string(model.source.size - 1) + ": DIR",
                 0});
  out.push_back({"Compare a report that you were given (its directory), file by file",
                 "ethos-report verify --ledger LEDGER --pin PIN DIR",
                 "a line for each file, and each ends in \"same\"", 0});
  out.push_back({"Compare the files with the list beside them", "cd DIR && sha256sum -c SHA256SUMS",
                 "a line for each file, and each ends in \"OK\"", 0});
  return out;
}

std::vector<std::string> redo_commands(const Model& model) {
  std::vector<std::string> out;
  for (RedoStep& step : redo_steps(model)) out.push_back(std::move(step.command));
  return out;
}

std::vector<PinPart> pin_parts(const Model& model) {
  return {{"origin", model.source.origin},
          {"genesis", model.source.genesis},
          {"root_vkey", model.source.root_vkey},
          {"fingerprint", model.verdict.pin_fingerprint.empty()
                              ? std::string("no pin was given when this report was made")
                              : model.verdict.pin_fingerprint}};
}

std::string pin_text() {
  return "A pin is a line of text that names one ledger. Get it from whoever you trust, on another "
         "way than this report and the ledger; never from beside them. \"cat PIN\" prints it: each "
         "of "
         "these parts must be the same there. The fingerprint alone is enough to compare by voice. "
         "A report can print anything: only your own pin makes the comparison worth something.";
}

std::string verifier_source_text() {
  return "ethos-verify is one static program that shares no code with the programs that write "
         "ledgers; its source is the folder verify/ of the source tree. Whoever trusts no program "
         "that was handed over builds it. scripts/check-reproducible builds it twice in "
         "directories of different names and compares the bytes; with \"--against FILE\" it says "
         "whether a program that you were given is the one of the source that you have (debug "
         "information is left out of that comparison).";
}

std::vector<std::string> verifier_build_commands() {
  return {"cmake --preset release",
          "cmake --build --preset release --target ethos-verify",
          "build/release/bin/ethos-verify --version",
          "scripts/source-digest verify",
          "scripts/check-reproducible --against FILE",
          "sha256sum FILE"};
}

std::string verifier_digest_text(const Model& model) {
  if (model.verifier_digest.empty())
    return "not known: the file of the program that checked could not be read";
  return model.verifier_digest;
}

}  // namespace ethos::reports
