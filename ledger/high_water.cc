// SPDX-License-Identifier: Apache-2.0
#include "ledger/high_water.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ledger/base/file_io.h"
#include "ledger/base/paths.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::size_t kMaxBytes = 1'000'000;

// The text of the file; empty when it says nothing.
Result<std::string> read_high_water(const LedgerFiles& files) {
  auto fd = base::open_regular(files.high_water(), O_RDONLY);
  if (!fd && fd.error().code == Errc::not_found) return std::string();
  if (!fd) return Unexpected(std::move(fd).error());
  auto text = base::read_fd(*fd, kMaxBytes, files.high_water());
  if (!text) return Unexpected(std::move(text).error());
  // A power cut between rename and write-back leaves an empty file, or one of zeros.
  const bool is_blank = std::all_of(text->begin(), text->end(), [](char c) { return c == '\0'; });
  return is_blank ? std::string() : std::move(*text);
}

Result<record::Checkpoint> parse_high_water(const std::string& text) {
  auto note = record::parse_note(text);
  if (!note) return Unexpected(std::move(note).error());
  return record::parse_checkpoint(note->text);
}

}  // namespace

Result<void> check_high_water(const LedgerFiles& files, Store& store, const NoteRow& last) {
  auto text = read_high_water(files);
  if (!text) return Unexpected(std::move(text).error());
  if (text->empty() || *text == last.note) return {};
  auto seen = parse_high_water(*text);
  if (!seen) return fail(Errc::mismatch, files.high_water() + ": is not a checkpoint");
  if (seen->origin != last.checkpoint.origin) {
    return fail(Errc::mismatch, files.high_water() + ": is of another ledger");
  }
  if (seen->size > last.checkpoint.size) {
    return fail(Errc::behind, "the ledger has " + std::to_string(last.checkpoint.size) +
                                  " records, and had " + std::to_string(seen->size) +
                                  ": it was rolled back (" + files.high_water() + ")");
  }
  auto kept = store.note_at(seen->size);
  if (!kept) return Unexpected(std::move(kept).error());
  if (kept->empty()) return {};  // an older writer may have kept fewer
  auto row = parse_note_row(*kept, seen->size);
  if (!row) return Unexpected(std::move(row).error());
  if (row->checkpoint.root != seen->root) {
    return fail(Errc::mismatch, "fork: checkpoint " + std::to_string(seen->size) +
                                    " differs from the one seen before (" + files.high_water() +
                                    ")");
  }
  return {};
}

Result<void> update_high_water(const LedgerFiles& files, std::string_view note) {
  // One fixed name: under the lock nobody else uses it, and a crash leaves no more than this one.
  const std::string temp = files.high_water() + ".new";
  auto fd = base::open_regular(temp, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!fd) return Unexpected(std::move(fd).error());
  if (auto ok = base::write_all(*fd, base::as_bytes(note), temp); !ok) return ok;
  if (::rename(temp.c_str(), files.high_water().c_str()) != 0) {
    return base::fail_errno(files.high_water(), errno);
  }
  return {};
}

std::uint64_t high_water_size(const LedgerFiles& files) {
  auto text = read_high_water(files);
  if (!text || text->empty()) return 0;
  auto seen = parse_high_water(*text);
  return seen ? seen->size : 0;
}

}  // namespace ethos::ledger
