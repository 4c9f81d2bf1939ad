// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sandbox/output_files.h"
#include "sandbox/prepare.h"
#include "sandbox/recorder.h"
#include "sandbox/run_sink.h"

// `--sarif`: the tool's output and the run's records become one SARIF file, made by ethos-sarif in
// a cage of its own; then `sarif.written` says which file that was.
namespace ethos::sandbox {

struct SarifRequest {
  const OutputFile* file = nullptr;
  const Prepared* prepared = nullptr;
  std::optional<Plan> plan;   // of the run; absent when it was refused before there was one
  RunSink* ledger = nullptr;  // borrowed: where the run's records are
  std::string run;
  std::string_view standard_output;
  std::string_view standard_error;
  std::optional<int> exit_code;  // the tool's own
  std::uint32_t host_id = 0;     // root: the unprivileged uid for a cage without a run
};

// The run's end must be committed. An error says that there is no such file, or no record of it.
struct SarifAnswer {
  std::string fault;  // the first one of SARIF that the tool wrote, which is passed on as it is
  bool is_failed = false;  // the file says that the tool has not done its work
};
[[nodiscard]] base::Result<SarifAnswer> write_sarif(const SarifRequest& request,
                                                    Recorder& recorder);

// docs/formats/sarif-property.md, "The evidence document".
[[nodiscard]] base::Result<std::string> evidence_document(
    RunSink& ledger, const std::string& run, const std::vector<std::uint64_t>& sequences,
    const std::string& checkpoint, const Policy& policy, const Workspace& workspace);

}  // namespace ethos::sandbox
