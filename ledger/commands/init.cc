// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "ledger/appender.h"
#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/commands/actions.h"
#include "ledger/create.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "ledger/recovery.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

Result<CreateOptions> creation_of(const InitOptions& options) {
  CreateOptions out;
  // A whole origin is taken as it is, anything else is the name in front of a new one.
  if (auto whole = record::Origin::from_text(options.origin); whole) {
    out.origin = *whole;
  } else {
    out.origin_name = options.origin.empty() ? default_origin_name() : options.origin;
    if (!record::is_origin_name(out.origin_name)) {
      return fail(Errc::usage,
                  "--origin: up to 128 of letters, digits and . _ / -, first a letter or digit");
    }
  }
  if (options.root_vkey.empty()) return out;
  auto key = record::PublicKey::from_text(options.root_vkey);
  if (!key) return fail(Errc::usage, "--root-vkey: " + key.error().message());
  constexpr std::string_view kSuffix = "/root";
  const std::string_view name = key->name();
  auto origin = name.ends_with(kSuffix)
                    ? record::Origin::from_text(name.substr(0, name.size() - kSuffix.size()))
                    : Result<record::Origin>(fail(Errc::malformed, "name does not end in /root"));
  if (!origin) {
    return fail(Errc::usage, "--root-vkey: its name must be <name>/ethos/<26 characters>/root");
  }
  const bool is_other = out.origin ? *out.origin != *origin
                                   : !options.origin.empty() && options.origin != origin->name();
  if (is_other) return fail(Errc::usage, "--root-vkey is of another origin than --origin");
  out.origin = *origin;
  out.root_key = *key;
  return out;
}

void say_pin(const record::Pin& pin, const Console& console) {
  console.say("pin fingerprint " + record::pin_fingerprint(pin));
}

// The file that was asked for, not yet in its place; none for standard output.
Result<std::optional<base::PendingFile>> pin_file(const std::string& path) {
  std::optional<base::PendingFile> out;
  if (path.empty() || path == "-") return out;
  auto file = base::PendingFile::create(path, {});
  if (!file) return Unexpected(std::move(file).error());
  out.emplace(std::move(*file));
  return out;
}

Result<void> hand_out(const record::Pin& pin, std::optional<base::PendingFile>& file,
                      const Console& console) {
  const std::string text = record::encode_pin(pin);
  if (!file) {
    console.out << text;
    return {};
  }
  auto ok = file->write(base::as_bytes(text));
  return ok ? file->commit() : std::move(ok);
}

void say_root_key(const std::string& path, const Console& console) {
  console.say("root key online: move " + path + " to a safe place off this machine");
}

Result<record::Pin> read_pin(const LedgerReader& reader) {
  auto bytes = reader.record_bytes(0);
  if (!bytes) return Unexpected(std::move(bytes).error());
  auto genesis = record::parse_record(*bytes);
  if (!genesis) return Unexpected(std::move(genesis).error().with_context("record 0"));
  const std::string* vkey = genesis->body.find_string("root_vkey");
  if (genesis->header.type != "ledger.genesis" || vkey == nullptr) {
    return fail(Errc::mismatch, "record 0 is not a genesis record");
  }
  auto root = record::PublicKey::from_text(*vkey);
  if (!root) return Unexpected(std::move(root).error());
  return record::Pin{genesis->header.ledger, record::leaf_hash(base::as_bytes(*bytes)), *root,
                     std::nullopt};
}

// Size and root, and which records may never be dropped: of those the hashes would stay and nothing
// would say what they had been.
Result<record::Pin::Minimum> minimum_of(const LedgerReader& reader) {
  record::Pin::Minimum out{reader.size(), reader.tail().checkpoint.root};
  record::Pin::Minimum::Kept kept;
  std::map<std::string, std::uint64_t, std::less<>> open;
  auto ok = reader.read(0, reader.size(), [&](const StoredRecord& stored) {
    if (stored.view.run.empty()) kept.add(stored.seq);
    if (stored.view.type == "run.open") open.try_emplace(std::string(stored.view.run), stored.seq);
    if (stored.view.type == "run.close" || stored.view.type == "run.abort") {
      if (auto ended = open.find(stored.view.run); ended != open.end()) open.erase(ended);
    }
    out.is_sealed = stored.view.type == "ledger.seal";
    return true;
  });
  if (!ok) return Unexpected(std::move(ok).error());
  out.kept = kept;
  if (open.size() > record::Pin::Minimum::kMaxOpen) return out;
  out.open.emplace();
  for (const auto& [run, seq] : open) out.open->push_back(seq);
  std::sort(out.open->begin(), out.open->end());
  return out;
}

}  // namespace

Result<void> init(const InitOptions& options, const Console& console) {
  auto creation = creation_of(options);
  if (!creation) return Unexpected(std::move(creation).error());
  if (!options.agent_key.empty()) {
    auto key = read_ssh_key(options.agent_key);
    if (!key) return Unexpected(std::move(key).error());
    creation->agent_key = *key;
  }
  if (!options.continues.empty()) {
    auto previous = LedgerReader::open(LedgerFiles::at(options.continues));
    if (!previous) return Unexpected(std::move(previous).error().with_context("--continues"));
    creation->previous = previous->tail().checkpoint;
  }
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  const base::SplitPath split = base::split_path(options.files.database);
  if (auto ok = base::make_directories(split.parent, 0700); !ok)
    return Unexpected(std::move(ok).error());
  // Before the ledger: a place that cannot be written must not cost a second try.
  auto file = pin_file(options.out);
  if (!file) return Unexpected(std::move(file).error());
  auto created = create_ledger(options.files, *creation, *clock);
  if (!created) return Unexpected(std::move(created).error());
  if (auto ok = hand_out(created->pin, *file, console); !ok) return ok;
  console.say("made " + options.files.database + ", keys in " + options.files.keys);
  say_pin(created->pin, console);
  if (created->root_key_file) say_root_key(*created->root_key_file, console);
  return {};
}

Result<void> pin(const PinOptions& options, const Console& console) {
  const LedgerFiles& files = options.files;
  auto reader = LedgerReader::open(files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto read = read_pin(*reader);
  if (!read) return Unexpected(std::move(read).error());
  if (options.with_minimum) {
    if (auto ok = reader->check_not_behind(); !ok) return ok;
    auto minimum = minimum_of(*reader);
    if (!minimum) return Unexpected(std::move(minimum).error());
    read->minimum = std::move(*minimum);
  }
  auto file = pin_file(options.out);
  if (!file) return Unexpected(std::move(file).error());
  if (auto ok = hand_out(*read, *file, console); !ok) return ok;
  say_pin(*read, console);
  struct stat st {};
  if (::lstat(files.root_key().c_str(), &st) == 0) say_root_key(files.root_key(), console);
  return {};
}

Result<void> recover(const LedgerFiles& files, const Console& console) {
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto appender = Appender::open(files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  auto aborted = recover_runs(*appender, DeadRuns::all);
  if (!aborted) return Unexpected(std::move(aborted).error());
  for (const record::RunId& run : *aborted) console.out << run.text() << "\n";
  console.say(std::to_string(aborted->size()) + " runs recorded as aborted");
  return {};
}

}  // namespace ethos::ledger
