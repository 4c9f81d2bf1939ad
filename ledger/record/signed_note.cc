// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/signed_note.h"

#include <algorithm>

#include "ledger/base/base64.h"
#include "ledger/record/utf8.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::string_view kDash = "\xE2\x80\x94 ";  // U+2014, space

bool is_note_bytes(std::string_view bytes) {
  const bool has_control = std::any_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n';
  });
  return !has_control && is_utf8(bytes);
}

Result<NoteSignature> parse_signature_line(std::string_view line) {
  if (!line.starts_with(kDash)) return fail(Errc::malformed, "note: not a signature line");
  line.remove_prefix(kDash.size());
  const std::size_t space = line.find(' ');
  if (space == line.npos) return fail(Errc::malformed, "note: signature line without signature");
  const std::string_view name = line.substr(0, space);
  if (!is_key_name(name)) return fail(Errc::malformed, "note: bad key name");
  auto bytes = base::decode_base64(line.substr(space + 1));
  if (!bytes || bytes->size() < 5) return fail(Errc::malformed, "note: bad signature text");
  NoteSignature out;
  out.name = name;
  std::copy_n(bytes->begin(), out.id.size(), out.id.begin());
  out.signature.assign(bytes->begin() + 4, bytes->end());
  return out;
}

bool same_key(const NoteSignature& s, const PublicKey& key) {
  return s.id == key.id() && s.name == key.name();
}

}  // namespace

Result<SignedNote> parse_note(std::string_view bytes) {
  if (bytes.size() > kMaxNoteBytes) return fail(Errc::too_large, "note: too long");
  if (!is_note_bytes(bytes))
    return fail(Errc::malformed, "note: not UTF-8, or a control character");
  if (!bytes.ends_with('\n')) return fail(Errc::malformed, "note: no line feed at the end");
  // The last empty line splits text and signatures: a text may hold empty lines itself.
  const std::size_t split = bytes.rfind("\n\n");
  if (split == bytes.npos || split == 0) return fail(Errc::malformed, "note: no signature part");
  SignedNote out;
  out.text = bytes.substr(0, split + 1);
  std::string_view rest = bytes.substr(split + 2);
  while (!rest.empty()) {
    if (out.signatures.size() == kMaxNoteSignatures) {
      return fail(Errc::malformed, "note: more than 100 signatures");
    }
    const std::size_t end = rest.find('\n');
    auto line = parse_signature_line(rest.substr(0, end));
    if (!line) return base::Unexpected(std::move(line).error());
    out.signatures.push_back(std::move(*line));
    rest.remove_prefix(end + 1);
  }
  if (out.signatures.empty()) return fail(Errc::malformed, "note: no signature");
  return out;
}

Result<std::vector<std::size_t>> verify_note(const SignedNote& note,
                                             std::span<const PublicKey> keys) {
  std::vector<const NoteSignature*> accepted(keys.size(), nullptr);
  for (const NoteSignature& signature : note.signatures) {
    const auto is_its_key = [&](const PublicKey& key) { return same_key(signature, key); };
    const auto key = std::find_if(keys.begin(), keys.end(), is_its_key);
    if (key == keys.end()) continue;
    if (std::find_if(key + 1, keys.end(), is_its_key) != keys.end()) {
      return fail(Errc::mismatch, "note: two known keys share name and id");
    }
    const NoteSignature*& seen = accepted[static_cast<std::size_t>(key - keys.begin())];
    if (seen != nullptr && seen->signature == signature.signature) continue;
    if (seen != nullptr || !key->verifies(base::as_bytes(note.text), signature.signature)) {
      return fail(Errc::mismatch, "note: wrong signature by " + key->name());
    }
    seen = &signature;
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (accepted[i] != nullptr) out.push_back(i);
  }
  if (out.empty()) return fail(Errc::not_found, "note: signed by no known key");
  return out;
}

bool is_signed_by(const SignedNote& note, const SigningKey& key) {
  const Signature expected = key.sign(base::as_bytes(note.text));
  std::size_t found = 0;
  for (const NoteSignature& signature : note.signatures) {
    if (!same_key(signature, key.public_key())) continue;
    if (!std::ranges::equal(signature.signature, expected)) return false;
    ++found;
  }
  return found > 0;
}

namespace {

Result<std::string> unsigned_note(std::string_view text) {
  if (!text.ends_with('\n') || !is_note_bytes(text)) {
    return fail(Errc::malformed, "note: text that cannot be signed");
  }
  return std::string(text) + "\n";
}

void append_signature(std::string& note, const PublicKey& key, const Signature& signature) {
  base::Bytes payload(key.id().begin(), key.id().end());
  payload.insert(payload.end(), signature.begin(), signature.end());
  note.append(kDash).append(key.name()).append(" ");
  note.append(base::encode_base64(payload)).append("\n");
}

}  // namespace

Result<std::string> sign_note(std::string_view text, std::span<const SigningKey* const> keys) {
  auto out = unsigned_note(text);
  if (!out) return out;
  for (const SigningKey* key : keys)
    append_signature(*out, key->public_key(), key->sign(base::as_bytes(text)));
  return out;
}

Result<std::string> sign_note(std::string_view text, std::span<const NoteSigner* const> signers) {
  auto out = unsigned_note(text);
  if (!out) return out;
  for (const NoteSigner* signer : signers) {
    auto signature = signer->sign_message(base::as_bytes(text));
    if (!signature) return base::Unexpected(std::move(signature).error());
    append_signature(*out, signer->public_key(), *signature);
  }
  return out;
}

}  // namespace ethos::record
