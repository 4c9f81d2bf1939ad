// SPDX-License-Identifier: Apache-2.0
#include "verify/statement_tools.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "verify/assertion_report.h"
#include "verify/commands.h"
#include "verify/digest.h"
#include "verify/encoding.h"
#include "verify/envelope.h"
#include "verify/json.h"
#include "verify/session.h"
#include "verify/stdin_file.h"
#include "verify/unique_fd.h"
#include "verify/vkey.h"

namespace ethos::verify {
namespace {

Result<Done> write_secret(const std::string& path, const std::string& line) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return Error{Errc::io, path + ": " + std::strerror(errno)};
  std::size_t at = 0;
  while (at < line.size()) {
    const ssize_t put = ::write(fd.get(), line.data() + at, line.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int why = errno;
      ::unlink(path.c_str());
      return Error{Errc::io, path + ": " + std::strerror(why)};
    }
    at += static_cast<std::size_t>(put);
  }
  if (::fsync(fd.get()) == 0) return Done{};
  const int why = errno;
  ::unlink(path.c_str());
  return Error{Errc::io, path + ": " + std::strerror(why)};
}

// The first lines of what is signed; all of it is in the file.
void tell(const Value& statement, std::ostream& out) {
  const auto line = [&](const char* name, const std::string& text) {
    out << "  " << name << printable(text, 2000) << "\n";
  };
  const Value& predicate = statement.at("predicate");
  const Value& scope = predicate.at("urn:ethos:verdict:1");
  std::string pin = predicate.at("policy").text_at("uri");
  if (pin.empty()) pin = scope.text_at("pin");
  if (!pin.empty()) line("by the pin  ", pin);
  line("type        ", statement.text_at("predicateType"));
  for (const Value& subject : statement.at("subject").items())
    line("subject     ",
         subject.text_at("name") + " sha256 " + subject.at("digest").text_at("sha256"));
  // Before the result: it is of no more than this.
  if (scope.has("at"))
    line("of a state  ", "the one that --at " + scope.text_at("at") + " named, NOT all of the evidence" +
                             (scope.has("state") ? ": " + scope.text_at("state") : std::string()));
  line("verified    ", predicate.text_at("timeVerified"));
  if (predicate.has("verificationResult"))
    line("result      ", predicate.text_at("verificationResult"));
  for (const char* key : {"properties", "verifiedLevels"}) {
    for (const Value& property : predicate.at(key).items()) line("says        ", property.text());
  }
  if (!scope.is_object()) return;
  const Value& counts = scope.at("counts");
  line("of          ", scope.text_at("kind") + " (" + scope.text_at("coverage") + "), " +
                           std::to_string(counts.at("records").number()) + " records, " +
                           std::to_string(counts.at("runs").number()) + " runs, " +
                           std::to_string(counts.at("open_runs").number()) + " open, " +
                           std::to_string(counts.at("aborted_runs").number()) + " aborted; exit " +
                           std::to_string(scope.at("exit").number()));
  const Value& period = scope.at("period");
  if (period.is_object())
    line("period      ", period.text_at("days") + " " + period.text_at("zone") + ", " +
                             std::to_string(period.at("runs").number()) + " runs");
  for (const Value& v : scope.at("verdicts").items())
    line("verdict     ", v.text_at("name") + " " + v.text_at("result") + ": " + v.text_at("text"));
  for (const Value& v : scope.at("assertions").items()) {
    line("assertion   ",
         v.text_at("result") + " " + v.text_at("expr") + " (" + assertion_count(v) + ")");
    for (const std::string& text : assertion_words(v)) line("            ", text);
  }
  for (const Value& v : scope.at("problems").items())
    line("problem     ", v.text_at("severity") + " " + v.text_at("code") + " (" +
                             v.text_at("verdict") + "), " +
                             std::to_string(v.at("count").number()) + " times");
  const Value& bad = scope.at("first_bad");
  if (bad.is_object())
    line("first bad   ", bad.text_at("code") + ", record " +
                             std::to_string(bad.at("seq").number()) + ": " + bad.text_at("text"));
  for (const Value& v : scope.at("inputs").items())
    line("input       ",
         v.text_at("what") + " " + v.text_at("file") + " sha256 " + v.text_at("sha256"));
}

}  // namespace

std::string signer_fault(const std::string& signer, const std::string& why) {
  struct stat st {};
  if (::stat(signer.c_str(), &st) != 0) return why;
  return printable(signer, 300) + " is a file; what stands in it is asked for: --signer \"$(cat " + printable(signer, 300) + ")\"";
}

Result<std::string> make_statement_key(const std::string& name, const std::string& path) {
  if (!is_key_name(name) || name.size() > 200 || printable(name, 400) != name)
    return malformed(
        "a key's name is 1 to 200 characters without spaces and `+`, e.g. auditor.example");
  std::array<unsigned char, 32> seed{};
  std::array<unsigned char, 32> public_key{};
  std::array<unsigned char, 64> secret{};
  randombytes_buf(seed.data(), seed.size());
  crypto_sign_seed_keypair(public_key.data(), secret.data(), seed.data());
  sodium_memzero(secret.data(), secret.size());
  const std::string text =
      std::string(1, kLogKey) +
      std::string(reinterpret_cast<const char*>(public_key.data()), public_key.size());
  std::string hidden = std::string(1, kLogKey) +
                       std::string(reinterpret_cast<const char*>(seed.data()), seed.size());
  sodium_memzero(seed.data(), seed.size());
  Sha256 hash;
  const std::string head =
      name + "+" + encode_hex(hash.of(name + "\n" + text).view().substr(0, 4)) + "+";
  std::string line = "PRIVATE+KEY+" + head + encode_base64(hidden) + "\n";
  const auto done = write_secret(path, line);
  sodium_memzero(hidden.data(), hidden.size());
  sodium_memzero(line.data(), line.size());
  if (!done) return done.error();
  return head + encode_base64(text);
}

int check_statement(const std::string& path, const std::string& signer, std::ostream& out,
                    std::ostream& err) {
  const auto key = parse_vkey(signer);
  if (!key) return complain(err, exit_usage, "--signer: " + signer_fault(signer, key.error().what));
  const auto bytes = read_argument(path, kMaxEnvelope);
  if (!bytes) return complain(err, exit_usage, "--check-attest: " + bytes.error().what);
  const auto opened = open_signed_statement(*bytes, *key);
  if (!opened)
    return complain(
        err, exit_usage,
        "--check-attest " + path +
            ": not a signed statement (DSSE) as --attest with --attest-key writes it: " +
            opened.error().what);
  if (!*opened)
    return complain(
        err, exit_not_verified,
        path + ": NOT signed by " + key->name + ": it was changed, or another key signed it");
  const auto statement = parse_foreign_json(**opened);
  if (!statement)
    return complain(err, exit_unverifiable, path + ": signed, but the statement cannot be read");
  out << "signed by " << printable(key->name, 300) << "\n";
  tell(*statement, out);
  const bool has_failed = statement->at("predicate").text_at("verificationResult") == "FAILED";
  if (has_failed) out << "The signature is right, and what is signed is that the check FAILED.\n";
  if (has_failed && statement->at("predicate").at("urn:ethos:verdict:1").at("exit").number() == exit_incomplete)
    out << "Nothing was found wrong: something is missing, or runs have no end (anywhere in the ledger, whatever the period). Such a summary knows PASSED and FAILED only.\n";
  return has_failed ? exit_incomplete : exit_verified;
}

}  // namespace ethos::verify
