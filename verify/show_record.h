// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/source.h"
#include "verify/zone.h"

namespace ethos::verify {

// `--show RECORD`: one record of the evidence as {`seq`, `record`, `values`: [{`kind`, `c`,
// `state`, opt `text`, opt `base64`}]}: its exact bytes, and of each value that it commits to what
// is disclosed, opened. Kind none: it is not there.
Value show_record(EvidenceSource& source, std::int64_t seq);

// The same for people.
std::vector<std::string> show_words(const Value& shown, const Zone& zone);

}  // namespace ethos::verify
