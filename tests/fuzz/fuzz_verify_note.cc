// SPDX-License-Identifier: Apache-2.0
// Notes, vkeys, pins and checkpoints: both readers accept the same bytes and find the same signers.
#include "ledger/record/pin.h"
#include "ledger/record/signed_note.h"
#include "ledger/record/vkey.h"
#include "tests/fuzz/property.h"
#include "verify/checkpoint.h"
#include "verify/note.h"
#include "verify/pin.h"

namespace {

using ethos::fuzz::require;

// The public key of the worked example in docs/formats/keys.md.
constexpr std::string_view kKey =
    "ci.example.com/ethos/aaaqeayeaudaocajbifqydiob4+d6cc9698+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = ethos::fuzz::text_of(data, size);
  const auto note = ethos::verify::parse_note(bytes);
  const auto their_note = ethos::record::parse_note(bytes);
  require(note.ok() == their_note.has_value());
  if (note) {
    require(note->text == their_note->text && note->signatures.size() == their_note->signatures.size());
    static const auto key = ethos::verify::parse_vkey(kKey);
    static const auto their_key = ethos::record::PublicKey::from_text(kKey);
    require(key.ok() && their_key.has_value());
    std::vector<ethos::verify::Vkey> signers;
    const bool right = ethos::verify::verify_note(*note, {&*key, 1}, signers) == ethos::verify::NoteVerdict::ok;
    require(right == ethos::record::verify_note(*their_note, {&*their_key, 1}).has_value());
    (void)ethos::verify::parse_checkpoint_text(note->text);
    (void)ethos::verify::parse_revocation_text(note->text);
  }
  const auto vkey = ethos::verify::parse_vkey(bytes);
  require(vkey.ok() == ethos::record::PublicKey::from_text(bytes).has_value());
  const auto pin = ethos::verify::parse_pin(bytes);
  const auto their_pin = ethos::record::parse_pin(std::string(bytes));
  require(pin.ok() == their_pin.has_value());
  if (pin) require(pin->fingerprint == ethos::record::pin_fingerprint(*their_pin));
  return 0;
}
