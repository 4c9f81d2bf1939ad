// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <ostream>
#include <set>

#include "ledger/base/file_io.h"
#include "ledger/commands/actions.h"
#include "ledger/commands/check_range.h"
#include "ledger/commands/find_run.h"
#include "ledger/export/ocsf.h"
#include "ledger/export/statements.h"
#include "ledger/keystore.h"
#include "ledger/record/dsse.h"
#include "ledger/record/record_types.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// Lines to a new file that is renamed into place, or to standard output.
class LineOutput {
 public:
  static Result<LineOutput> open(const std::string& path, const Console& console) {
    LineOutput out(console);
    if (path.empty() || path == "-") return out;
    auto file = base::PendingFile::create(path, {});
    if (!file) return Unexpected(std::move(file).error());
    out.file_.emplace(std::move(*file));
    return out;
  }
  Result<void> line(const std::string& text) {
    ++lines_;
    if (file_) return file_->write(base::as_bytes(text + "\n"));
    console_->out << text << "\n";
    return console_->out.good() ? Result<void>() : fail(Errc::io, "standard output");
  }
  Result<void> finish() { return file_ ? file_->commit() : Result<void>(); }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  explicit LineOutput(const Console& console) : console_(&console) {}
  const Console* console_;
  std::optional<base::PendingFile> file_;
  std::uint64_t lines_ = 0;
};

// A key that may sign statements: never one that signs checkpoints or revocations (K-4, K-5).
Result<record::SigningKey> read_signer(const std::string& path, const std::string& origin) {
  if (path.empty())
    return fail(Errc::usage, "--format dsse: --key is required (make one with: ethos-report key)");
  auto key = read_secret_key(path, nullptr);
  if (!key) return Unexpected(std::move(key).error().with_context("--key"));
  const std::string& name = key->public_key().name();
  if (name == origin || name == origin + "/root") {
    return fail(Errc::refused, "--key: " + path +
                                   " is a key of the ledger, which signs nothing but checkpoints "
                                   "or revocations");
  }
  return key;
}

using Stories = std::map<std::string, RunStory, std::less<>>;

// The runs whose end lies in [from, to) and whose beginning lies before it.
Result<std::set<std::string, std::less<>>> begun_before(const LedgerReader& reader,
                                                        std::uint64_t from, std::uint64_t to,
                                                        const std::string& only) {
  std::set<std::string, std::less<>> begun;
  std::set<std::string, std::less<>> out;
  auto ok = reader.read(from, to, [&](const StoredRecord& stored) {
    if (stored.view.run.empty() || (!only.empty() && stored.view.run != only)) return true;
    if (stored.view.type == "run.open") {
      begun.emplace(stored.view.run);
    } else if (record::is_run_end(stored.view.type)) {
      const auto here = begun.find(stored.view.run);
      if (here == begun.end()) out.emplace(stored.view.run);
      if (here != begun.end()) begun.erase(here);
    }
    return true;
  });
  if (!ok) return Unexpected(std::move(ok).error());
  return out;
}

// Calls `put` with each run that ended in the range, in the order of their ends. What such a run
// did before the range is read as well: of two exports that follow each other one tells it.
template <typename Put>
Result<void> each_run(const LedgerReader& reader, const ExportCommand& command,
                      const std::string& only, const Put& put) {
  const std::uint64_t to = command.to.value_or(reader.size());
  Stories stories;
  Result<void> result;
  if (command.from > 0) {
    const auto early = begun_before(reader, command.from, to, only);
    if (!early) return Unexpected(early.error());
    if (!early->empty()) {
      auto ok = reader.read(0, command.from, [&](const StoredRecord& stored) {
        if (!early->contains(stored.view.run)) return true;
        result = take_record(stories[std::string(stored.view.run)], stored);
        return result.has_value();
      });
      if (!ok || !result) return ok ? std::move(result) : std::move(ok);
    }
  }
  auto ok = reader.read(command.from, to, [&](const StoredRecord& stored) {
    if (stored.view.run.empty() || (!only.empty() && stored.view.run != only)) return true;
    auto known = stories.find(stored.view.run);
    if (known == stories.end()) {
      // After its end (`sarif.written`).
      if (stored.view.type != "run.open") return true;
      known = stories.try_emplace(std::string(stored.view.run)).first;
    }
    result = take_record(known->second, stored);
    if (result && record::is_run_end(stored.view.type)) {
      result = put(known->second);
      stories.erase(known);
    }
    return result.has_value();
  });
  return ok ? std::move(result) : std::move(ok);
}

Result<void> export_dsse(const LedgerReader& reader, const ExportCommand& command,
                         const std::string& only, LineOutput& out) {
  const record::Checkpoint& head = reader.tail().checkpoint;
  auto key = read_signer(command.key, head.origin);
  if (!key) return Unexpected(std::move(key).error());
  return each_run(reader, command, only, [&](const RunStory& story) {
    auto ok = out.line(
        record::sign_envelope(record::kInTotoType, runtime_trace_statement(story, head), *key));
    if (!ok) return ok;
    return out.line(
        record::sign_envelope(record::kInTotoType, test_result_statement(story, head), *key));
  });
}

Result<void> export_ocsf(const LedgerReader& reader, const ExportCommand& command,
                         const std::string& only, LineOutput& out) {
  Result<void> result;
  auto ok = reader.read(
      command.from, command.to.value_or(reader.size()), [&](const StoredRecord& stored) {
        if (!only.empty() && stored.view.run != only) return true;
        auto event = ocsf_event(stored);
        if (!event) {
          result = Unexpected(
              std::move(event).error().with_context("record " + std::to_string(stored.seq)));
          return false;
        }
        result = out.line(*event);
        return result.has_value();
      });
  return ok ? std::move(result) : std::move(ok);
}

}  // namespace

Result<void> export_records(const ExportCommand& command, const Console& console) {
  const bool is_dsse = command.format == "dsse";
  if (!is_dsse && command.format != "ocsf") return fail(Errc::usage, "--format: dsse or ocsf");
  if (!is_dsse && !command.key.empty()) return fail(Errc::usage, "--key: only with --format dsse");
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = reader->check_not_behind(); !ok) return ok;
  if (auto ok = check_range(command.from, command.to, reader->size()); !ok) return ok;
  std::string only;
  if (!command.run.empty()) {
    auto run = find_run(*reader, command.run);
    if (!run) return Unexpected(std::move(run).error());
    only = run->text();
  }
  auto out = LineOutput::open(command.out, console);
  if (!out) return Unexpected(std::move(out).error());
  auto ok = is_dsse ? export_dsse(*reader, command, only, *out)
                    : export_ocsf(*reader, command, only, *out);
  if (ok) ok = out->finish();
  if (!ok) return ok;
  console.say("wrote " + std::to_string(out->lines()) + (is_dsse ? " envelopes" : " events") +
              "; go on with --from " + std::to_string(command.to.value_or(reader->size())));
  return {};
}

}  // namespace ethos::ledger
