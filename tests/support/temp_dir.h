// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ethos::support {

// A new empty directory below $TMPDIR (else /tmp), removed with all in it at the end.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Whole files, or the test fails.
std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

// $ETHOS_SHARED (third-party vectors), else beside the source tree; empty when it is not there.
std::string shared_data();

}  // namespace ethos::support
