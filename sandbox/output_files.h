// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sandbox/plan.h"
#include "sandbox/workspace.h"

namespace ethos::sandbox {

// A file that ethos-run itself writes. In the workspace its parents may be hostile, so that no link
// in them is followed; where the tool may write, it could be replaced, so that it is refused.
struct OutputFile {
  std::string option;  // "--sarif"
  std::string path;    // absolute; empty: standard output
  bool is_in_workspace = false;
  [[nodiscard]] bool is_standard_output() const { return path.empty(); }
};

// "-" is standard output. Errc::refused for a path in a write grant, `.git`, a policy file or one of the ledger's,
// and for what could not be written now; `plan`
// may be null when the run is refused anyway.
[[nodiscard]] base::Result<OutputFile> check_output(const std::string& option,
                                                    const std::string& path,
                                                    const Workspace& workspace, const Plan* plan,
                                                    const std::vector<std::string>& ledger_paths);

// An error does not name the option.
// Temporary file beside it and rename; standard output as it is.
[[nodiscard]] base::Result<void> write_output(const OutputFile& file, std::string_view bytes);

}  // namespace ethos::sandbox
