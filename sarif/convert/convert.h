// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "sarif/evidence/evidence.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/writer.h"
#include "sarif/log_writer.h"
#include "sarif/places.h"
#include "sarif/source_files.h"

namespace ethos::sarif {

// How much SARIF input is held in memory to be checked before it is copied, when there is evidence.
inline constexpr std::size_t kMaxSpooledBytes = std::size_t{64} << 20U;

struct ConvertRequest {
  std::string format = "auto";  // a name of all_formats(), a short name, or "auto"
  PathMapper paths;
  SourceFiles sources;
  bool has_root = false;
  std::string tool_name;     // replaces the tool's own name; empty: as the format says
  std::string tool_version;  // empty: as the output says
  std::string category;
  std::optional<std::int64_t> exit_code;
  std::optional<Provenance> provenance;
  std::optional<Evidence> evidence;
};

struct ConvertSummary {
  std::string format;
  std::size_t results = 0;  // without those of SARIF input, which is not counted
  std::size_t denials = 0;
  std::string unusable;  // why the tool's output was not used; empty: it was
};

// Reads `source` to its end and writes one SARIF log. For every format but SARIF nothing is written
// before the whole input was read and accepted; after an error the output is to be thrown away.
// Errc::not_found for a format that nobody knows.
//
// With evidence the log is written even when the output is no use (a tool that was stopped leaves
// half a document): the run then has no findings of the tool, says so in a notification, and is not
// successful. SARIF of more than kMaxSpooledBytes is no use with evidence.
base::Result<ConvertSummary> convert(ByteSource& source, JsonWriter& writer,
                                     ConvertRequest& request);

}  // namespace ethos::sarif
