// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/record/secret_bytes.h"

namespace ethos::ledger {

// Where a passphrase comes from; never the command line, which everybody sees.
struct PassphraseSource {
  bool is_asked = false;  // on the terminal
  std::string file;       // its first line
  std::optional<int> fd;  // a descriptor to read its first line from
  bool is_new = false;    // something is sealed with it: asked twice

  [[nodiscard]] bool is_given() const { return is_asked || !file.empty() || fd.has_value(); }
};

// Null when none is given. Errc::usage for two sources at once, an empty line or one over 1,024
// bytes.
base::Result<std::shared_ptr<const record::SecretBytes>> read_passphrase(
    const PassphraseSource& source);

}  // namespace ethos::ledger
