// SPDX-License-Identifier: Apache-2.0
#include "reports/redo.h"

#include <algorithm>
#include <set>

#include "reports/period.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

// All programs but the verifier are of one tree of sources.
constexpr std::string_view kWholeTree = "scripts/source-digest all";

// The last line of ethos-verify by its exit status.
std::string last_line_of_verifier(int status) {
  if (status == 4) return "INCOMPLETE: what is there is intact, but something is missing.";
  return "VERIFIED: everything asked for was checked and holds.";
}

// Exit status and first words, by the program that answers.
std::string bad_answer(std::string_view command) {
  if (command.starts_with("ethos-verify ") && command.find("--report") != std::string_view::npos)
    return "status 1 and \"NOT AS STATED:\" (a figure does not follow from the records; which, the "
           "lines above say); otherwise as for the command above";
  if (command.starts_with("ethos-verify "))
    return "status 1 and \"NOT VERIFIED:\" (a wrong pin, changed records), 4 and \"INCOMPLETE:\" "
           "(something is missing), 3 and \"UNVERIFIABLE:\", or 2 or 3 and one line on standard "
           "error "
           "that begins with \"ethos-verify:\" (a wrong option; a copy that is older than this "
           "state)";
  if (command.starts_with("ethos-report verify"))
    return "status 1 and a line that ends in \"changed after it was written\", \"different from "
           "what "
           "this ledger gives\" or \"unreadable\"";
  if (command.starts_with("ethos-report "))
    return "another status and one line on standard error that begins with \"ethos-report:\"";
  return "status 1 and a line that ends in \"FAILED\"";
}

std::string report_command(const Model& model) {
  return "ethos-report --ledger LEDGER --pin PIN" +
         (model.verified ? " --at " + std::to_string(model.source.size) : std::string()) +
         " --period " + model.period.text() + " --zone " + model.zone.name() +
         " --format html,csv,md,json";
}

}  // namespace

std::string sample_command(const Model& model) {
  // Of few runs half: to draw all of them is no sample.
  constexpr std::size_t kUsual = 25;
  const std::size_t count = std::clamp<std::size_t>(model.runs.size() / 2, 1, kUsual);
  return report_command(model) + " --sample " + std::to_string(count) + " --seed TEXT" +
         model.shaping + " --out NEWDIR";
}

std::string maker_program_text() {
  return "Which program is needed: what begins with ethos-verify needs your verifier alone, and "
         "counts every figure again without ethos-report. What begins with ethos-report, making "
         "the report again, comparing it and drawing a sample, needs that program too: it is in "
         "the same source tree, and \"cmake --build --preset release --target ethos-report\" "
         "builds it beside ethos-verify, which it starts. A sample can be drawn without it, by "
         "hand (Population and sample). What begins with ethos-ledger only prints records and is "
         "built "
         "in the same way (--target ethos-ledger). sha256sum is of every system.";
}

std::string_view placeholders_text() {
  return "PIN: your pin's file. LEDGER: the file ledger.db that you were given, with ledger.db-wal "
         "beside it where there is one (not their directory). DIR: the directory of the report "
         "that you were given. NEWDIR: a directory that does not exist yet, never DIR: an earlier "
         "report in it would be replaced. RECORD: the number behind a # on this page";
}

std::string open_command(const Model& model) {
  return "ethos-verify --pin PIN --show " +
         (model.runs.empty() ? std::string("RECORD") : std::to_string(model.runs[0].opened.seq)) +
         " LEDGER";
}

std::string show_command(const Model& model) {
  const std::uint64_t seq = model.exceptions.empty() ? 0 : model.exceptions.front().ref.seq;
  return "ethos-ledger show --ledger LEDGER --json --from " + std::to_string(seq) + " --to " +
         std::to_string(seq + 1);
}

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
  if (model.verified) {
    out.push_back({"Count the figures of a report again, without ethos-report",
                   "ethos-verify --pin PIN --report DIR LEDGER", last_line_of_verifier(status),
                   status});
  }
  out.push_back({"Make this report again from the ledger",
                 report_command(model) + model.shaping + " --out NEWDIR",
                 "report of " + std::to_string(model.now.runs) + " runs, " +
                     std::to_string(model.exceptions.size()) + " exceptions, records 0 to " +
                     std::to_string(model.source.size - 1) + ": NEWDIR",
                 0});
  out.push_back({"Compare a report that you were given (its directory), file by file",
                 "ethos-report verify --ledger LEDGER --pin PIN DIR", "same", 0, true});
  out.push_back({"Compare the files with the list beside them", "cd DIR && sha256sum -c SHA256SUMS",
                 "OK", 0, true});
  for (RedoStep& step : out) step.bad = bad_answer(step.command);
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

