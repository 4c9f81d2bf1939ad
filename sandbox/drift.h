// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sandbox/declaration.h"
#include "sandbox/run_options.h"

// What a newer declaration may do that an older one could not: a reviewable event.
namespace ethos::sandbox {

enum class DriftKind { widened, narrowed, changed };
[[nodiscard]] std::string_view drift_kind_name(DriftKind kind);

struct Drift {
  std::string tool;
  std::string key;  // of the declaration; "tool" when the whole tool came or went
  DriftKind kind = DriftKind::changed;
  std::string from;  // empty: was not there
  std::string to;    // empty: is not there
};

// Compares normal forms, so that a default written out is no change. Sorted by tool and key.
// Errc::malformed when a tool of either has no normal form.
[[nodiscard]] base::Result<std::vector<Drift>> compare_declarations(const Declaration& older,
                                                                    const Declaration& newer);

[[nodiscard]] std::string drift_text(const std::vector<Drift>& drifts);
[[nodiscard]] std::string drift_json(const std::vector<Drift>& drifts);
[[nodiscard]] std::string drift_markdown(const std::vector<Drift>& drifts);

// `ethos-run drift A [B]`: each a file, a Git revision or REVISION:PATH; B is the workspace's
// ethos.json unless given. 0 nothing widened or changed, 1 something did, 2 they cannot be compared.
[[nodiscard]] int show_drift(const RunOptions& options, std::ostream& out, std::ostream& err);

}  // namespace ethos::sandbox
