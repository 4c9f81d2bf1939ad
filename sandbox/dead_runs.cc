// SPDX-License-Identifier: Apache-2.0
#include "sandbox/dead_runs.h"

#include <filesystem>
#include <ostream>

#include "ledger/base/file_lock.h"
#include "ledger/recovery.h"
#include "sandbox/cage.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;

std::string journal_of(const ledger::LedgerFiles& files, const std::string& run) {
  return files.runs() + "/" + run + ".journal";
}

// Before the runs are ended in the ledger.
Result<void> undo_dead_commits(const ledger::LedgerFiles& files, std::ostream& err) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(files.runs(), error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kSuffix = ".journal";
    if (!name.ends_with(kSuffix)) continue;
    // RUN.journal, RUN.1.journal, ...: one a grant.
    const std::string run_file = files.runs() + "/" + name.substr(0, name.find('.'));
    // Whoever can lock the run's file, or finds none, knows that its runner is gone.
    auto lock = base::FileLock::create(run_file, base::LockKind::exclusive, base::IfBusy::give_up);
    if (!lock && lock.error().code == Errc::busy) continue;
    if (!lock) return base::Unexpected(std::move(lock).error());
    auto undone = roll_back_commit(entry.path().string());
    if (!undone) {
      // The place may be gone for ever; one dead run must not stop every later one.
      err << "ethos-run: what a dead run had half brought out could not be undone: "
          << undone.error().message() << '\n';
      std::filesystem::rename(entry.path(), entry.path().string() + ".failed", error);
      continue;
    }
    if (*undone > 0)
      err << "ethos-run: undid " << *undone << " changes that a dead run had half brought out\n";
  }
  return {};
}

Result<void> end_dead_runs(ledger::Appender& appender, bool is_quiet, std::ostream& err) {
  if (auto undone = undo_dead_commits(appender.files(), err); !undone) return undone;
  auto ended = ledger::recover_runs(appender);
  if (!ended) {
    return base::Unexpected(std::move(ended).error().with_context("end the runs that died"));
  }
  if (is_quiet) return {};
  for (const record::RunId& dead : *ended) {
    err << "ethos-run: run " << dead.text() << " had died without an end; run.abort says so now\n";
  }
  return {};
}

}  // namespace ethos::sandbox
