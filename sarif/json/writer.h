// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ethos::sarif {

// Where a writer puts its bytes. A failed write is remembered by the sink, not reported here, so
// that the code that builds a document reads as one.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;
  virtual void append(std::string_view bytes) = 0;
};

class StringSink final : public ByteSink {
 public:
  void append(std::string_view bytes) override { text_.append(bytes); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A descriptor that someone else owns. Bytes are gathered in 64 KiB; after the first failure
// nothing more is written. flush() before the sink goes, or the last bytes are lost.
class FdSink final : public ByteSink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  void append(std::string_view bytes) override;
  // 0 when every byte so far was taken by the kernel, else the errno of the first failure.
  [[nodiscard]] int flush();

 private:
  int fd_;
  int error_ = 0;
  std::string buffer_;
};

enum class JsonLayout { compact, indented };

// Writes one JSON value as a stream, in memory that grows with the depth only. The caller keeps
// the order begin/key/value/end; a wrong order is a bug and ends in an assertion.
class JsonWriter {
 public:
  JsonWriter(ByteSink& sink, JsonLayout layout) : sink_(sink), layout_(layout) {}

  void begin_object() { open('{', true); }
  void end_object() { close('}', true); }
  void begin_array() { open('[', false); }
  void end_array() { close(']', false); }
  // Ill-formed UTF-8 in a text is written as U+FFFD.
  void key(std::string_view text);
  void string(std::string_view text);
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();
  // Tokens as another file had them: a quoted key, and a scalar of any kind.
  void raw_key(std::string_view quoted);
  void raw_scalar(std::string_view token);

  void member(std::string_view name, std::string_view text) {
    key(name);
    string(text);
  }
  void member_integer(std::string_view name, std::int64_t value) {
    key(name);
    integer(value);
  }
  void member_boolean(std::string_view name, bool value) {
    key(name);
    boolean(value);
  }
  [[nodiscard]] bool has_begun() const { return is_complete_ || !frames_.empty(); }
  // Ends the document with a newline; all that was begun must have ended.
  void finish();

 private:
  struct Frame {
    bool is_object;
    bool is_empty;
  };
  void open(char bracket, bool is_object);
  void close(char bracket, bool is_object);
  void before_value();
  void before_key();
  void new_line();

  ByteSink& sink_;
  JsonLayout layout_;
  std::vector<Frame> frames_;
  bool after_key_ = false;
  bool is_complete_ = false;
  std::string scratch_;
};

}  // namespace ethos::sarif
