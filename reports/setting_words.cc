// SPDX-License-Identifier: Apache-2.0
// By whose rules tools ran, and by whom they were started.
#include <algorithm>
#include <map>

#include "reports/words.h"

namespace ethos::reports {
namespace {

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

// Of a list with ", " between.
bool has_word(std::string_view list, std::string_view word) {
  return (", " + std::string(list) + ", ").find(", " + std::string(word) + ", ") !=
         std::string::npos;
}

// Only of a profile that a run had: what is withheld has no other name here.
std::string_view profile_words(std::string_view profile) {
  if (profile == "lint-offline") return " (reads the workspace, writes nothing unless granted)";
  if (profile == "build-offline") return " (as for linters, with more of each limit)";
  if (profile == "no-proc") return " (as for linters, without /proc)";
  return "";
}

}  // namespace

std::string origin_label(std::string_view origin) {
  if (origin == "workspace")
    return "a file of the workspace: whoever may change the workspace may change it";
  if (origin == "catalog") return "the catalog that was installed with ethos-run";
  if (origin == "options") return "options of the call: whoever started the run";
  if (origin == "pinned") return "a file whose digest the host's administrator pinned";
  if (origin == "learn")
    return "`ethos-run learn`, for one look at the tool or to try a proposal: nobody wrote it, and "
           "what the tool wrote was thrown away";
  if (origin == "revision") return "a commit of the repository that the call named";
  return std::string(origin);
}

std::string ceiling_text(const Model& model) {
  std::map<std::string_view, std::int64_t> ceilings;
  std::map<std::string_view, std::int64_t> profiles;
  for (const Run& run : model.runs) {
    ++ceilings[model.text(run.ceilings)];
    ++profiles[model.text(run.profile)];
  }
  std::string out;
  bool is_built_in = false;
  for (const auto& [name, runs] : ceilings) {
    out += (out.empty() ? "Ceilings: " : "; ") + std::string(name.empty() ? "none" : name) +
           " in " + plural(runs, "run", "runs");
    is_built_in = is_built_in || has_word(name, "workspace/1");
  }
  out +=
      ". A ceiling is the most that a declaration may ask for; a start that asks for more is "
      "refused.";
  if (is_built_in) {
    out +=
        " workspace/1 is built in, for declarations that others can change: reading and "
        "starting programs in the workspace and in system directories (of /etc only "
        "alternatives, certificates, mime types and Java), writing in the workspace only, "
        "network none or loopback, Git data none or read, no environment names of secrets, "
        "every profile; it does not bound limits.";
  }
  out += " A profile gives the base runtime and the defaults of what a declaration leaves out.";
  std::string list;
  for (const auto& [name, runs] : profiles) {
    list += (list.empty() ? " Profiles: " : "; ") + std::string(name.empty() ? "none" : name) +
            " in " + plural(runs, "run", "runs") + std::string(profile_words(name));
  }
  return out + list + ". What a run got of both stands grant by grant under Allowed versus used.";
}

std::string root_text(const Model& model) {
  const auto count = std::count_if(model.runs.begin(), model.runs.end(), [&](const Run& run) {
    return run.enforced && model.text(run.caller) == "0";
  });
  if (count == 0) return {};
  return "ethos-run was started by root in " + plural(count, "run", "runs") +
         ". The tool was not root there: before its release the kernel showed a cage without any "
         "capability, in a user namespace of a user of its own (record sandbox.enforced of each "
         "run, held against "
         "its plan under the verdict Policy). But root of the "
         "host can write the ledger and use its key.";
}

}  // namespace ethos::reports
