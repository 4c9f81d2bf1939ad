// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/bundle_scope.h"
#include "ledger/reader.h"

namespace ethos::ledger {

struct BundleSummary {
  std::uint64_t size = 0;         // of the tree its checkpoint signs
  std::uint64_t records = 0;      // carried
  std::uint64_t disclosures = 0;  // carried
  std::uint64_t blobs = 0;        // carried
};

// Writes a bundle (docs/formats/bundle.md) and renames it into place when it is whole. The same
// ledger, range and disclosure choice give the same bytes. Memory: a run's records, or the hashes
// of the upper tiles. It carries no key, no pin and no trust.
base::Result<BundleSummary> write_bundle(const LedgerReader& reader, const BundleOptions& options,
                                         const std::string& out_path);
// The same bytes to wherever they go. What was cut off lacks the end of the archive, so a reader
// refuses it.
base::Result<BundleSummary> write_bundle(
    const LedgerReader& reader, const BundleOptions& options,
    const std::function<base::Result<void>(base::ByteSpan)>& out);

// Kinds that do not name persons or secrets, and that recomputing the grants needs.
std::set<std::string> evidence_kinds();

}  // namespace ethos::ledger
