// SPDX-License-Identifier: Apache-2.0
// A parsed note can be put together again; unknown keys never verify anything.
#include "ledger/base/base64.h"
#include "ledger/record/signed_note.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ethos::record;
  const auto bytes = ethos::fuzz::text_of(data, size);
  const auto note = parse_note(bytes);
  if (!note) return 0;
  std::string again = note->text + "\n";
  for (const NoteSignature& signature : note->signatures) {
    ethos::base::Bytes payload(signature.id.begin(), signature.id.end());
    payload.insert(payload.end(), signature.signature.begin(), signature.signature.end());
    again += "\xE2\x80\x94 " + signature.name + " " + ethos::base::encode_base64(payload) + "\n";
  }
  ethos::fuzz::require(again == bytes);
  ethos::fuzz::require(!verify_note(*note, {}));
  return 0;
}
