// SPDX-License-Identifier: Apache-2.0
#include "sarif/upload/upload_body.h"

#include <zlib.h>

#include <array>
#include <cerrno>

#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "sarif/json/string_codec.h"
#include "sarif/json/writer.h"
#include "sarif/log/rewrite.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {
namespace {

constexpr int kLevel = 9;             // fewer bytes count, and the file is small
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemory = 9;

// Base64 without a break between the pieces: three bytes at a time.
class Base64Sink {
 public:
  explicit Base64Sink(ByteSink& onward) : onward_(onward) {}
  void append(std::string_view bytes) {
    rest_ += bytes;
    const std::size_t whole = rest_.size() / 3 * 3;
    if (whole < kPiece) return;
    onward_.append(base::encode_base64(base::as_bytes(std::string_view(rest_).substr(0, whole))));
    rest_.erase(0, whole);
  }
  void finish() {
    onward_.append(base::encode_base64(base::as_bytes(rest_)));
    rest_.clear();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{48} << 10U;
  ByteSink& onward_;
  std::string rest_;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(Base64Sink& onward) : onward_(onward) {
    is_ready_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemory,
                             Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipSink() override {
    if (is_ready_) deflateEnd(&stream_);
  }
  void append(std::string_view bytes) override {
    sizes_.bytes += bytes.size();
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      feed(bytes.substr(0, kPiece), Z_NO_FLUSH);
    }
  }
  // False when zlib had no memory.
  bool finish() {
    feed({}, Z_FINISH);
    return is_ready_;
  }
  [[nodiscard]] const UploadSizes& sizes() const { return sizes_; }

 private:
  void feed(std::string_view bytes, int flush) {
    if (!is_ready_) return;
    // zlib's interface is not const, but it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, std::size_t{32} << 10U> out{};
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) is_ready_ = false;
      const std::size_t made = out.size() - stream_.avail_out;
      sizes_.gzip_bytes += made;
      onward_.append(std::string_view(out.data(), made));
    } while (is_ready_ && stream_.avail_out == 0);
  }

  Base64Sink& onward_;
  z_stream stream_{};
  bool is_ready_ = false;
  UploadSizes sizes_;
};

void append_member(std::string& text, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  text += ",\"";
  text += key;
  text += "\":\"";
  append_escaped(text, value);
  text += '"';
}

}  // namespace

base::Result<UploadSizes> write_upload_body(ByteSource& log, const UploadFields& fields, int fd) {
  FdSink file(fd);
  file.append("{\"sarif\":\"");
  Base64Sink base64(file);
  GzipSink gzip(base64);
  {
    JsonReader reader(log);
    JsonWriter writer(gzip, JsonLayout::compact);
    Additions additions;
    if (!fields.category.empty()) additions.automation_id = automation_id(fields.category, "");
    auto done = rewrite_log(reader, writer, additions);
    if (!done) return base::Unexpected(std::move(done).error());
  }
  if (!gzip.finish()) return base::fail(base::Errc::io, "gzip");
  base64.finish();
  std::string rest = "\"";
  append_member(rest, "commit_sha", fields.commit_sha);
  append_member(rest, "ref", fields.ref);
  append_member(rest, "checkout_uri", fields.checkout_uri);
  append_member(rest, "started_at", fields.started_at);
  file.append(rest + "}");
  if (const int error = file.flush(); error != 0) return base::fail_errno("temporary file", error);
  return gzip.sizes();
}

}  // namespace ethos::sarif
