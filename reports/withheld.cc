// SPDX-License-Identifier: Apache-2.0
#include "reports/withheld.h"

#include <algorithm>
#include <array>

#include "reports/redo.h"

namespace ethos::reports {
namespace {

struct Kind {
  std::string_view kind, one, many;
};
constexpr auto kKinds = std::to_array<Kind>({
    {"actor", "name of an actor", "names of actors"},
    {"argv", "command line", "command lines"},
    {"decision", "decision", "decisions"},
    {"denials", "list of denials", "lists of denials"},
    {"env", "value of the environment", "values of the environment"},
    {"execs", "list of programs started", "lists of programs started"},
    {"facts", "list of facts about host and files", "lists of facts about host and files"},
    {"list", "list of groups", "lists of groups"},
    {"mounts", "table of mounts", "tables of mounts"},
    {"normal", "declaration as it was understood", "declarations as they were understood"},
    {"output", "output of a tool", "outputs of tools"},
    {"path", "name outside the workspace", "names outside the workspace"},
    {"plan", "plan of a cage", "plans of cages"},
    {"sarif", "list of results", "lists of results"},
    {"source", "declaration as it was written", "declarations as they were written"},
    {"task", "name of a task", "names of tasks"},
    {"workspace", "path of a workspace", "paths of workspaces"},
});

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::int64_t shown_commands(const Model& model) {
  return std::count_if(model.runs.begin(), model.runs.end(),
                       [](const Run& run) { return run.command != NameId::none; });
}

std::int64_t counted_here(const Model& model) {
  std::int64_t out = 0;
  for (const CommittedKind& row : model.commitments) out += row.values;
  return out;
}

}  // namespace

std::string committed_text(const CommittedKind& row) {
  const auto* const found = std::find_if(
      kKinds.begin(), kKinds.end(), [&row](const Kind& kind) { return kind.kind == row.kind; });
  if (found == kKinds.end()) return std::to_string(row.values) + " of kind " + row.kind;
  return counted(row.values, found->one, found->many);
}

std::string withheld_text(const Model& model) {
  std::string kinds;
  for (const CommittedKind& row : model.commitments)
    kinds += (kinds.empty() ? "" : ", ") + committed_text(row);
  const std::int64_t shown = shown_commands(model);
  const std::string here = shown == 0 ? "None of them is shown on this page"
                                      : "Shown on this page: the command lines of " +
                                            counted(shown, "run", "runs") +
                                            ", of declarations the SHA-256, and no other";
  const std::int64_t known = counted_here(model);
  std::string out = "The records of the whole ledger commit to " +
                    counted(known, "value", "values") + " without showing them" +
                    (kinds.empty() ? "" : ": " + kinds) + ". ";
  if (model.verified && model.verdict.commitments != known)
    out += "The verifier counts " + std::to_string(model.verdict.commitments) + ". ";
  return out + here + ". Whoever holds the ledger can open those that it still keeps, with \"" +
         open_command(model) +
         "\" (a record with its values), or for the command lines and digests of declarations of a "
         "whole report with ethos-report --arguments; each that is opened is held against its "
         "commitment.";
}

std::string disclosure_text(const Model& model) {
  return "It speaks of values that lie beside the records in the ledger: whatever is there is what "
         "the records commit to. On this page " +
         (shown_commands(model) == 0
              ? std::string("none of them is shown")
              : counted(shown_commands(model), "command line is", "command lines are") + " shown");
}

}  // namespace ethos::reports
