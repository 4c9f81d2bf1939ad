// SPDX-License-Identifier: Apache-2.0
// A message of the service that is taken has one form only: put together again it has the same
// bytes.
#include <string>

#include "ledger/service/wire.h"
#include "tests/fuzz/property.h"

namespace {

using namespace ethos::ledger::service;

template <typename Message>
void check(std::string_view payload, ethos::base::Result<Message> (*decode)(std::string_view)) {
  const auto message = decode(payload);
  if (!message) return;
  const std::string again = encode(*message);
  ethos::fuzz::require(again.size() == payload.size() + kHeaderBytes);
  ethos::fuzz::require(std::string_view(again).substr(kHeaderBytes) == payload);
  const auto length = message_length(std::string_view(again).substr(0, kHeaderBytes));
  ethos::fuzz::require(length.has_value() && *length == payload.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto payload = ethos::fuzz::text_of(data, size);
  static_cast<void>(message_type(payload));
  static_cast<void>(message_length(payload.substr(0, kHeaderBytes)).has_value());
  check(payload, decode_hello);
  check(payload, decode_begin);
  check(payload, decode_commit);
  check(payload, decode_finish);
  check(payload, decode_read);
  check(payload, decode_stand_aside);
  check(payload, decode_build);
  check(payload, decode_cancel);
  check(payload, decode_welcome);
  check(payload, decode_begun);
  check(payload, decode_committed);
  check(payload, decode_finished);
  check(payload, decode_records);
  check(payload, decode_aside);
  check(payload, decode_failed);
  check(payload, decode_exited);
  check(payload, decode_order);
  return 0;
}
