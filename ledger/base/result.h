// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace ethos::base {

// Why something could not be done. Callers branch on it; people read Error::message().
enum class Errc {
  malformed,    // the bytes break the format
  mismatch,     // well-formed, but not what it has to agree with (hash, signature, origin)
  unsupported,  // a version, type or algorithm this program does not know
  too_large,    // a size, depth or count limit was passed
  not_found,    // the object does not exist
  exists,       // the object exists already and must not
  refused,      // exists, but its mode, owner or kind makes it unusable
  behind,       // older than what was seen before: a roll-back
  busy,         // somebody else holds it
  io,           // the system failed; `sys` says how
  no_space,     // the file system is full
  usage,        // the caller's arguments make no sense
};

// One failure, as a value. `what` names the object (path, key, field) and never holds secret bytes.
struct Error {
  Errc code = Errc::io;
  std::string what;
  int sys = 0;  // errno, or 0

  // "open ledger: /x/ledger.db: ..." : the same error, one step further out.
  [[nodiscard]] Error with_context(std::string_view context) && {
    what = std::string(context) + ": " + what;
    return std::move(*this);
  }
  // One line for people: `what`, and the text of `sys` when there is one.
  [[nodiscard]] std::string message() const;
};

// Carries an Error into any Result: `return Unexpected(std::move(r).error());`
class [[nodiscard]] Unexpected {
 public:
  explicit Unexpected(Error error) : error_(std::move(error)) {}
  [[nodiscard]] Error&& take() && { return std::move(error_); }

 private:
  Error error_;
};

// Shorthand for `return fail(Errc::malformed, "key");`
inline Unexpected fail(Errc code, std::string what, int sys = 0) {
  return Unexpected(Error{code, std::move(what), sys});
}

// A system call failed: maps errno to a code (ENOSPC -> no_space, ENOENT -> not_found, ...).
Unexpected fail_errno(std::string what, int sys);

// Either a T or an Error. Test it, then use it; using the wrong side is a bug and asserts.
template <typename T>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_pointer_v<T>, "a Result owns its value");

 public:
  // Implicit on purpose: `return value;` and `return fail(...);`.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected error) : state_(std::in_place_index<1>, std::move(error).take()) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] T& value() & { return get(); }
  [[nodiscard]] const T& value() const& { return get(); }
  [[nodiscard]] T&& value() && { return std::move(get()); }
  [[nodiscard]] T& operator*() & { return get(); }
  [[nodiscard]] const T& operator*() const& { return get(); }
  [[nodiscard]] T&& operator*() && { return std::move(get()); }
  [[nodiscard]] T* operator->() { return &get(); }
  [[nodiscard]] const T* operator->() const { return &get(); }

  [[nodiscard]] const Error& error() const& {
    assert(!has_value());
    return std::get<1>(state_);
  }
  [[nodiscard]] Error&& error() && {
    assert(!has_value());
    return std::get<1>(std::move(state_));
  }

 private:
  T& get() {
    assert(has_value());
    return std::get<0>(state_);
  }
  const T& get() const {
    assert(has_value());
    return std::get<0>(state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): return fail(...);
  Result(Unexpected error) : error_(std::move(error).take()), failed_(true) {}

  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const& {
    assert(failed_);
    return error_;
  }
  [[nodiscard]] Error&& error() && {
    assert(failed_);
    return std::move(error_);
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace ethos::base
