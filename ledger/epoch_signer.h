// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/record/signed_note.h"
#include "ledger/record/vkey.h"

namespace ethos::ledger {

// What signs the checkpoints of an epoch: a secret read from a file, or an ssh-agent that holds it.
// A hardware token or a key service would be another such thing.
class EpochSigner final : public record::NoteSigner {
 public:
  static EpochSigner of_secret(record::SigningKey key);
  static EpochSigner of_agent(record::PublicKey key, std::string agent_socket);

  [[nodiscard]] const record::PublicKey& public_key() const override;
  // Checked by the public key when it comes from somewhere else.
  [[nodiscard]] base::Result<record::Signature> sign_message(base::ByteSpan message) const override;
  // Null when the secret is not here.
  [[nodiscard]] const record::SigningKey* secret() const { return secret_ ? &*secret_ : nullptr; }

 private:
  EpochSigner() = default;
  std::optional<record::SigningKey> secret_;
  std::optional<record::PublicKey> public_;  // of an agent's key
  std::string agent_socket_;
};

}  // namespace ethos::ledger
