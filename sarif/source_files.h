// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "sarif/fingerprint.h"
#include "sarif/line_key.h"

namespace ethos::sarif {

// One source file with what the converters ask of it.
class SourceFile {
 public:
  explicit SourceFile(std::string bytes);

  // Bytes of line `number` (from 1) without its line end (LF or CR LF); nothing past the end.
  [[nodiscard]] std::optional<std::string_view> line(std::size_t number) const;
  // The line, from 1, that the byte at `offset` is in; the last one for what is behind the end.
  [[nodiscard]] std::size_t line_at(std::size_t offset) const;
  // Where line `number` begins.
  [[nodiscard]] std::size_t line_start(std::size_t number) const { return starts_.at(number - 1); }
  [[nodiscard]] std::size_t line_count() const { return starts_.size(); }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // primaryLocationLineHash of the line, computed for the whole file at the first call.
  [[nodiscard]] std::optional<std::string> hash(std::size_t number);
  // ethosLine/v1 of the line, likewise.
  [[nodiscard]] std::optional<std::string> key(std::size_t number);

 private:
  std::string bytes_;
  std::vector<std::size_t> starts_;
  std::optional<std::vector<LineHash>> hashes_;
  std::optional<std::vector<LineKey>> keys_;
};

// The source files below one root, opened beneath it without following any link: a name printed by
// a tool must not lead out of the tree. Only regular files up to kMaxBytes are read; those asked
// for last are kept, so that results need not be sorted by file.
class SourceFiles {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20U;

  // No sources: find() never finds.
  SourceFiles() = default;
  static base::Result<SourceFiles> open(const std::string& root);

  // The file at `relative`, nullptr when it is not a readable regular file beneath the root or is
  // too large. Valid until the next find().
  [[nodiscard]] SourceFile* find(const std::string& relative);
  // Whether a regular file is there; reads nothing.
  [[nodiscard]] bool has(const std::string& relative) const;

 private:
  // What is kept: of bytes and of names. Hashes take twice as much again.
  static constexpr std::size_t kKeptBytes = std::size_t{8} << 20U;
  static constexpr std::size_t kKeptFiles = 8192;
  struct Entry {
    std::string relative;
    std::optional<SourceFile> file;
  };
  [[nodiscard]] std::optional<SourceFile> load(const std::string& relative) const;
  void make_room();

  base::UniqueFd root_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_name_;
  std::size_t bytes_ = 0;
};

}  // namespace ethos::sarif
