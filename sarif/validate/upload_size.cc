// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/upload_size.h"

#include <zlib.h>

#include <array>
#include <cassert>

namespace ethos::sarif::validation {
namespace {

constexpr int kLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemory = 8;

}  // namespace

class UploadSize::Compressor {
 public:
  Compressor() {
    const int done =
        deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY);
    is_ready_ = done == Z_OK;
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() {
    if (is_ready_) deflateEnd(&stream_);
  }

  // Bytes that came out so far; with `finish` there are no more.
  std::uint64_t feed(std::string_view bytes, bool finish) {
    // zlib's interface is not const, but it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<Bytef, std::size_t{16} << 10U> out{};
    do {
      stream_.next_out = out.data();
      stream_.avail_out = static_cast<uInt>(out.size());
      if (!is_ready_ || deflate(&stream_, finish ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) break;
      produced_ += out.size() - stream_.avail_out;
    } while (stream_.avail_out == 0);
    return produced_;
  }
  [[nodiscard]] std::uint64_t produced() const { return produced_; }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
  std::uint64_t produced_ = 0;
};

UploadSize::UploadSize(ByteSource& inner, std::uint64_t limit) : inner_(inner), limit_(limit) {}
UploadSize::~UploadSize() = default;

std::ptrdiff_t UploadSize::read(std::span<char> into) {
  const std::ptrdiff_t got = inner_.read(into);
  if (got > 0) take(std::string_view(into.data(), static_cast<std::size_t>(got)));
  return got;
}

void UploadSize::take(std::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ <= limit_) {
    head_ += bytes;
    return;
  }
  if (!compressor_) {
    compressor_ = std::make_unique<Compressor>();
    compressor_->feed(head_, false);
    head_ = std::string();
  }
  if (compressor_->produced() <= limit_) compressor_->feed(bytes, false);
}

bool UploadSize::is_too_large() {
  if (!compressor_) return false;
  if (compressor_->produced() > limit_) return true;
  return compressor_->feed({}, true) > limit_;
}

}  // namespace ethos::sarif::validation
