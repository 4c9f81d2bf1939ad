// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::reports {

// Where a writer puts its bytes, piece by piece. Never fails towards the writer: a file remembers
// its first error and says it when it is finished.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

class StringSink : public Sink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Keeps nothing above `limit` bytes; then is_over() is true.
class BoundedSink : public Sink {
 public:
  explicit BoundedSink(std::size_t limit) : limit_(limit) {}
  void write(std::string_view bytes) override {
    if (is_over_) return;
    if (bytes.size() > limit_ - text_.size()) {
      is_over_ = true;
      text_.clear();
      return;
    }
    text_ += bytes;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t limit_;
  std::string text_;
  bool is_over_ = false;
};

}  // namespace ethos::reports
