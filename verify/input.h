// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "verify/problem.h"
#include "verify/result.h"
#include "verify/source.h"

namespace ethos::verify {

// What a file is by its first block; none for what is no evidence (a directory has no block).
enum class InputKind { ledger, bundle, proof };
inline constexpr std::size_t kBlockOfKind = 512;
inline constexpr const char* kNoEvidence = "neither a ledger, a bundle, a directory of tiles nor a tlog-proof";
std::optional<InputKind> kind_of(std::string_view first);

// Opens whatever evidence lies at `path`, known by its content and not by its name. `kind` receives
// `ledger`, `bundle` or `tiles`.
Result<std::unique_ptr<EvidenceSource>> open_input(const std::string& path, std::string& kind, Findings& findings);

// Whether the file is a proof of one record (tlog_proof.h), which is no evidence of a ledger's records.
bool is_tlog_proof(const std::string& path);

}  // namespace ethos::verify