std::string answer_text(const RedoStep& step) {
  return step.is_each_line ? "each line ends in \"" + step.answer + "\""
                           : "last line: " + step.answer;
}

std::string asked_text(const Model& model) {
  std::string asked;
  std::string open;
  for (const Verdict::Check& check : model.verdict.checks) {
    const bool is_answered = check.result != "none" && check.result != "unknown";
    std::string& list = is_answered ? asked : open;
    list += (list.empty() ? "" : ", ") + std::string(verdict_label(check.name));
  }
  return "\"Everything asked for\" was " + asked + "." +
         (open.empty() ? std::string()
                       : " Not asked: " + open +
                             "; of these that line says nothing, and the verifier's own lines say "
                             "what would be needed.");
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
         "that was handed over builds it. Get the source tree from whoever publishes the product, "
         "on another way than this report: a page cannot name an address that you may trust. "
         "Which tree it has to be is in the version: the digits after \"src.\" are a digest of "
         "sources. Those of ethos-verify are of the folder verify/ alone (scripts/source-digest "
         "verify), those of the other programs of the whole tree (scripts/source-digest all): so "
         "two different digests are usual in one tree. A third is of another tree, as when tools "
         "ran under one build and the report was made by a later one; to check a report only the "
         "verifier's has to be yours.";
}

std::string same_program_text() {
  return "What counts: equal digits after \"src.\", told by the same command, mean equal sources. "
         "Equal SHA-256 of two "
         "files mean equal programs; different ones mean little, because debug information, "
         "compiler and path of the build are in that digest too. scripts/check-reproducible "
         "builds twice in directories of different names and compares the bytes; with "
         "\"--against FILE\" it compares a program that you were given with the one of your "
         "source, without debug information, and that answer decides.";
}

std::vector<ProgramRow> program_rows(const Model& model) {
  std::vector<ProgramRow> out;
  out.push_back({"ethos-verify", "gave the verdicts", model.verdict.verifier,
                 verifier_digest_text(model), "scripts/source-digest verify"});
  out.push_back({"ethos-report", "made this report", model.generator,
                 model.generator_digest.empty()
                     ? std::string("not known: its file could not be read")
                     : model.generator_digest,
                 std::string(kWholeTree)});
  const auto add = [&](std::string_view name, std::string_view did,
                       const std::set<std::string>& versions) {
    std::string list;
    for (const std::string& version : versions) list += (list.empty() ? "" : ", ") + version;
    if (!list.empty())
      out.push_back({std::string(name), std::string(did), list,
                     "not recorded: a record names the version", std::string(kWholeTree)});
  };
  std::set<std::string> runners;
  for (const CountedName& row : model.products) runners.insert(model.text(row.name));
  add("ethos-run", "ran the tools and wrote the records", runners);
  std::set<std::string> converters;
  for (const Artifact& row : model.artifacts) {
    if (row.converter != NameId::none) converters.insert(model.text(row.converter));
  }
  add("ethos-sarif", "wrote the SARIF files", converters);
  return out;
}

std::vector<std::string> verifier_build_commands() {
  return {"cmake --preset release",
          "cmake --build --preset release --target ethos-verify",
          "build/release/bin/ethos-verify --version",
          "scripts/source-digest verify",
          "scripts/source-digest all",
          "scripts/check-reproducible --against FILE",
          "sha256sum FILE"};
}

std::string verifier_digest_text(const Model& model) {
  if (model.verifier_digest.empty())
    return "not known: the file of the program that checked could not be read";
  return model.verifier_digest;
}

}  // namespace ethos::reports
