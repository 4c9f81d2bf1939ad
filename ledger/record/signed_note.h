// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/record/vkey.h"

namespace ethos::record {

// C2SP signed-note (docs/formats/checkpoint.md N-1 to N-6): text, an empty line, signature lines.
//   ci.example.com/ethos/aaaq...\n3\n+g+ynpd...=\n\n— ci.example.com/ethos/aaaq... 1syWmOJc...=\n
struct NoteSignature {
  std::string name;
  KeyId id{};
  base::Bytes signature;  // whatever length its algorithm has
};

struct SignedNote {
  std::string text;  // what is signed; ends with a line feed
  std::vector<NoteSignature> signatures;
};

inline constexpr std::size_t kMaxNoteBytes = 1'000'000;
inline constexpr std::size_t kMaxNoteSignatures = 100;

// Splits and checks the form only. Errc::malformed.
base::Result<SignedNote> parse_note(std::string_view bytes);

// Indexes into `keys` of those that signed, ascending. A wrong signature of a known key, two
// different ones of the same key, or two equal (name, id) among the keys refuse the note
// (Errc::mismatch); so does a note that none of them signed (Errc::not_found).
base::Result<std::vector<std::size_t>> verify_note(const SignedNote& note,
                                                   std::span<const PublicKey> keys);

// The same question for one key whose secret is at hand, without the cost of checking: Ed25519 has
// one signature a message and key (RFC 8032 section 5.1.6), so what signing again gives was made by
// it. True only for what verify_note accepts; false for all else, also for a good signature that
// was made in another way.
bool is_signed_by(const SignedNote& note, const SigningKey& key);

// Whatever can sign for a key.
class NoteSigner {
 public:
  NoteSigner() = default;
  NoteSigner(const NoteSigner&) = default;
  NoteSigner(NoteSigner&&) = default;
  NoteSigner& operator=(const NoteSigner&) = default;
  NoteSigner& operator=(NoteSigner&&) = default;
  virtual ~NoteSigner() = default;
  [[nodiscard]] virtual const PublicKey& public_key() const = 0;
  [[nodiscard]] virtual base::Result<Signature> sign_message(base::ByteSpan message) const = 0;
};

// `text` must end with a line feed and be valid note text. Keys sign in the given order.
base::Result<std::string> sign_note(std::string_view text, std::span<const SigningKey* const> keys);
base::Result<std::string> sign_note(std::string_view text,
                                    std::span<const NoteSigner* const> signers);

}  // namespace ethos::record
