// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sarif/json/byte_source.h"

namespace ethos::sarif::validation {

// GitHub takes 10 MB of gzip. Whether these are 10^7 bytes or 10 * 2^20 is not published: the
// smaller is the limit here. GitLab counts the file itself, in MiB.
inline constexpr std::uint64_t kGithubMostGzip = 10'000'000;
inline constexpr std::uint64_t kGitlabMostBytes = std::uint64_t{10} << 20U;

// Hands on the bytes of a file and works out how many they are behind gzip, at the level that
// uploaders use (6). What is shorter than the limit itself is not compressed at all; compressing
// stops once it is clear that the limit is passed.
class UploadSize final : public ByteSource {
 public:
  UploadSize(ByteSource& inner, std::uint64_t limit);
  ~UploadSize() override;
  [[nodiscard]] std::ptrdiff_t read(std::span<char> into) override;

  // After the last read: whether the compressed file is larger than the limit.
  [[nodiscard]] bool is_too_large();

 private:
  class Compressor;
  void take(std::string_view bytes);

  ByteSource& inner_;
  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
  std::string head_;  // until there are more than the limit
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace ethos::sarif::validation
