// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/model.h"

namespace ethos::sarif {

// One function a format: reads a linter's output to its end and gives its findings with paths and
// columns as printed. Errc::malformed when the bytes are not that format, Errc::too_large over the
// limits of input.h. An output that holds no finding is a good run without findings; an output in
// which nothing at all is recognised is malformed, so that a wrong --from never looks like a clean
// run.

base::Result<ConvertedRun> convert_shellcheck(ByteSource& source);  // json and json1
base::Result<ConvertedRun> convert_pylint(ByteSource& source);      // json and json2
base::Result<ConvertedRun> convert_bandit(ByteSource& source);
base::Result<ConvertedRun> convert_cppcheck(ByteSource& source);  // XML version 2
base::Result<ConvertedRun> convert_flake8(ByteSource& source);    // default text
base::Result<ConvertedRun> convert_gcc(ByteSource& source);       // text of gcc and g++
base::Result<ConvertedRun> convert_clang(ByteSource& source);     // text of clang and clang++
base::Result<ConvertedRun> convert_clang_tidy(ByteSource& source);
base::Result<ConvertedRun> convert_clang_plist(ByteSource& source);  // --analyzer-output plist
base::Result<ConvertedRun> convert_checkstyle(ByteSource& source);   // of any tool that writes it
base::Result<ConvertedRun> convert_eslint(ByteSource& source);
base::Result<ConvertedRun> convert_yamllint(ByteSource& source);  // parsable text
base::Result<ConvertedRun> convert_junit(ByteSource& source);     // failed tests
base::Result<ConvertedRun> convert_tap(ByteSource& source);       // failed tests, TAP 12 to 14
base::Result<ConvertedRun> convert_mypy(ByteSource& source);
base::Result<ConvertedRun> convert_msbuild(ByteSource& source);  // also tsc
base::Result<ConvertedRun> convert_go_vet(ByteSource& source);
base::Result<ConvertedRun> convert_hadolint(ByteSource& source);
base::Result<ConvertedRun> convert_code_climate(ByteSource& source);  // GitLab code quality
base::Result<ConvertedRun> convert_rubocop(ByteSource& source);
base::Result<ConvertedRun> convert_golangci(ByteSource& source);
base::Result<ConvertedRun> convert_clang_tidy_yaml(ByteSource& source);  // --export-fixes
base::Result<ConvertedRun> convert_clippy(ByteSource& source);  // cargo's messages, one a line
base::Result<ConvertedRun> convert_phpstan(ByteSource& source);
base::Result<ConvertedRun> convert_github_annotations(ByteSource& source);  // ::error file=a.c::
base::Result<ConvertedRun> convert_ansible_lint(ByteSource& source);        // -p, pep8
base::Result<ConvertedRun> convert_pylint_text(ByteSource& source);         // text and parseable
base::Result<ConvertedRun> convert_eslint_stylish(ByteSource& source);

}  // namespace ethos::sarif
