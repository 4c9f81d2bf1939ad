// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reports/sink.h"

namespace ethos::reports {

// A ZIP archive written front to back, member by member, without a temporary file: sizes and
// checksums follow each member (APPNOTE 4.3.9), every time stamp is the first one a ZIP can hold,
// 1980-01-01. Same members, same bytes. No ZIP64: a member and the archive stay below 4 GiB, which
// is the caller's business.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink);
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  // Begins a member; the one before must have ended. `name` is plain ASCII.
  void open(std::string_view name);
  void write(std::string_view bytes);
  void close();
  // The directory. Nothing may follow.
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t offset = 0, checksum = 0, packed = 0, size = 0;
  };
  struct Deflater;
  void pump(std::string_view bytes, bool is_last);
  void emit(std::string_view bytes);

  Sink& sink_;
  std::unique_ptr<Deflater> deflater_;
  std::vector<Member> members_;
  std::string buffer_;
  std::uint64_t offset_ = 0;
  bool is_open_ = false;
};

}  // namespace ethos::reports
