// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "sarif/json/writer.h"

namespace ethos::sarif {

// Hands bytes on to another sink (or to none) and says at any time how many bytes of gzip they make
// at most, at the level that uploaders use. The stream is flushed now and then, which costs some
// bytes: a file that is compressed in one go is smaller.
class GzipMeter final : public ByteSink {
 public:
  explicit GzipMeter(ByteSink* onward);
  ~GzipMeter() override;
  void append(std::string_view bytes) override;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Of all bytes so far, with the trailer of the file. What has not been compressed yet counts in
  // full; `exactly` compresses it first.
  [[nodiscard]] std::uint64_t gzip_bytes() const;
  [[nodiscard]] std::uint64_t gzip_bytes_exactly();

 private:
  class Deflate;
  void flush();

  ByteSink* onward_;
  std::unique_ptr<Deflate> deflate_;
  std::uint64_t bytes_ = 0;
  std::uint64_t compressed_ = 0;
  std::uint64_t pending_ = 0;
};

// Of a text for itself.
[[nodiscard]] std::uint64_t gzip_size(std::string_view text);

}  // namespace ethos::sarif
