// SPDX-License-Identifier: Apache-2.0
#include "sarif/regroup/gzip_meter.h"

#include <zlib.h>

#include <array>
#include <cassert>

namespace ethos::sarif {
namespace {

constexpr int kLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemory = 8;
constexpr std::uint64_t kMostPending = std::uint64_t{256} << 10U;
// An empty last block, the checksum and the length.
constexpr std::uint64_t kTrailer = 16;

}  // namespace

class GzipMeter::Deflate {
 public:
  Deflate() {
    is_ready_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemory,
                             Z_DEFAULT_STRATEGY) == Z_OK;
  }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;
  ~Deflate() {
    if (is_ready_) deflateEnd(&stream_);
  }

  // How many bytes came out.
  std::uint64_t feed(std::string_view bytes, int flush) {
    if (!is_ready_) return bytes.size();  // without memory for a window, count what cannot grow
    // zlib's interface is not const, but it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::uint64_t out = 0;
    std::array<Bytef, std::size_t{16} << 10U> buffer{};
    do {
      stream_.next_out = buffer.data();
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int done = deflate(&stream_, flush);
      assert(done != Z_STREAM_ERROR);
      static_cast<void>(done);
      out += buffer.size() - stream_.avail_out;
    } while (stream_.avail_out == 0);
    return out;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

GzipMeter::GzipMeter(ByteSink* onward) : onward_(onward), deflate_(std::make_unique<Deflate>()) {}
GzipMeter::~GzipMeter() = default;

void GzipMeter::append(std::string_view bytes) {
  if (onward_ != nullptr) onward_->append(bytes);
  bytes_ += bytes.size();
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    compressed_ += deflate_->feed(piece, Z_NO_FLUSH);
    pending_ += piece.size();
    bytes.remove_prefix(piece.size());
    if (pending_ >= kMostPending) flush();
  }
}

void GzipMeter::flush() {
  compressed_ += deflate_->feed({}, Z_SYNC_FLUSH);
  pending_ = 0;
}

std::uint64_t GzipMeter::gzip_bytes() const { return compressed_ + pending_ + kTrailer; }

std::uint64_t GzipMeter::gzip_bytes_exactly() {
  if (pending_ > 0) flush();
  return gzip_bytes();
}

std::uint64_t gzip_size(std::string_view text) {
  GzipMeter meter(nullptr);
  meter.append(text);
  return meter.gzip_bytes_exactly();
}

}  // namespace ethos::sarif
