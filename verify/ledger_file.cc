// SPDX-License-Identifier: Apache-2.0
#include "verify/ledger_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "verify/database.h"
#include "verify/database_form.h"
#include "verify/encoding.h"
#include "verify/page.h"
#include "verify/page_file.h"
#include "verify/quick_check.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kBatchRows = 256;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20U;
constexpr std::size_t kFrameBytes = 4096 + 24;  // of the write-ahead log; its header is 32 bytes
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kMaxStoredNote = 1'000'000;


// A ledger that can be read now.
struct OpenLedger {
  UniqueFd file;                    // invalid: `database` has its own
  Database database;
  // Further connections to a file that is still: for single rows, and for the check of the whole file.
  std::optional<Database> lookups;
  std::optional<Database> checked;
  std::uint64_t size = 0;  // of the file; 0 when only the log shows its pages
  bool has_plain_pages = false;  // its header is that of a ledger, and all of it is pages
};

class LedgerFile final : public EvidenceSource {
 public:
  LedgerFile(OpenLedger opened, std::string how, std::optional<std::string> highwater)
      : file_(std::move(opened.file)),
        database_(std::move(opened.database)),
        lookups_(std::move(opened.lookups)),
        checked_(std::move(opened.checked)),
        how_(std::move(how)),
        highwater_(std::move(highwater)),
        leaf_(database_.prepare("SELECT seq, bytes, hash FROM main.leaf NOT INDEXED ORDER BY seq")),
        checkpoint_(
            database_.prepare("SELECT size, note FROM main.checkpoint NOT INDEXED ORDER BY size")),
        one_leaf_(single().prepare("SELECT bytes FROM main.leaf NOT INDEXED WHERE seq=?1")),
        one_checkpoint_(
            single().prepare("SELECT note FROM main.checkpoint NOT INDEXED WHERE size=?1")),
        disclosure_(single().prepare(
            with_place("SELECT c, kind, salt, bytes, ", " FROM main.disclosure WHERE c=?1")
                .c_str())),
        size_(single().prepare(
            with_place("SELECT kind, typeof(salt), typeof(bytes), length(salt), length(bytes), ",
                       " FROM main.disclosure WHERE c=?1")
                .c_str())),
        disclosures_(single().prepare(
            with_place("SELECT c, kind, salt, bytes, ", " FROM main.disclosure NOT INDEXED")
                .c_str())),
        blob_(single().prepare("SELECT sha256, bytes FROM main.blob WHERE sha256=?1")),
        blobs_(single().prepare("SELECT sha256, bytes FROM main.blob NOT INDEXED")),
        estimate_(database_.number("SELECT max(seq)+1 FROM main.leaf NOT INDEXED")) {
    if (opened.has_plain_pages && checked_) pages_.emplace(file_.get(), static_cast<std::uint32_t>(opened.size / kPageBytes));
  }

  [[nodiscard]] const char* kind() const override { return "ledger"; }
  // Output is kept only when asked for: its commitment without bytes is normal (commitment.md C-6).
  [[nodiscard]] bool may_withhold(std::string_view kind) const override { return kind == "output"; }
  [[nodiscard]] std::uint64_t estimate() const override {
    return estimate_ < 0 ? 0 : static_cast<std::uint64_t>(estimate_);
  }
  [[nodiscard]] std::string how() const override { return how_; }
  std::optional<std::string> highwater() override { return highwater_; }
  LeafReader* leaf_reader() override {
    if (!quick_ && pages_) quick_ = QuickCheck::start(*pages_, database_);
    return quick_ ? &quick_->reader() : nullptr;
  }
  // What reading the rows does not show.
  std::function<void(Findings&)> whole_check() override {
    if (!checked_) return {};
    if (quick_) return [this](Findings&) { quick_->check_others(*checked_); };
    return [this](Findings& findings) { check_whole_file(*checked_, findings); };
  }
  void finish_whole_check(Findings& findings) override {
    if (quick_ && !quick_->is_good()) check_whole_file(*checked_, findings);
  }
  void skip_records(std::uint64_t rows) override { skip_ = rows; }

