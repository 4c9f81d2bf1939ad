// SPDX-License-Identifier: Apache-2.0
#include "verify/jsonc.h"

#include "verify/json_text.h"

namespace ethos::verify {

Result<Value> parse_jsonc(std::string_view text) {
  JsonTextReader::Options options;
  options.comments = true;
  options.bytes = 262144;
  JsonTextReader reader(text, options);
  Value value;
  if (reader.begin() && reader.value(value) && reader.end()) return value;
  return reader.error();
}

}  // namespace ethos::verify
