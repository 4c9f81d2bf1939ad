// SPDX-License-Identifier: Apache-2.0
#include "verify/spool.h"

#include <array>

namespace ethos::verify {

void Spool::spill() {
  if (!file_) file_.reset(std::tmpfile());
  failed_ = failed_ || !file_ || std::fwrite(held_.data(), 1, held_.size(), file_.get()) != held_.size();
  held_.clear();
}

void Spool::add(std::string_view text) {
  total_ += text.size();
  held_ += text;
  if (held_.size() > kInMemory) spill();
}

bool Spool::copy_to(std::ostream& out) {
  if (file_) {
    spill();
    failed_ = failed_ || std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0;
    std::array<char, 65536> buffer{};
    while (!failed_) {
      const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file_.get());
      if (got == 0) break;
      out.write(buffer.data(), static_cast<std::streamsize>(got));
    }
  } else {
    out << held_;
  }
  return !failed_;
}

}  // namespace ethos::verify