  bool next_records(RecordBatch& out, Findings& findings) override {
    out.clear();
    while (!is_circle_ && out.rows.size() < kBatchRows && out.bytes.size() < kBatchBytes) {
      if (!leaf_.step()) {
        if (leaf_.failed()) damaged("leaf", last_seq_ + 1, findings);
        break;
      }
      // A tree whose pages name each other gives rows without end.
      if (has_row_ && leaf_.type(0) == Statement::Type::integer && leaf_.integer(0) <= last_seq_) {
        runs_in_circles("leaf", findings);
        break;
      }
      has_row_ = true;
      if (skip_ > 0) {
        --skip_;
        last_seq_ = leaf_.integer(0);
        continue;
      }
      using T = Statement::Type;
      const std::string_view hash = leaf_.bytes(2);
      if (leaf_.type(0) != T::integer || leaf_.type(1) != T::blob || leaf_.type(2) != T::blob ||
          hash.size() != 32) {
        findings.add({.code = Code::typeof_, .seq = last_seq_ + 1,
                      .text = "a row of table leaf does not hold integer, blob and a blob of 32 bytes"});
        continue;
      }
      const std::string_view bytes = leaf_.bytes(1);
      RecordBatch::Row row;
      row.seq = last_seq_ = leaf_.integer(0);
      row.begin = out.bytes.size();
      row.size = bytes.size();
      row.stored_hash = *Digest::from_bytes(hash);
      row.is_absent = row.is_dropped = bytes.empty();
      out.bytes.append(bytes);
      out.rows.push_back(row);
    }
    return !out.rows.empty();
  }

  bool next_checkpoint(StoredCheckpoint& out, Findings& findings) override {
    if (is_checkpoint_circle_) return false;
    if (!checkpoint_.step()) {
      if (checkpoint_.failed()) damaged("checkpoint", -1, findings);
      return false;
    }
    if (checkpoint_.type(0) == Statement::Type::integer && checkpoint_.integer(0) <= last_checkpoint_) {
      is_checkpoint_circle_ = true;
      runs_in_circles("checkpoint", findings);
      return false;
    }
    out.size = last_checkpoint_ = checkpoint_.integer(0);
    out.note.clear();
    if (checkpoint_.type(0) != Statement::Type::integer || checkpoint_.type(1) != Statement::Type::blob) {
      findings.add({.code = Code::typeof_, .text = "a row of table checkpoint does not hold integer and blob"});
    } else if (checkpoint_.bytes(1).size() <= kMaxStoredNote) {
      out.note = checkpoint_.bytes(1);
    }
    return true;
  }

  std::optional<StoredDisclosure> disclosure(const Digest& c) override {
    disclosure_.reset();
    disclosure_.bind(1, c.view());
    if (!disclosure_.step()) return std::nullopt;
    return read_disclosure(disclosure_);
  }

  std::optional<DisclosureSize> disclosure_size(const Digest& c) override {
    using T = Statement::Type;
    size_.reset();
    size_.bind(1, c.view());
    if (!size_.step() || size_.type(0) != T::text || size_.bytes(1) != "blob" || size_.bytes(2) != "blob") return std::nullopt;
    if (size_.integer(3) != std::int64_t{kSaltBytes}) return std::nullopt;
    return DisclosureSize{std::string(size_.bytes(0)), static_cast<std::uint64_t>(size_.integer(4)),
                          place_in(size_, 5)};
  }

  bool next_disclosure(StoredDisclosure& out, Findings& findings) override {
    while (disclosures_.step()) {
      if (++disclosure_rows_ > most_rows_) {
        runs_in_circles("disclosure", findings);
        return false;
      }
      if (auto row = read_disclosure(disclosures_)) {
        out = *std::move(row);
        return true;
      }
      findings.add({.code = Code::typeof_, .text = "a row of table disclosure does not hold its four types"});
    }
    if (disclosures_.failed()) damaged("disclosure", -1, findings);
    return false;
  }

  std::optional<std::string> blob(const Digest& sha256) override {
    blob_.reset();
    blob_.bind(1, sha256.view());
    if (!blob_.step() || blob_.type(1) != Statement::Type::blob) return std::nullopt;
    return std::string(blob_.bytes(1));
  }

