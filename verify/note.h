// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/result.h"
#include "verify/vkey.h"

namespace ethos::verify {

// One signature line of a C2SP signed note.
struct NoteSignature {
  std::string name;
  std::string id;         // 4 bytes
  std::string signature;  // what follows the id; 64 bytes when it is Ed25519
};

// A note taken apart but not yet believed.
struct Note {
  std::string text;  // what is signed, last line feed included
  std::vector<NoteSignature> signatures;
};

inline constexpr std::size_t kMaxNote = 1'000'000;
inline constexpr std::size_t kMaxNoteSignatures = 100;

// checkpoint.md N-1 to N-4.
Result<Note> parse_note(std::string_view bytes);

enum class NoteVerdict { ok, unverified, bad_signature };

// N-5 and N-6 for a set of known keys. `signers` receives each key that signed, once.
NoteVerdict verify_note(const Note& note, std::span<const Vkey> known, std::vector<Vkey>& signers);

}  // namespace ethos::verify
