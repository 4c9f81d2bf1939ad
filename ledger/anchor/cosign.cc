// SPDX-License-Identifier: Apache-2.0
#include "ledger/anchor/cosign.h"

#include <charconv>
#include <optional>

#include "ledger/database.h"
#include "ledger/record/node_collector.h"
#include "ledger/store.h"
#include "ledger/write_session.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxLines = 16;  // of one note
constexpr std::int64_t kMaxLogBytes = 262'144;
constexpr int kOk = 200;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kUnprocessable = 422;

// Sizes are decimal without leading zero.
std::optional<std::uint64_t> size_of(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  std::uint64_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  if (!is_number || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return out;
}

class Asking {
 public:
  Asking(const LedgerReader& reader, const WitnessPolicy& policy, const Poster& post,
         std::uint32_t timeout_seconds, const std::function<Result<void>()>& before_store)
      : reader_(reader),
        policy_(policy),
        post_(post),
        timeout_(timeout_seconds),
        before_store_(before_store) {
    out_.size = reader.size();
  }

  Result<CosignResult> run() {
    const StoredCheckpoint& head = reader_.tail();
    auto own = own_note(head.note, head.checkpoint.origin);
    if (!own) return Unexpected(std::move(own).error());
    own_ = std::move(*own);
    auto parsed = record::parse_note(head.note);
    if (!parsed) return Unexpected(std::move(parsed).error());
    text_ = std::move(parsed->text);
    auto kept = reader_.checkpoints();
    if (!kept) return Unexpected(std::move(kept).error());
    Result<void> verdict;
    for (const Witness& witness : policy_.witnesses()) {
      auto known = last_size(witness, *kept);
      if (!known) return Unexpected(std::move(known).error());
      if (*known == out_.size) {
        out_.cosigned.insert(witness.name);
        continue;
      }
      if (witness.url.empty()) {
        problem(witness, "has no URL in the policy");
        continue;
      }
      auto ok = ask(witness, *known);
      // The worst is told, after the others were asked too.
      if (!ok && verdict) verdict = std::move(ok);
    }
    if (!out_.lines.empty()) {
      if (before_store_) {
        if (auto ok = before_store_(); !ok) return Unexpected(std::move(ok).error());
      }
      if (auto ok = add_cosignatures(reader_.files(), out_.size, out_.lines); !ok)
        return Unexpected(std::move(ok).error());
    }
    if (!verdict) return Unexpected(std::move(verdict).error());
    out_.is_met = policy_.is_met(out_.cosigned);
    return std::move(out_);
  }

 private:
  void problem(const Witness& witness, const std::string& why) {
    out_.problems.push_back("witness " + witness.name + " " + why);
  }

  // The largest size that this witness cosigned, as far as the ledger knows.
  static Result<std::uint64_t> last_size(const Witness& witness,
                                         const std::vector<StoredCheckpoint>& kept) {
    for (auto at = kept.rbegin(); at != kept.rend(); ++at) {
      if (at->note.find(witness.key.key.name()) == std::string::npos) continue;
      auto note = record::parse_note(at->note);
      if (!note) return Unexpected(std::move(note).error());
      for (const record::NoteSignature& line : note->signatures)
        if (check_cosignature(line, note->text, witness.key)) return at->checkpoint.size;
    }
    return std::uint64_t{0};
  }

  Result<std::string> body_from(std::uint64_t old_size) {
    std::string body = "old " + std::to_string(old_size) + "\n";
    if (old_size > 0 && old_size < out_.size) {
      record::NodeCollector nodes;
      nodes.want_consistency(old_size, out_.size);
      auto ok = reader_.read_hashes(0, out_.size, [&](const StoredRecord& stored) {
        nodes.append(stored.leaf_hash);
        return true;
      });
      if (!ok) return Unexpected(std::move(ok).error());
      for (const record::Digest& hash : nodes.consistency(old_size, out_.size))
        body += hash.base64() + "\n";
    }
    return body + "\n" + own_;
  }

  Result<HttpAnswer> send(const Witness& witness, std::uint64_t old_size) {
    auto body = body_from(old_size);
    if (!body) return Unexpected(std::move(body).error());
    std::string url = witness.url;
    while (url.ends_with('/')) url.pop_back();
    return post_(
        {url + "/add-checkpoint", std::move(*body), "text/plain; charset=utf-8", timeout_});
  }

  // What the witness says against the ledger is an error; that it says nothing is a problem.
  Result<void> ask(const Witness& witness, std::uint64_t old_size) {
    auto answer = send(witness, old_size);
    if (answer && answer->status == kConflict) {
      const auto seen = answer->content_type.starts_with("text/x.tlog.size") ? size_of(answer->body)
                                                                             : std::nullopt;
      if (seen && *seen > out_.size) {
        return fail(Errc::behind, "witness " + witness.name + " saw " + std::to_string(*seen) +
                                      " records, and the ledger has " + std::to_string(out_.size) +
                                      ": it was rolled back");
      }
      if (!seen || *seen == old_size) return forked(witness, old_size);
      old_size = *seen;
      answer = send(witness, old_size);
      if (answer && answer->status == kConflict) return forked(witness, old_size);
    }
    if (!answer) {
      problem(witness, "was not reached: " + answer.error().message());
      return {};
    }
    if (answer->status == kUnprocessable) return forked(witness, old_size);
    if (answer->status != kOk) {
      problem(witness, answer->status == kNotFound ? "does not know this ledger's origin"
                       : answer->status == kForbidden
                           ? "knows no key that signed this checkpoint"
                           : "answered " + std::to_string(answer->status));
      return {};
    }
    take(witness, answer->body);
    return {};
  }

  static base::Unexpected forked(const Witness& witness, std::uint64_t old_size) {
    return fail(Errc::mismatch,
                "witness " + witness.name + " saw another history of the first " +
                    std::to_string(old_size) +
                    " records: a fork (compare its checkpoint with: ethos-ledger fork)");
  }

  void take(const Witness& witness, const std::string& body) {
    // The lines are judged as part of the note they are for.
    auto note = record::parse_note(own_ + body);
    if (!note || note->text != text_) {
      problem(witness, "answered with something that is no signature line");
      return;
    }
    std::size_t at = 0;
    for (const record::NoteSignature& line : note->signatures) {
      const std::string_view all = std::string_view(own_).substr(own_.rfind("\n\n") + 2);
      const std::string joined = std::string(all) + body;
      const std::size_t end = joined.find('\n', at);
      const std::string exact = joined.substr(at, end + 1 - at);
      at = end + 1;
      auto time = check_cosignature(line, text_, witness.key);
      if (time) {
        out_.lines.push_back(exact);
        out_.cosigned.insert(witness.name);
        return;
      }
      if (time.error().code == Errc::mismatch) {
        problem(witness, "answered with a signature that does not verify");
        return;
      }
    }
    problem(witness, "answered without a signature of its key");
  }

  const LedgerReader& reader_;
  const WitnessPolicy& policy_;
  const Poster& post_;
  std::uint32_t timeout_;
  const std::function<Result<void>()>& before_store_;
  std::string own_;
  std::string text_;
  CosignResult out_;
};

}  // namespace