  bool next_blob(Digest& key, std::string& bytes, Findings& findings) override {
    while (blobs_.step()) {
      if (++blob_rows_ > most_rows_) {
        runs_in_circles("blob", findings);
        return false;
      }
      const auto digest = Digest::from_bytes(blobs_.bytes(0));
      if (digest && blobs_.type(0) == Statement::Type::blob && blobs_.type(1) == Statement::Type::blob) {
        key = *digest;
        bytes = blobs_.bytes(1);
        return true;
      }
      findings.add({.code = Code::typeof_, .text = "a row of table blob does not hold two blobs"});
    }
    if (blobs_.failed()) damaged("blob", -1, findings);
    return false;
  }

  std::optional<std::string> record(std::int64_t seq) override {
    one_leaf_.reset();
    one_leaf_.bind(1, seq);
    if (!one_leaf_.step()) return std::nullopt;
    return std::string(one_leaf_.bytes(0));
  }

  std::optional<std::string> checkpoint(std::int64_t size) override {
    one_checkpoint_.reset();
    one_checkpoint_.bind(1, size);
    if (!one_checkpoint_.step()) return std::nullopt;
    return std::string(one_checkpoint_.bytes(0));
  }

  void check_tail(const std::string& peaks, std::int64_t epoch, std::int64_t epoch_seq,
                  Findings& findings) override {
    Statement tail = database_.prepare("SELECT one, epoch, epoch_seq, peaks FROM main.tail NOT INDEXED");
    const bool fits = tail.step() && tail.type(3) == Statement::Type::blob && tail.integer(0) == 1 &&
                      tail.integer(1) == epoch && tail.integer(2) == epoch_seq && tail.bytes(3) == peaks &&
                      !tail.step() && !tail.failed();
    if (!fits) {
      findings.add({.code = Code::tail_row,
                    .expected = "epoch " + std::to_string(epoch) + " named at record " +
                                std::to_string(epoch_seq) + ", the peaks of all records",
                    .text = "table tail does not fit the records"});
    }
  }

 private:
  // Disclosures lie by their digest, so walking them goes here and there too.
  Database& single() { return lookups_ ? *lookups_ : database_; }

  // In version 1 such rows have no number (store.md S-2).
  std::string with_place(const char* before, const char* after) {
    return std::string(before) + (has_row_numbers(database_) ? "rowid" : "NULL") + after;
  }

  static std::optional<std::int64_t> place_in(const Statement& row, int column) {
    if (row.type(column) != Statement::Type::integer) return std::nullopt;
    return row.integer(column);
  }

  static std::optional<StoredDisclosure> read_disclosure(const Statement& row) {
    using T = Statement::Type;
    if (row.type(0) != T::blob || row.type(1) != T::text || row.type(2) != T::blob || row.type(3) != T::blob) {
      return std::nullopt;
    }
    const auto c = Digest::from_bytes(row.bytes(0));
    if (!c || row.bytes(2).size() != kSaltBytes) return std::nullopt;
    return StoredDisclosure{*c, std::string(row.bytes(1)), std::string(row.bytes(2)),
                            std::string(row.bytes(3)), place_in(row, 4)};
  }

  void damaged(const char* table, std::int64_t seq, Findings& findings) {
    findings.add({.code = Code::integrity_check, .seq = seq, .found = database_.message(),
                  .text = std::string("table ") + table + " cannot be read to its end"});
  }

  void runs_in_circles(const char* table, Findings& findings) {
    is_circle_ = is_circle_ || table == std::string_view("leaf");
    findings.add({.code = Code::integrity_check, .seq = last_seq_, .text = std::string("the pages of table ") + table + " name each other: its rows have no end"});
  }

  UniqueFd file_;  // outlives the connections that read it
  Database database_;
  std::optional<Database> lookups_;
  std::optional<Database> checked_;
  std::string how_;
  std::optional<std::string> highwater_;
  Statement leaf_;
  Statement checkpoint_;
  Statement one_leaf_;
  Statement one_checkpoint_;
  Statement disclosure_;
  Statement size_;
  Statement disclosures_;
  Statement blob_;
  Statement blobs_;
  std::int64_t estimate_ = -1;
  std::int64_t last_seq_ = -1;
  std::optional<PageFile> pages_;
  std::unique_ptr<QuickCheck> quick_;
  std::uint64_t skip_ = 0;
  bool has_row_ = false;
  bool is_circle_ = false;
  bool is_checkpoint_circle_ = false;
  std::int64_t last_checkpoint_ = -1;
  std::uint64_t disclosure_rows_ = 0;
  std::uint64_t blob_rows_ = 0;
  // A row holds a digest at least.
  std::uint64_t most_rows_ = static_cast<std::uint64_t>(std::max<std::int64_t>(database_.number("SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"), 1 << 20)) / 32;
};

