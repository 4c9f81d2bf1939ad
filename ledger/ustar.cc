// SPDX-License-Identifier: Apache-2.0
#include "ledger/ustar.h"

#include <array>
#include <cassert>
#include <cstdio>

namespace ethos::ledger {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kBufferBytes = std::size_t{256} * 1024;

void put(std::string& header, std::size_t at, std::string_view text) {
  header.replace(at, text.size(), text);
}

}  // namespace

std::string ustar_header(const std::string& name, std::uint64_t size) {
  assert(!name.empty() && name.size() <= 100 && size < (std::uint64_t{1} << 33U));
  std::string header(kBlock, '\0');
  put(header, 0, name);
  put(header, 100, "0000644");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  std::array<char, 16> octal{};
  std::snprintf(octal.data(), octal.size(), "%011llo", static_cast<unsigned long long>(size));
  put(header, 124, octal.data());
  put(header, 136, "00000000000");
  put(header, 148, "        ");  // the checksum counts itself as spaces
  put(header, 156, "0");
  put(header, 257,
      std::string_view("ustar\0"
                       "00",
                       8));
  put(header, 329, "0000000");
  put(header, 337, "0000000");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(octal.data(), octal.size(), "%06o", sum);
  put(header, 148, std::string_view(octal.data(), 7));  // with its NUL; the space stays behind it
  return header;
}

base::Result<void> UstarWriter::add(const std::string& name, std::string_view bytes) {
  assert(previous_ < name);
  previous_ = name;
  buffer_ += ustar_header(name, bytes.size());
  buffer_ += bytes;
  buffer_.append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
  return buffer_.size() > kBufferBytes ? flush() : base::Result<void>();
}

base::Result<void> UstarWriter::finish() {
  buffer_.append(2 * kBlock, '\0');
  return flush();
}

base::Result<void> UstarWriter::flush() {
  auto ok = sink_(base::as_bytes(buffer_));
  buffer_.clear();
  return ok;
}

}  // namespace ethos::ledger
