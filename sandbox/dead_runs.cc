// SPDX-License-Identifier: Apache-2.0
#include "sandbox/dead_runs.h"

#include <filesystem>
#include <map>
#include <ostream>
#include <vector>

#include "ledger/base/file_lock.h"
#include "ledger/recovery.h"
#include "ledger/run_lock.h"
#include "sandbox/cage.h"
#include "sandbox/shown_text.h"

namespace ethos::sandbox {

using base::Errc;
using base::Result;

std::string journal_of(const ledger::LedgerFiles& files, const std::string& run) {
  return files.runs() + "/" + run + ".journal";
}

namespace {

// What one journal of a dead run still asks for.
void end_commit(const std::string& journal, bool is_decided, std::ostream& err) {
  auto ended = is_decided ? complete_commit(journal) : roll_back_commit(journal);
  if (!ended) {
    // The place may be gone for ever; one dead run must not stop every later one.
    err << "ethos-run: what a dead run had half brought out could not be "
        << (is_decided ? "completed: " : "undone: ")
        << shown_word(ended.error().message(), kShownMessage) << '\n';
    std::error_code error;
    std::filesystem::rename(journal, journal + ".failed", error);
  } else if (*ended > 0) {
    err << "ethos-run: " << (is_decided ? "completed " : "undid ") << *ended
        << " changes that a dead run had half brought out\n";
  }
}

}  // namespace

// Before the runs are ended in the ledger.
Result<void> undo_dead_commits(const ledger::LedgerFiles& files, std::ostream& err) {
  std::error_code error;
  std::map<std::string, std::vector<std::string>> journals;  // by run
  // By hand: the loop's own step would throw when a directory cannot be read to its end.
  for (std::filesystem::directory_iterator at(files.runs(), error), end; !error && at != end;
       at.increment(error)) {
    const auto& entry = *at;
    const std::string name = entry.path().filename().string();
    const std::string run = name.substr(0, name.find('.'));
    // RUN.journal, RUN.1.journal, ...: one a grant; RUN.journal.decided for all of them.
    if (name.ends_with(".journal")) {
      journals[run].push_back(entry.path().string());
    } else if (name.ends_with(".journal.decided")) {
      journals[run];
    }
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return base::fail_errno(files.runs(), error.value());
  for (const auto& [run, paths] : journals) {
    // Whoever can lock the run's file, or finds none, knows that its runner is gone.
    auto lock = base::FileLock::create(files.runs() + "/" + run, base::LockKind::exclusive,
                                       base::IfBusy::give_up);
    if (!lock && lock.error().code == Errc::busy) continue;
    if (!lock) return base::Unexpected(std::move(lock).error());
    const std::string decision = decision_of(journal_of(files, run));
    const bool is_decided = std::filesystem::exists(decision, error);
    for (const std::string& journal : paths) end_commit(journal, is_decided, err);
    if (is_decided) std::filesystem::remove(decision, error);
  }
  return {};
}

Result<void> end_dead_runs(ledger::Appender& appender, bool is_quiet, std::ostream& err) {
  if (!ledger::has_run_files(appender.files())) return {};
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