// Brings the log's valid commits into the copy. False: they are only visible through the log.
Result<bool> fold_log(const Snapshot& snapshot, Findings& findings) {
  if (snapshot.log_bytes == 0) return true;
  auto database = Database::open_copy(snapshot.database);
  if (!database) return std::move(database).error();
  std::int64_t frames = 0;
  database->number("PRAGMA schema_version");  // opens the log
  if (!database->fold_log(frames)) {
    findings.add({.code = Code::log_tail, .found = database->message(),
                  .text = "the write-ahead log could not be read"});
    return false;
  }
  if (snapshot.log_bytes != 32 + static_cast<std::uint64_t>(frames) * kFrameBytes) {
    findings.add({.code = Code::log_tail, .expected = std::to_string(frames) + " frames of whole commits",
                  .found = std::to_string(snapshot.log_bytes) + " bytes",
                  .text = "the write-ahead log holds more than its valid commits"});
  }
  return true;
}

Result<OpenLedger> open_with_log(const Snapshot& snapshot) {
  auto database = Database::open_copy(snapshot.database);
  if (!database) return std::move(database).error();
  return OpenLedger{{}, *std::move(database), std::nullopt, std::nullopt, 0};
}

Result<OpenLedger> open_still(Snapshot& snapshot) {
  std::uint64_t size = snapshot.database_bytes;
  auto file = snapshot.is_copy ? open_regular(snapshot.database, size) : Result<UniqueFd>(std::move(snapshot.file));
  if (!file) return std::move(file).error();
  const int fd = file->get();
  auto database = Database::open_still(fd, Access::walk);
  if (!database) return std::move(database).error();
  auto lookups = Database::open_still(fd, Access::lookup);
  if (!lookups) return std::move(lookups).error();
  auto checked = Database::open_still(fd, Access::walk);
  if (!checked) return std::move(checked).error();
  return OpenLedger{*std::move(file), *std::move(database), *std::move(lookups), *std::move(checked), size};
}

}  // namespace

Result<std::unique_ptr<EvidenceSource>> open_ledger_file(const std::string& path, Findings& findings) {
  auto snapshot = take_snapshot(path);
  if (!snapshot) return std::move(snapshot).error();
  std::unique_ptr<EvidenceSource> nothing;
  if (snapshot->has_journal) {
    findings.add({.code = Code::sibling_journal, .found = path + "-journal",
                  .text = "a rollback journal lies beside the ledger; nothing was read"});
    return nothing;
  }
  std::string how = "read in place, unchanged";
  bool is_still = true;
  if (snapshot->is_copy) {
    how = snapshot->log_bytes > 0 ? "read from a copy of database and write-ahead log" : "read from a copy";
    const auto folded = fold_log(*snapshot, findings);
    if (!folded) return folded.error();
    is_still = *folded;
  }
  auto opened = is_still ? open_still(*snapshot) : open_with_log(*snapshot);
  if (!opened) return std::move(opened).error();
  Database* const database = &opened->database;
  const auto readable = check_header(*database, findings);
  if (!readable) return readable.error();
  if (!*readable || !check_schema(*database, findings)) return nothing;
  if (opened->file.valid()) {
    const bool is_header_good = check_file_header(opened->file.get(), findings);
    opened->has_plain_pages = check_length(opened->size, *database, findings) && is_header_good;
  }
  if (!opened->checked) check_whole_file(*database, findings);
  std::unique_ptr<EvidenceSource> source =
      std::make_unique<LedgerFile>(*std::move(opened), std::move(how), std::move(snapshot->highwater));
  // SQLite holds the copy open: its names can go now, so that a kill leaves nothing behind.
  snapshot->scratch.reset();
  return source;
}

}  // namespace ethos::verify
