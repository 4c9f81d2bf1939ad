// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include "ledger/base/file_io.h"
#include "ledger/base/file_lock.h"
#include "ledger/base/paths.h"
#include "ledger/dead_cgroup.h"
#include "ledger/reader.h"
#include "sandbox/dead_runs.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;
using base::Unexpected;

namespace {

// $XDG_STATE_HOME/ethos/served, else ~/.local/state/ethos/served.
Result<ledger::LedgerFiles> own_files() {
  const auto environment = ledger::process_environment();
  auto state = environment("XDG_STATE_HOME");
  if (!state || !state->starts_with('/')) {
    const auto home = environment("HOME");
    if (!home || !home->starts_with('/'))
      return base::fail(Errc::not_found, "HOME is not set: no place for the run's own files");
    state = *home + "/.local/state";
  }
  const std::string directory = *state + "/ethos";
  if (auto made = base::make_directories(directory, 0700); !made)
    return Unexpected(std::move(made).error());
  return ledger::LedgerFiles::at(directory + "/served");
}

// Lock files of runs that died: the service ends those runs, the files are ours.
void remove_dead_locks(const ledger::LedgerFiles& files) {
  ledger::remove_unfinished_run_files(files);
  auto runs = ledger::list_run_files(files);
  if (!runs) return;
  for (const record::RunId& run : *runs) {
    const std::string path = files.runs() + "/" + run.text();
    auto fd = base::open_path(path, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (!fd) continue;
    auto lock = base::FileLock::take(std::move(*fd), base::LockKind::exclusive,
                                     base::IfBusy::give_up, path);
    if (!lock) continue;
    const auto text = base::read_fd(lock->fd(), ledger::kMaxRunFileBytes, path);
    if (text) ledger::remove_dead_cgroups(lock->fd().get(), ledger::parse_run_file(*text).cgroups);
    ::unlink(path.c_str());
  }
}

}  // namespace

Result<RunSink> RunSink::open(ReadyLedger ledger, const base::Clock& clock, bool is_quiet,
                              std::ostream& err) {
  if (!ledger.service) {
    auto appender = ledger::Appender::open(ledger.files, clock);
    if (!appender) return Unexpected(std::move(appender).error());
    if (auto ended = end_dead_runs(*appender, is_quiet, err); !ended)
      return Unexpected(std::move(ended).error());
    const ledger::LedgerFiles files = ledger.files;
    RunSink out(std::move(ledger), files);
    out.appender_.emplace(std::move(*appender));
    out.appender_->keep_connection();
    return out;
  }
  auto files = own_files();
  if (!files) return Unexpected(std::move(files).error());
  if (auto undone = undo_dead_commits(*files, err); !undone)
    return Unexpected(std::move(undone).error());
  remove_dead_locks(*files);
  return RunSink(std::move(ledger), std::move(*files));
}

Result<record::RunId> RunSink::begin() {
  auto run = ledger_.service ? ledger_.service->begin_run()
                             : Result<record::RunId>(record::RunId::random());
  if (!run) return run;
  auto lock = ledger::RunLock::create(local_, *run);
  if (!lock) return Unexpected(std::move(lock).error());
  lock_.emplace(std::move(*lock));
  run_ = *run;
  return run;
}

Result<void> RunSink::finish() {
  auto done = ledger_.service ? ledger_.service->finish_run() : Result<void>();
  auto removed = lock_->finish();
  if (appender_) appender_->leave_open();
  return done ? std::move(removed) : std::move(done);
}

ledger::RecordSink& RunSink::records() {
  if (ledger_.service) return *ledger_.service;
  return *appender_;
}

std::string RunSink::journal() const { return journal_of(local_, run_->text()); }

Result<std::string> RunSink::read(const std::vector<std::uint64_t>& sequences, const Take& take) {
  if (!ledger_.service) return read_direct(sequences, take);
  auto done = ledger_.service->read_records(sequences, take);
  if (!done) return Unexpected(std::move(done).error());
  return ledger_.service->origin();
}

Result<std::string> RunSink::read_direct(const std::vector<std::uint64_t>& sequences,
                                         const Take& take) const {
  auto reader = ledger::LedgerReader::open(ledger_.files);
  if (!reader) return Unexpected(std::move(reader).error());
  std::size_t next = 0;
  auto read = reader->read(sequences.front(), sequences.back() + 1,
                           [&](const ledger::StoredRecord& record) {
                             if (next >= sequences.size() || record.seq != sequences[next])
                               return true;
                             return take(record.bytes) && ++next < sequences.size();
                           });
  if (!read) return Unexpected(std::move(read).error());
  return reader->tail().checkpoint.origin;
}

}  // namespace ethos::sandbox
