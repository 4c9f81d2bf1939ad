// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace ethos::verify {

// Why something could not be read. A failed check is not an Error: it is a Problem (problem.h).
enum class Errc {
  malformed,    // the bytes break a written rule
  too_long,     // over a documented cap
  unsupported,  // a version or type this program does not know
  not_found,    // no such file or entry
  io,           // the operating system said no
  refused,      // well-formed, but a rule of the format refuses it
};

struct Error {
  Errc code = Errc::malformed;
  std::string what;         // one clause for people, no trailing full stop
  std::ptrdiff_t offset = -1;  // byte offset in the input, -1 when there is none
};

// A value or an Error. Test it, then use it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}       // NOLINT(google-explicit-constructor)
  Result(Error error) : held_(std::move(error)) {}   // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(held_); }
  explicit operator bool() const { return ok(); }

  T& operator*() & { assert(ok()); return *std::get_if<T>(&held_); }
  const T& operator*() const& { assert(ok()); return *std::get_if<T>(&held_); }
  T&& operator*() && { assert(ok()); return std::move(*std::get_if<T>(&held_)); }
  T* operator->() { assert(ok()); return std::get_if<T>(&held_); }
  const T* operator->() const { assert(ok()); return std::get_if<T>(&held_); }

  [[nodiscard]] const Error& error() const& { assert(!ok()); return *std::get_if<Error>(&held_); }
  [[nodiscard]] Error error() && { assert(!ok()); return std::move(*std::get_if<Error>(&held_)); }

 private:
  std::variant<T, Error> held_;
};

// For checks that yield nothing but success.
struct Done {};

inline Error malformed(std::string what, std::ptrdiff_t offset = -1) {
  return Error{Errc::malformed, std::move(what), offset};
}

}  // namespace ethos::verify