Result<CosignResult> cosign(const LedgerReader& reader, const WitnessPolicy& policy,
                            const Poster& post, std::uint32_t timeout_seconds,
                            const std::function<Result<void>()>& before_store) {
  if (auto ok = reader.check_not_behind(); !ok) return Unexpected(std::move(ok).error());
  return Asking(reader, policy, post, timeout_seconds, before_store).run();
}

Result<void> add_cosignatures(const LedgerFiles& files, std::uint64_t size,
                              const std::vector<std::string>& lines) {
  // Nothing is signed: the epoch's secret is not needed.
  auto session = WriteSession::open(files, {}, WriteSession::For::revocation);
  if (!session) return Unexpected(std::move(session).error());
  auto note = session->store().note_at(size);
  if (!note) return Unexpected(std::move(note).error());
  if (note->empty()) return fail(Errc::mismatch, "checkpoint " + std::to_string(size) + " is gone");
  std::string grown = *note;
  for (const std::string& line : lines)
    if (grown.find(line) == std::string::npos) grown += line;
  if (grown == *note) return {};
  auto row = parse_note_row(grown, size);
  if (!row) return Unexpected(std::move(row).error());
  if (row->signed_note.signatures.size() > kMaxLines)
    return fail(Errc::refused, "checkpoint " + std::to_string(size) + " has 16 signatures already");
  auto transaction = Transaction::begin(session->database());
  if (!transaction) return Unexpected(std::move(transaction).error());
  Result<void> ok;
  {
    auto update = session->database().prepare("UPDATE main.checkpoint SET note=?1 WHERE size=?2");
    if (!update) return Unexpected(std::move(update).error());
    ok = update->bind(1, base::as_bytes(grown));
    if (ok) ok = update->bind(2, static_cast<std::int64_t>(size));
    if (ok) ok = update->run();
  }
  if (ok) ok = transaction->commit();
  if (!ok) return ok;
  const bool is_last = size == session->tail().last.checkpoint.size;
  session->settle(is_last ? grown : session->tail().last.note, kMaxLogBytes);
  return {};
}

}  // namespace ethos::ledger
