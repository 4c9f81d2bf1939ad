// SPDX-License-Identifier: Apache-2.0
#include "verify/earlier_output.h"

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "verify/encoding.h"
#include "verify/envelope.h"
#include "verify/json.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kTranscript = "Transcript of a verification by ethos-verify ";
constexpr std::string_view kJunit =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ethos-verify ";

// How a file begins; all of a statement is needed. Nothing: it cannot be read, so nobody knows what
// it is.
std::optional<std::string> beginning_of(OutputKind kind, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string out;
  std::string piece(std::size_t{1} << 16U, '\0');
  const std::uint64_t most = kind == OutputKind::statement || kind == OutputKind::signed_statement
                                 ? kMaxEnvelope
                                 : piece.size();
  while (in && out.size() < most) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    out.append(piece, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() && !in) return std::nullopt;
  return out;
}

// A statement of --attest, signed or not: another's, though of the same form, is not ours to
// replace.
bool is_statement(const std::string& bytes, bool may_be_signed) {
  const auto read = parse_foreign_json(bytes);
  if (!read) return false;
  Value statement = *read;
  if (statement.at("payload").is_string()) {
    if (!may_be_signed) return false;
    const auto payload = decode_base64(statement.text_at("payload"));
    auto inner = payload ? parse_foreign_json(*payload) : Result<Value>(Error{});
    if (!inner) return false;
    statement = *std::move(inner);
  }
  return statement.at("predicate").at("verifier").text_at("id").starts_with("urn:ethos:verifier:");
}

bool is_kind(OutputKind kind, const std::string& bytes) {
  switch (kind) {
    case OutputKind::junit:
      return bytes.starts_with(kJunit);
    case OutputKind::transcript:
      return bytes.starts_with(kTranscript);
    case OutputKind::statement:
      return is_statement(bytes, false);
    case OutputKind::signed_statement:
      return is_statement(bytes, true);
  }
  return false;
}

// What it is, where that can be told.
std::string_view looks_like(const std::string& bytes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kBeginnings{{
      {"PRIVATE+KEY+", ", and looks like a secret key"},
      {"{\"at_ms\":", ", and looks like a memory"},
      {"{\"fingerprint\":", ", and looks like a pin"},
      {"blob/sha256/", ", and looks like a bundle"},
      {"SQLite format 3", ", and looks like a ledger"},
      {"{\"_type\":", ", and looks like a statement"},
      {"{\"payload\":", ", and looks like a signed statement"},
      {kTranscript, ", and looks like a transcript"},
      {kJunit, ", and looks like a JUnit file"},
  }};
  for (const auto& [beginning, words] : kBeginnings) {
    if (bytes.starts_with(beginning)) return words;
  }
  return "";
}

const char* name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::junit:
      return "no JUnit file of ethos-verify";
    case OutputKind::transcript:
      return "no transcript of ethos-verify";
    case OutputKind::statement:
      return "no statement without a signature of ethos-verify";
    case OutputKind::signed_statement:
      return "no statement of ethos-verify";
  }
  return "";
}

}  // namespace

std::optional<std::string> other_file(OutputKind kind, const std::string& path) {
  struct stat st {};
  // Something else than a file is refused where it is written.
  if (::lstat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
    return std::nullopt;
  const auto bytes = beginning_of(kind, path);
  if (bytes && is_kind(kind, *bytes)) return std::nullopt;
  return path + ": is there already and is " + name_of(kind) +
         (bytes ? std::string(looks_like(*bytes)) : "") +
         ": it is not overwritten; give another name, or remove it";
}

}  // namespace ethos::verify
