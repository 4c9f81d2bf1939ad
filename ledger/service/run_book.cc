// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/run_book.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"
#include "ledger/dead_cgroup.h"
#include "ledger/reader.h"
#include "ledger/record/record_types.h"
#include "ledger/run_lock.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

record::Digest hash_of(const Token& token) { return record::sha256(token); }

// When a process began, in clock ticks since boot (proc(5), stat field 22).
std::optional<std::uint64_t> start_of(std::uint32_t pid) {
  if (pid == 0) return std::nullopt;
  auto text = base::read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  // The name in parentheses may hold anything; the fields behind the last one are numbers.
  const std::size_t at = text ? text->rfind(") ") : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  std::istringstream fields(text->substr(at + 2));
  std::string field;
  for (int i = 3; i <= 22; ++i)
    if (!(fields >> field)) return std::nullopt;
  std::uint64_t out = 0;
  const auto [end, ec] = std::from_chars(field.data(), field.data() + field.size(), out);
  return ec == std::errc{} ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_alive(const RunFile::Service& producer) {
  return producer.started != 0 && start_of(producer.pid) == producer.started;
}

Result<void> RunBook::take_over(const record::RunId& run, TimePoint ending) {
  const std::string path = files_.runs() + "/" + run.text();
  auto fd = base::open_path(path, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  if (!fd && fd.error().code == Errc::not_found) return {};
  if (!fd) return Unexpected(std::move(fd).error());
  auto lock =
      base::FileLock::take(std::move(*fd), base::LockKind::exclusive, base::IfBusy::give_up, path);
  if (!lock && lock.error().code == Errc::busy) return {};  // a direct writer's, alive
  if (!lock) return Unexpected(std::move(lock).error());
  auto text = base::read_fd(lock->fd(), kMaxRunFileBytes, path);
  if (!text) return Unexpected(std::move(text).error());
  auto served = std::make_unique<ServedRun>();
  served->lock.emplace(std::move(*lock));
  served->path = path;
  served->chain.id = run;
  served->file = parse_run_file(*text);
  if (!served->file.service) {
    // A direct writer's that died: nobody can come back for it.
    remove_dead_cgroups(served->lock->fd().get(), served->file.cgroups);
    served->ending = TimePoint::min();
  } else if (!is_alive(*served->file.service)) {
    served->ending = ending;
  }
  runs_.emplace(run.text(), std::move(served));
  return {};
}

Result<void> RunBook::load(Engine& engine, TimePoint ending) {
  runs_.clear();
  auto names = list_run_files(files_);
  if (!names) return Unexpected(std::move(names).error());
  for (const record::RunId& run : *names) {
    if (auto ok = take_over(run, ending); !ok) return ok;
  }
  if (runs_.empty()) return {};
  std::uint64_t from = engine.size();
  for (const auto& [id, run] : runs_) from = std::min(from, run->file.first_size);
  if (auto ok = engine.pause(); !ok) return ok;
  auto reader = LedgerReader::open(files_);
  if (!reader) return Unexpected(std::move(reader).error());
  auto ok = reader->read(from, reader->size(), [&](const StoredRecord& stored) {
    const auto found = runs_.find(std::string(stored.view.run));
    if (found == runs_.end()) return true;
    ServedRun& run = *found->second;
    run.chain.next_seq = stored.view.run_seq + 1;
    run.chain.prev = stored.leaf_hash;
    auto header = record::parse_record_header(stored.bytes);
    if (header && header->writer && !run.writer) run.writer = header->writer;
    note_commit(run, {{stored.seq, stored.leaf_hash}}, record::is_run_end(stored.view.type));
    return true;
  });
  if (ok) ok = engine.resume();
  return ok;
}

Result<std::reference_wrapper<ServedRun>> RunBook::begin(const Token& token,
                                                         const record::Writer& producer,
                                                         std::uint64_t ledger_size) {
  const record::RunId run = record::RunId::random();
  RunFile file{ledger_size, RunFile::Service{producer.uid, producer.pid,
                                             start_of(producer.pid).value_or(0), hash_of(token)}};
  auto lock = create_run_file(files_, run, file);
  if (!lock) return Unexpected(std::move(lock).error());
  auto served = std::make_unique<ServedRun>();
  served->lock.emplace(std::move(*lock));
  served->path = files_.runs() + "/" + run.text();
  served->chain.id = run;
  served->file = file;
  return std::ref(*runs_.emplace(run.text(), std::move(served)).first->second);
}

Result<std::reference_wrapper<ServedRun>> RunBook::find(const std::string& run, const Token& token,
                                                        std::uint32_t uid) {
  const auto found = runs_.find(run);
  // One answer for all: whether a run of somebody else exists is none of the asker's business.
  const RunFile::Service* owner =
      found != runs_.end() && found->second->file.service ? &*found->second->file.service : nullptr;
  if (owner == nullptr || owner->uid != uid || owner->token_hash != hash_of(token)) {
    return fail(Errc::refused, "run " + run + " is not open, or was begun by somebody else");
  }
  return std::ref(*found->second);
}

Result<void> RunBook::check_writer(const ServedRun& run, const record::Writer& writer) {
  if (!run.writer) return {};
  // The file of a program may be readable at one time and not at another.
  record::Writer same = writer;
  if (!same.exe || !run.writer->exe) same.exe = run.writer->exe;
  if (same == *run.writer) return {};
  return fail(Errc::refused, "run " + run.chain.id.text() + " was begun by another process");
}

void RunBook::note_commit(ServedRun& run, const std::vector<PlacedRecord>& placed, bool has_end) {
  for (const PlacedRecord& one : placed) run.latest.push_back(one);
  while (run.latest.size() > kMaxRecords) run.latest.pop_front();
  run.has_end = run.has_end || has_end;
}

void RunBook::finish(const std::string& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  ::unlink(found->second->path.c_str());
  runs_.erase(found);
}

}  // namespace ethos::ledger::service
