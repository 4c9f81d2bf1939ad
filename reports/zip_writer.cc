// SPDX-License-Identifier: Apache-2.0
#include "reports/zip_writer.h"

#include <zlib.h>

#include <array>
#include <cassert>
#include <limits>

namespace ethos::reports {
namespace {

constexpr std::uint16_t kVersion = 20;        // deflate
constexpr std::uint16_t kSizesFollow = 0x08;  // bit 3: a data descriptor comes after the data
constexpr std::uint16_t kDeflate = 8;
constexpr std::uint16_t kFirstDay = 0x0021;  // 1980-01-01
constexpr std::size_t kPiece = 65536;
// Tables are repetitive: level 6 takes more than twice the time for a tenth less.
constexpr int kLevel = 3;

class Fields {
 public:
  Fields& u16(std::uint32_t value) { return little(value, 2); }
  Fields& u32(std::uint32_t value) { return little(value, 4); }
  Fields& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Fields& little(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_ += static_cast<char>(value & 0xFFU);
      value >>= 8U;
    }
    return *this;
  }
  std::string bytes_;
};

std::uint32_t checked32(std::uint64_t value) {
  assert(value <= std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(value);
}

}  // namespace

struct ZipWriter::Deflater {
  Deflater() {
    const int started =
        deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    assert(started == Z_OK);
    static_cast<void>(started);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream); }
  z_stream stream{};
};

ZipWriter::ZipWriter(Sink& sink) : sink_(sink), deflater_(std::make_unique<Deflater>()) {}
ZipWriter::~ZipWriter() = default;

void ZipWriter::emit(std::string_view bytes) {
  sink_.write(bytes);
  offset_ += bytes.size();
}

void ZipWriter::open(std::string_view name) {
  assert(!is_open_);
  is_open_ = true;
  members_.push_back({std::string(name), checked32(offset_), 0, 0, 0});
  deflateReset(&deflater_->stream);
  Fields head;
  head.u32(0x04034B50).u16(kVersion).u16(kSizesFollow).u16(kDeflate).u16(0).u16(kFirstDay);
  head.u32(0).u32(0).u32(0).u16(checked32(name.size())).u16(0).text(name);
  emit(head.bytes());
}

void ZipWriter::pump(std::string_view bytes, bool is_last) {
  Member& member = members_.back();
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  member.checksum = checked32(crc32(member.checksum, data, static_cast<uInt>(bytes.size())));
  member.size = checked32(std::uint64_t{member.size} + bytes.size());
  z_stream& stream = deflater_->stream;
  // zlib takes the input by a pointer that is not const and does not write through it.
  stream.next_in = const_cast<Bytef*>(data);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, kPiece> out{};
  do {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int done = deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    assert(done != Z_STREAM_ERROR);
    static_cast<void>(done);
    const std::size_t made = out.size() - stream.avail_out;
    member.packed = checked32(std::uint64_t{member.packed} + made);
    emit({out.data(), made});
  } while (stream.avail_out == 0);
}

void ZipWriter::write(std::string_view bytes) {
  assert(is_open_);
  buffer_ += bytes;
  if (buffer_.size() < kPiece) return;
  pump(buffer_, false);
  buffer_.clear();
}

void ZipWriter::close() {
  pump(buffer_, true);
  buffer_.clear();
  is_open_ = false;
  const Member& member = members_.back();
  Fields after;
  after.u32(0x08074B50).u32(member.checksum).u32(member.packed).u32(member.size);
  emit(after.bytes());
}

void ZipWriter::finish() {
  assert(!is_open_);
  const std::uint32_t start = checked32(offset_);
  for (const Member& member : members_) {
    Fields entry;
    entry.u32(0x02014B50).u16(kVersion).u16(kVersion).u16(kSizesFollow).u16(kDeflate);
    entry.u16(0).u16(kFirstDay).u32(member.checksum).u32(member.packed).u32(member.size);
    entry.u16(checked32(member.name.size())).u16(0).u16(0).u16(0).u16(0).u32(0);
    entry.u32(member.offset).text(member.name);
    emit(entry.bytes());
  }
  Fields end;
  const std::uint32_t count = checked32(members_.size());
  end.u32(0x06054B50).u16(0).u16(0).u16(count).u16(count).u32(checked32(offset_ - start));
  end.u32(start).u16(0);
  emit(end.bytes());
}

}  // namespace ethos::reports
