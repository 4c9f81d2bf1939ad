// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

using RawPublicKey = std::array<std::byte, 32>;

// A line of an OpenSSH public key file, "ssh-ed25519 AAAA... comment". Errc::unsupported for
// another type of key.
base::Result<RawPublicKey> parse_ssh_public_key(std::string_view line);

// Asks the agent at `socket` (draft-ietf-sshm-ssh-agent) for a signature of `message` as it is by
// that Ed25519 key. Errc::not_found when the agent does not hold the key, Errc::refused when it
// does not sign, Errc::io. The signature is not checked here.
base::Result<record::Signature> sign_by_agent(const std::string& socket, const RawPublicKey& key,
                                              base::ByteSpan message);

}  // namespace ethos::ledger
