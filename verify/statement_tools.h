// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "verify/result.h"

namespace ethos::verify {

// Makes a key for --attest-key in a new file of mode 0600; returns the public part (a vkey).
Result<std::string> make_statement_key(const std::string& name, const std::string& path);

// Of a text that is no key: why, or that it is the name of a file.
std::string signer_fault(const std::string& signer, const std::string& why);

// `--check-attest FILE` with the signer's vkey: 0 when the envelope bears a right signature, after
// what it says was written to `out`; 1 when it does not, 2 when file or key cannot be read.
int check_statement(const std::string& path, const std::string& signer, std::ostream& out,
                    std::ostream& err);

}  // namespace ethos::verify
