// SPDX-License-Identifier: Apache-2.0
#include "ledger/epoch_signer.h"

#include <algorithm>
#include <utility>

#include "ledger/ssh_agent.h"

namespace ethos::ledger {

using base::Errc;
using base::Result;
using base::Unexpected;

EpochSigner EpochSigner::of_secret(record::SigningKey key) {
  EpochSigner out;
  out.secret_.emplace(std::move(key));
  return out;
}

EpochSigner EpochSigner::of_agent(record::PublicKey key, std::string agent_socket) {
  EpochSigner out;
  out.public_.emplace(std::move(key));
  out.agent_socket_ = std::move(agent_socket);
  return out;
}

const record::PublicKey& EpochSigner::public_key() const {
  return secret_ ? secret_->public_key() : *public_;
}

Result<record::Signature> EpochSigner::sign_message(base::ByteSpan message) const {
  if (secret_) return secret_->sign(message);
  RawPublicKey raw{};
  std::copy_n(public_->bytes().begin(), raw.size(), raw.begin());
  auto signature = sign_by_agent(agent_socket_, raw, message);
  if (!signature) return Unexpected(std::move(signature).error().with_context("epoch key"));
  if (!public_->verifies(message, *signature))
    return base::fail(Errc::mismatch, "ssh-agent: a signature that is not the epoch key's");
  return signature;
}

}  // namespace ethos::ledger
