// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "verify/record.h"

namespace ethos::verify {

// One record of a run in one pass: form, envelope and body together. True: scan_record and check_body
// accept it too, `out` is what scan_record gives and `facts` what facts_of gives. False: not sure, which every wrong record is and
// every right one that looks unusual; then those two have the word,
// and `out` and `facts` hold nothing of use.
//
// `before` is the envelope of a record that was accepted: what repeats from record to record (run,
// boot, ledger, type, writer) is compared with it instead of being looked at again. Its views must be valid;
// an empty one will do.
bool quick_record(std::string_view bytes, const Envelope& before, Envelope& out, BodyFacts& facts);

}  // namespace ethos::verify
