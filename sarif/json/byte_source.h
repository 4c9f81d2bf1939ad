// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ethos::sarif {

// Where a reader takes its bytes from, in order and once.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Fills a part of `into` (not empty). Returns how many bytes, 0 at the end, or the negative
  // errno.
  [[nodiscard]] virtual std::ptrdiff_t read(std::span<char> into) = 0;
};

// Bytes that are already in memory and outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  std::string_view rest_;
};

// A descriptor that someone else owns and keeps open.
class FdSource final : public ByteSource {
 public:
  explicit FdSource(int fd) : fd_(fd) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  int fd_;
};

// The bytes from `begin` up to `end` of a regular file, whose offset stays where it is.
class RangeSource final : public ByteSource {
 public:
  RangeSource(int fd, std::uint64_t begin, std::uint64_t end) : fd_(fd), at_(begin), end_(end) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  int fd_;
  std::uint64_t at_;
  std::uint64_t end_;
};

// Hands on `inner` and gives EFBIG once more than `limit` bytes came.
class LimitedSource final : public ByteSource {
 public:
  LimitedSource(ByteSource& inner, std::size_t limit) : inner_(inner), left_(limit) {}
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

 private:
  ByteSource& inner_;
  std::size_t left_;
};

}  // namespace ethos::sarif
