// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/model.h"

namespace ethos::reports {

// Fills Model::programs: which bytes ran as which tool, in the order of the ledger.
void list_programs(Model& model);

// "sha256:..." of a program or an interpreter, or why there is none.
std::string digest_or_why(const Model& model, NameId path, NameId digest);
// The words of the command line; "withheld", with their number, where the record only commits to
// them; that they are no longer kept where they were asked for.
std::string command_words(const Model& model, const Run& run);
// "usr/bin/env sha256:..., ..." of further interpreters of a script.
std::string interpreters_text(const Model& model, const std::vector<Interpreter>& rows);
// SHA-256 of the declaration's file, which `git show COMMIT:FILE | sha256sum` prints too; why it is
// not there where it was not asked for or not kept.
std::string declaration_file_words(const Model& model, const Run& run);
// The commitment to the declaration that stands in the run's first record.
std::string declaration_words(const Run& run);
std::string_view program_rows_text();

}  // namespace ethos::reports
