// SPDX-License-Identifier: Apache-2.0
#include "verify/note.h"

#include <algorithm>

#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kDash = "\xe2\x80\x94 ";

Result<NoteSignature> parse_line(std::string_view line) {
  if (!line.starts_with(kDash)) return malformed("signature line does not begin with an em dash");
  line.remove_prefix(kDash.size());
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return malformed("signature line has no key name");
  NoteSignature out;
  out.name = line.substr(0, space);
  if (!is_key_name(out.name)) return malformed("signature line has a bad key name");
  const auto bytes = decode_base64(line.substr(space + 1));
  if (!bytes) return malformed("signature is not strict base64");
  if (bytes->size() < 5) return malformed("signature is too short");
  out.id = bytes->substr(0, 4);
  out.signature = bytes->substr(4);
  return out;
}

}  // namespace

Result<Note> parse_note(std::string_view bytes) {
  if (bytes.size() > kMaxNote) return Error{Errc::too_long, "note is longer than 1,000,000 bytes"};
  if (!is_utf8(bytes)) return malformed("note is not valid UTF-8");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c < 0x20 && c != '\n') {
      return malformed("note holds a control character", static_cast<std::ptrdiff_t>(i));
    }
  }
  if (bytes.empty() || bytes.back() != '\n') return malformed("note does not end with a line feed");
  const auto split = bytes.rfind("\n\n");
  if (split == std::string_view::npos) return malformed("note has no empty line");
  Note note;
  note.text = bytes.substr(0, split + 1);
  std::string_view lines = bytes.substr(split + 2);
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    if (note.signatures.size() == kMaxNoteSignatures) {
      return malformed("note has more than 100 signature lines");
    }
    auto parsed = parse_line(lines.substr(0, end));
    if (!parsed) return std::move(parsed).error();
    note.signatures.push_back(*std::move(parsed));
    lines.remove_prefix(end + 1);
  }
  if (note.signatures.empty()) return malformed("note has no signature line");
  return note;
}

NoteVerdict verify_note(const Note& note, std::span<const Vkey> known, std::vector<Vkey>& signers) {
  for (const Vkey& key : known) {
    const NoteSignature* seen = nullptr;
    // Two keys of one name and id would make it a matter of luck which of them is asked.
    const bool ambiguous = std::count_if(known.begin(), known.end(), [&](const Vkey& other) {
                             return other.name == key.name && other.id == key.id;
                           }) > 1;
    for (const NoteSignature& line : note.signatures) {
      if (line.name != key.name || line.id != key.id_view()) continue;
      if (ambiguous) return NoteVerdict::bad_signature;
      if (seen != nullptr) {
        if (seen->signature != line.signature) return NoteVerdict::bad_signature;
        continue;
      }
      seen = &line;
      if (!verify_ed25519(key, note.text, line.signature)) return NoteVerdict::bad_signature;
    }
    if (seen != nullptr && std::find(signers.begin(), signers.end(), key) == signers.end()) {
      signers.push_back(key);
    }
  }
  return signers.empty() ? NoteVerdict::unverified : NoteVerdict::ok;
}

}  // namespace ethos::verify
