// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"

namespace ethos::sarif {

// What goes with an analysis to GitHub's "upload an analysis as SARIF data".
struct UploadFields {
  std::string commit_sha;    // 40 hex digits
  std::string ref;           // "refs/heads/main", "refs/pull/7/merge"
  std::string checkout_uri;  // "file:///home/me/repo/"; empty: not said
  std::string started_at;    // RFC 3339; empty: not said
  std::string category;      // becomes automationDetails.id of runs that have none; empty: as it is
};

struct UploadSizes {
  std::uint64_t bytes = 0;       // of the log
  std::uint64_t gzip_bytes = 0;  // of the log in gzip, which the service counts
};

// Writes the body of the request into the file `fd`: one JSON object whose member "sarif" is the
// base64 text of the gzip of the log, made piece by piece. The log is copied token by token without
// white space. Errc::io when `fd` cannot take it, else the errors of reading.
base::Result<UploadSizes> write_upload_body(ByteSource& log, const UploadFields& fields, int fd);

}  // namespace ethos::sarif
