// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.h"
#include "verify/hash_many.h"
#include "verify/json.h"
#include "verify/record.h"
#include "verify/scanner.h"
#include "verify/schema.h"
#include "verify/tree.h"

namespace ethos::verify {

// A page of rows, all of them numbered above `low` and up to `high`.
struct LeafPage {
  std::uint32_t number = 0;
  std::int64_t low = -1;
  std::int64_t high = 0;
  bool may_be_empty = false;
};

// Rows as they lie in the store, many at a time, in one buffer.
struct RecordBatch {
  struct Row {
    std::int64_t seq = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
    Digest stored_hash;
    bool is_absent = false;   // only the hash is there
    bool is_dropped = false;  // and so it is because its bytes were dropped (record.md R-32)
  };

  std::string bytes;
  std::vector<Row> rows;

  // Of rows that are read from their pages (leaf_reader.h): these pages, those where long rows go on, and
  // whether SQLite has to be asked instead.
  std::vector<LeafPage> pages;
  std::vector<std::uint32_t> overflow;
  bool is_doubtful = false;

  [[nodiscard]] std::string_view record(const Row& row) const {
    return std::string_view(bytes).substr(row.begin, row.size);
  }
  void clear() {
    bytes.clear();
    clear_rows();
  }
  // All but the buffer, for who writes over it.
  void clear_rows() {
    rows.clear();
    pages.clear();
    overflow.clear();
    is_doubtful = false;
  }
};

// Base64 of a hash, as the next record names it.
struct HashText {
  std::array<char, 44> chars;

  HashText() : HashText(Digest()) {}
  // `quick` false: without the processor's help.
  explicit HashText(const Digest& digest, bool quick = can_pair());
  [[nodiscard]] bool is(std::string_view text) const {
    return same_text(text, std::string_view(chars.data(), chars.size()));
  }
};

// What can be said of one record without knowing the others.
struct CheckedRecord {
  RecordScan scan;  // views into the batch
  BodyFacts facts;
  Digest leaf;
  HashText leaf_text;
  bool stored_hash_fits = false;
  bool may_commit = false;  // its body may hold commitments
  Value body;             // as a tree, of the types whose whole body is needed afterwards
  BodyFault body_fault;   // code none when the body is in order
};

// What can be said of a batch alone. Kept and used again, so that its memory is.
struct CheckedBatch {
  std::vector<CheckedRecord> records;
  SubtreeHashes subtrees;
  std::vector<std::string_view> texts;  // scratch
  std::vector<Digest> leaves;           // scratch
};

// Hashes, scans and parses a batch. Independent of all state, so batches can be checked in parallel.
// `first_leaf` is the index in the tree of its first row.
void check_batch(const RecordBatch& batch, std::uint64_t first_leaf, CheckedBatch& out, Sha256& hash);

}  // namespace ethos::verify
