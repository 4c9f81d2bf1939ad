// SPDX-License-Identifier: Apache-2.0
#include "ledger/revocation.h"

#include <array>
#include <charconv>
#include <span>
#include <vector>

#include "ledger/commit.h"
#include "ledger/keystore.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/signed_note.h"
#include "ledger/write_session.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::PublicKey;

constexpr std::string_view kFirstLine = "ethos/revoke/1";
constexpr std::int64_t kMaxLogBytes = std::int64_t{256} * 1024;

Result<PublicKey> root_key_of(WriteSession& session) {
  auto bytes = Store(session.database()).leaf_bytes(0);
  if (!bytes) return Unexpected(std::move(bytes).error());
  auto genesis = record::parse_record(*bytes);
  if (!genesis) return Unexpected(std::move(genesis).error());
  const std::string* vkey = genesis->body.find_string("root_vkey");
  if (vkey == nullptr) return fail(Errc::mismatch, "record 0 names no root key");
  return PublicKey::from_text(*vkey);
}

Result<void> check_fits(const Revocation& wanted, WriteSession& session) {
  if (wanted.origin != session.origin())
    return fail(Errc::mismatch, "revocation: of another ledger");
  if (wanted.revoked.text() != session.epoch_vkey())
    return fail(Errc::mismatch, "revocation: of another key than that of the present epoch");
  if (wanted.last_trusted > session.tail().frontier.size())
    return fail(Errc::mismatch, "revocation: trusts more records than there are");
  return {};
}

}  // namespace

std::string encode_revocation(const Revocation& r) {
  return std::string(kFirstLine) + "\n" + r.origin.text() + "\n" + r.revoked.text() + "\n" +
         r.next.text() + "\n" + std::to_string(r.last_trusted) + "\n" + std::to_string(r.time_ms) +
         "\n";
}

Result<Revocation> parse_revocation(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty() || lines.size() != 6 || lines[0] != kFirstLine)
    return fail(Errc::malformed, "revocation: not the six lines of one");
  auto origin = record::Origin::from_text(lines[1]);
  auto revoked = PublicKey::from_text(lines[2]);
  auto next = PublicKey::from_text(lines[3]);
  auto size = record::parse_size(lines[4]);
  if (!origin || !revoked || !next || !size || *size == 0)
    return fail(Errc::malformed, "revocation: a line is not of its form");
  std::int64_t time_ms = -1;
  const auto [end, ec] =
      std::from_chars(lines[5].data(), lines[5].data() + lines[5].size(), time_ms);
  if (ec != std::errc{} || end != lines[5].data() + lines[5].size() || time_ms < 0 ||
      std::to_string(time_ms) != lines[5]) {
    return fail(Errc::malformed, "revocation: the time is no number");
  }
  if (revoked->name() != origin->text() || next->name() != origin->text() || *revoked == *next)
    return fail(Errc::malformed, "revocation: keys of another ledger, or twice the same");
  return Revocation{*origin, *revoked, *next, *size, time_ms};
}

Result<Revocation> prepare_revocation(const LedgerFiles& files,
                                      std::optional<std::uint64_t> last_trusted,
                                      const base::Clock& clock) {
  auto session = WriteSession::open(files, {}, WriteSession::For::revocation);
  if (!session) return Unexpected(std::move(session).error());
  auto revoked = PublicKey::from_text(session->epoch_vkey());
  if (!revoked) return Unexpected(std::move(revoked).error());
  auto key = record::SigningKey::generate(session->origin().text());
  if (!key) return Unexpected(std::move(key).error());
  const std::uint64_t size = session->tail().frontier.size();
  Revocation out{session->origin(), *revoked, key->public_key(), last_trusted.value_or(size),
                 clock.now().wall_ms};
  if (out.last_trusted == 0 || out.last_trusted > size)
    return fail(Errc::usage, "--last-trusted: 1 to " + std::to_string(size));
  if (auto ok = session->keys().save(session->tail().epoch + 1, *key); !ok)
    return Unexpected(std::move(ok).error());
  return out;
}

Result<std::string> sign_revocation(const Revocation& revocation, const record::SigningKey& root) {
  if (root.public_key().name() != revocation.origin.root_key_name())
    return fail(Errc::mismatch, "the key is not the root key of " + revocation.origin.text());
  const std::array<const record::SigningKey*, 1> signers{&root};
  return record::sign_note(encode_revocation(revocation), signers);
}

Result<Committed> revoke(const LedgerFiles& files, const base::Clock& clock,
                         const std::string& note) {
  auto parsed = record::parse_note(note);
  if (!parsed) return Unexpected(std::move(parsed).error());
  auto revocation = parse_revocation(parsed->text);
  if (!revocation) return Unexpected(std::move(revocation).error());
  auto session = WriteSession::open(files, {}, WriteSession::For::revocation);
  if (!session) return Unexpected(std::move(session).error());
  auto root = root_key_of(*session);
  if (!root) return Unexpected(std::move(root).error());
  auto signer = record::verify_note(*parsed, std::span(&*root, 1));
  if (!signer) return Unexpected(std::move(signer).error().with_context("revocation"));
  if (parsed->signatures.size() != 1)
    return fail(Errc::mismatch, "revocation: more than the root key's signature");
  if (auto ok = check_fits(*revocation, *session); !ok) return Unexpected(std::move(ok).error());
  auto key = session->keys().load(session->tail().epoch + 1, revocation->next.text());
  if (!key) return Unexpected(std::move(key).error().with_context("the next epoch's key"));
  auto body = record::encode_canonical(record::Json::object().set("note", note));
  if (!body) return Unexpected(std::move(body).error());
  Commit commit(*session);
  const base::Timestamp now = clock.now();
  auto placed = commit.batch().add({"key.revoke", nullptr, std::move(*body), std::nullopt}, now);
  if (!placed) return Unexpected(std::move(placed).error());
  auto begun = commit.begin_epoch("revoked", now, std::move(*key), Commit::Secret::kept);
  if (!begun) return Unexpected(std::move(begun).error());
  auto out = commit.finish({}, kMaxLogBytes);
  if (out) out->records = {*placed};
  return out;
}

}  // namespace ethos::ledger
