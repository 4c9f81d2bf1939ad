// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "ledger/appender.h"
#include "ledger/base/file_io.h"
#include "ledger/base/random.h"
#include "ledger/commands/actions.h"
#include "ledger/create.h"
#include "ledger/fork.h"
#include "ledger/keystore.h"
#include "ledger/printable.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/record/sealed_key.h"
#include "ledger/record/signed_note.h"
#include "ledger/revocation.h"
#include "ledger/seal.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxTextBytes = 65'536;

std::string source_of(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

// To the file, or to standard output.
Result<void> write_text(const std::string& path, const std::string& text, const Console& console) {
  if (path.empty()) {
    console.out << text;
    return {};
  }
  return base::replace_file(path, base::as_bytes(text), {});
}

void say_warnings(const Committed& committed, const Console& console) {
  for (const std::string& warning : committed.warnings) console.say("warning: " + warning);
}

Result<void> tell_epoch(const LedgerFiles& files, std::uint64_t seq, bool as_json,
                        const Console& console) {
  auto reader = LedgerReader::open(files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto bytes = reader->record_bytes(seq);
  if (!bytes) return Unexpected(std::move(bytes).error());
  auto parsed = record::parse_record(*bytes);
  if (!parsed) return Unexpected(std::move(parsed).error());
  if (as_json) {
    auto text = record::encode_canonical(parsed->body);
    if (!text) return Unexpected(std::move(text).error());
    console.out << *text << "\n";
    return {};
  }
  console.out << "epoch " << parsed->body.find("epoch")->as_integer() << " began with record "
              << parsed->header.seq << "\n"
              << *parsed->body.find_string("vkey") << "\n";
  return {};
}

Result<void> finish_revocation(const RevokeCommand& command, const base::Clock& clock,
                               const std::string& note, const Console& console) {
  auto done = revoke(command.files, clock, note);
  if (!done) return Unexpected(std::move(done).error());
  say_warnings(*done, console);
  console.say("the key of the present epoch is revoked by record " +
              std::to_string(done->records.front().seq));
  return tell_epoch(command.files, done->records.front().seq + 1, false, console);
}

}  // namespace

Result<RawPublicKey> read_ssh_key(const std::string& path) {
  auto line = base::read_file(path, kMaxTextBytes);
  if (!line) return Unexpected(std::move(line).error());
  auto key = parse_ssh_public_key(*line);
  if (!key) return Unexpected(std::move(key).error().with_context(path));
  return key;
}

Result<void> rotate(const RotateCommand& command, const Console& console) {
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto appender = Appender::open(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  auto committed = [&]() -> Result<Committed> {
    if (command.agent_key.empty()) return appender->rotate(RotateReason::command);
    auto key = read_ssh_key(command.agent_key);
    if (!key) return Unexpected(std::move(key).error());
    return appender->rotate_to_agent(*key);
  }();
  if (!committed) return Unexpected(std::move(committed).error());
  say_warnings(*committed, console);
  return tell_epoch(command.files, committed->records.front().seq, command.as_json, console);
}

Result<void> revoke(const RevokeCommand& command, const Console& console) {
  const int ways = (command.prepares ? 1 : 0) + (command.note.empty() ? 0 : 1) +
                   (command.root_key.empty() ? 0 : 1);
  if (ways != 1) return fail(Errc::usage, "revoke: give one of --prepare, --note, --root-key");
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  if (!command.note.empty()) {
    auto note = base::read_file(source_of(command.note), kMaxTextBytes);
    if (!note) return Unexpected(std::move(note).error());
    return finish_revocation(command, *clock, *note, console);
  }
  auto root = command.prepares
                  ? Result<record::SigningKey>(fail(Errc::not_found, ""))
                  : read_secret_key(command.root_key, command.files.access.passphrase.get());
  if (!command.prepares && !root) return Unexpected(std::move(root).error());
  auto revocation = prepare_revocation(command.files, command.last_trusted, *clock);
  if (!revocation) return Unexpected(std::move(revocation).error());
  if (command.prepares) {
    console.say(
        "have this signed where the root key is: ethos-ledger sign-revocation --root-key F");
    return write_text(command.out, encode_revocation(*revocation), console);
  }
  auto note = sign_revocation(*revocation, *root);
  if (!note) return Unexpected(std::move(note).error());
  return finish_revocation(command, *clock, *note, console);
}

Result<void> sign_revocation(const SignCommand& command, const Console& console) {
  auto text = base::read_file(source_of(command.in), kMaxTextBytes);
  if (!text) return Unexpected(std::move(text).error());
  auto revocation = parse_revocation(*text);
  if (!revocation) return Unexpected(std::move(revocation).error());
  auto root = read_secret_key(command.root_key, command.files.access.passphrase.get());
  if (!root) return Unexpected(std::move(root).error());
  auto note = sign_revocation(*revocation, *root);
  if (!note) return Unexpected(std::move(note).error());
  console.say("revokes " + revocation->revoked.text() + " above record count " +
              std::to_string(revocation->last_trusted) + "; next is " + revocation->next.text());
  return write_text(command.out, *note, console);
}

Result<void> new_root(const NewRootCommand& command, const Console& console) {
  auto whole = record::Origin::from_text(command.origin);
  auto origin = whole ? whole : record::Origin::make(command.origin, base::random_bytes<16>());
  if (!origin) return fail(Errc::usage, "--origin: " + origin.error().message());
  auto key = record::SigningKey::generate(origin->root_key_name());
  if (!key) return Unexpected(std::move(key).error());
  auto text = secret_file_text(*key, command.files.access);
  if (!text) return Unexpected(std::move(text).error());
  if (auto ok = base::create_file(command.out, text->bytes(), 0600); !ok) return ok;
  console.out << key->public_key().text() << "\n";
  console.say("wrote " + command.out + "; make the ledger with --root-vkey and the line above");
  return {};
}

Result<void> seal_key(const SealKeyCommand& command, const Console& console) {
  const auto& passphrase = command.files.access.passphrase;
  if (passphrase == nullptr)
    return fail(Errc::usage, "give --passphrase, --passphrase-file or --passphrase-fd");
  // A plain file takes no passphrase to read, a sealed one does.
  auto key = read_secret_key(command.key_file, command.unseals ? passphrase.get() : nullptr);
  if (!key) return Unexpected(std::move(key).error());
  auto text = secret_file_text(*key, command.unseals ? KeyAccess() : command.files.access);
  if (!text) return Unexpected(std::move(text).error());
  base::ReplaceOptions options;
  options.mode = 0600;
  if (auto ok = base::replace_file(command.key_file, text->bytes(), options); !ok) return ok;
  console.say(command.key_file + (command.unseals ? ": is plain now" : ": is sealed now") +
              "; the disk may still hold the old bytes");
  return {};
}

Result<void> seal(const SealCommand& command, const Console& console) {
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto appender = Appender::open(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  auto done = seal(*appender, {command.reason, command.authority},
                   command.with_open_runs ? OpenRuns::accept : OpenRuns::refuse);
  if (!done) return Unexpected(std::move(done).error());
  console.out << done->checkpoint_note;
  console.say("sealed with record " + std::to_string(done->records.front().seq) +
              "; keep the checkpoint above elsewhere");
  say_warnings(*done, console);
  return {};
}

Result<void> fork(const ForkCommand& command, const Console& console) {
  auto note = base::read_file(source_of(command.note), record::kMaxNoteBytes);
  if (!note) return Unexpected(std::move(note).error());
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto compared = compare_checkpoint(*reader, *note);
  if (!compared) return Unexpected(std::move(compared).error());
  const std::string size = std::to_string(compared->size);
  switch (compared->outcome) {
    case Comparison::Outcome::consistent:
      console.say("consistent: the ledger's first " + size + " records are what it signs");
      return {};
    case Comparison::Outcome::ahead:
      return fail(Errc::behind, "the checkpoint covers " + size + " records and the ledger has " +
                                    std::to_string(reader->size()) +
                                    ": the ledger was rolled back or cut");
    case Comparison::Outcome::fork:
      break;
  }
  // The two notes convict whoever holds the key, without this program.
  console.out << *note << "\n" << compared->ours;
  return fail(Errc::mismatch, "fork: two signed histories of " + size +
                                  " records; both notes are on standard output, keep them");
}

}  // namespace ethos::ledger
