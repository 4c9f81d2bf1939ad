// SPDX-License-Identifier: Apache-2.0
#include "reports/programs.h"

#include <map>
#include <tuple>

namespace ethos::reports {

void list_programs(Model& model) {
  using Key = std::tuple<NameId, NameId, NameId, NameId, NameId, std::vector<Interpreter>>;
  std::map<Key, std::size_t> known;
  for (const Run& run : model.runs) {
    const auto [at, is_new] =
        known.try_emplace(Key{run.tool, run.exe_path, run.exe_sha256, run.interpreter,
                              run.interpreter_sha256, run.interpreters},
                          model.programs.size());
    if (is_new) {
      ProgramUse row;
      row.tool = run.tool;
      row.path = run.exe_path;
      row.digest = run.exe_sha256;
      row.interpreter = run.interpreter;
      row.interpreter_digest = run.interpreter_sha256;
      row.interpreters = run.interpreters;
      row.interprets = run.interprets;
      row.first = run.opened;
      row.first_ms = run.started_ms;
      model.programs.push_back(row);
    }
    ProgramUse& row = model.programs[at->second];
    ++row.runs;
    if (run.enforced && !run.not_executed) ++row.started;
    row.last = run.opened;
    row.last_ms = run.started_ms;
  }
}

std::string digest_or_why(const Model& model, NameId path, NameId digest) {
  if (digest != NameId::none) return model.text(digest);
  return path == NameId::none ? "no program recorded" : "no digest recorded";
}

std::string interpreters_text(const Model& model, const std::vector<Interpreter>& rows) {
  std::string out;
  for (const Interpreter& row : rows)
    out += (out.empty() ? "" : ", ") + model.text(row.path) + " " +
           digest_or_why(model, row.path, row.digest);
  return out;
}

std::string command_words(const Model& model, const Run& run) {
  if (run.command != NameId::none) return model.text(run.command);
  const std::string count = std::to_string(run.argc) + (run.argc == 1 ? " word" : " words");
  return model.shows_arguments ? "no longer kept (" + count + ")" : "withheld (" + count + ")";
}

std::string declaration_file_words(const Model& model, const Run& run) {
  if (run.declaration.empty()) return "none: the declaration was made of options";
  if (run.declaration_sha256 != NameId::none) return model.text(run.declaration_sha256);
  return model.shows_arguments ? "its bytes are no longer kept" : "withheld";
}

std::string declaration_words(const Run& run) {
  return run.declaration.empty() ? "no commitment recorded" : run.declaration;
}

std::string_view program_rows_text() {
  return "A row joins the runs in which one tool had the same program, the same digest of it and, "
         "of a script, the same interpreters. Digests are of the one file, measured before the "
         "start; "
         "what it loaded has none. Started: runs in which the tool was released and the command "
         "was "
         "there; the others were refused, or found nothing to run.";
}

}  // namespace ethos::reports
