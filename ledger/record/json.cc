// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/json.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace ethos::record {

Json::Json() = default;
Json::Json(bool value) : state_(value) {}
Json::Json(Integer value) : state_(value.value) {}
Json::Json(std::string value) : state_(std::move(value)) {}
Json::Json(std::string_view value) : state_(std::string(value)) {}
Json::Json(const char* value) : state_(std::string(value)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::real(double value) {
  Json out;
  out.state_ = value;
  return out;
}

Json Json::array() {
  Json out;
  out.state_.emplace<std::vector<Json>>();
  return out;
}

Json Json::object() {
  Json out;
  out.state_.emplace<std::vector<JsonMember>>();
  return out;
}

std::int64_t Json::checked_unsigned(std::uint64_t value) {
  assert(value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  return static_cast<std::int64_t>(value);
}

bool Json::as_bool() const {
  assert(is(Kind::boolean));
  return std::get<bool>(state_);
}

std::int64_t Json::as_integer() const {
  assert(is(Kind::integer));
  return std::get<std::int64_t>(state_);
}

double Json::as_real() const {
  if (is(Kind::integer)) return static_cast<double>(as_integer());
  assert(is(Kind::real));
  return std::get<double>(state_);
}

const std::string& Json::as_string() const {
  assert(is(Kind::string));
  return std::get<std::string>(state_);
}

const std::vector<Json>& Json::items() const {
  assert(is(Kind::array));
  return std::get<std::vector<Json>>(state_);
}

std::vector<Json>& Json::items() {
  assert(is(Kind::array));
  return std::get<std::vector<Json>>(state_);
}

const std::vector<JsonMember>& Json::members() const {
  assert(is(Kind::object));
  return std::get<std::vector<JsonMember>>(state_);
}

std::vector<JsonMember>& Json::members() {
  assert(is(Kind::object));
  return std::get<std::vector<JsonMember>>(state_);
}

Json& Json::set(std::string key, Json value) & {
  assert(find(key) == nullptr);
  members().push_back({std::move(key), std::move(value)});
  return *this;
}

Json&& Json::set(std::string key, Json value) && {
  set(std::move(key), std::move(value));
  return std::move(*this);
}

Json& Json::push(Json value) & {
  items().push_back(std::move(value));
  return *this;
}

Json&& Json::push(Json value) && {
  push(std::move(value));
  return std::move(*this);
}

const Json* Json::find(std::string_view key) const {
  if (!is(Kind::object)) return nullptr;
  for (const JsonMember& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Json* Json::find(std::string_view key, Kind kind_wanted) const {
  const Json* found = find(key);
  return found != nullptr && found->is(kind_wanted) ? found : nullptr;
}

const std::string* Json::find_string(std::string_view key) const {
  const Json* found = find(key, Kind::string);
  return found == nullptr ? nullptr : &found->as_string();
}

namespace {

bool same_members(const std::vector<JsonMember>& a, const std::vector<JsonMember>& b) {
  if (a.size() != b.size()) return false;
  std::vector<const JsonMember*> left;
  std::vector<const JsonMember*> right;
  left.reserve(a.size());
  right.reserve(b.size());
  for (const JsonMember& m : a) left.push_back(&m);
  for (const JsonMember& m : b) right.push_back(&m);
  const auto by_key = [](const JsonMember* x, const JsonMember* y) { return x->key < y->key; };
  std::sort(left.begin(), left.end(), by_key);
  std::sort(right.begin(), right.end(), by_key);
  return std::equal(left.begin(), left.end(), right.begin(),
                    [](const JsonMember* x, const JsonMember* y) {
                      return x->key == y->key && x->value == y->value;
                    });
}

}  // namespace

bool operator==(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is(Json::Kind::object)) return same_members(a.members(), b.members());
  if (a.is(Json::Kind::array)) return a.items() == b.items();
  switch (a.kind()) {
    case Json::Kind::boolean:
      return a.as_bool() == b.as_bool();
    case Json::Kind::integer:
      return a.as_integer() == b.as_integer();
    case Json::Kind::real:
      return a.as_real() == b.as_real();
    case Json::Kind::string:
      return a.as_string() == b.as_string();
    default:
      return true;
  }
}

}  // namespace ethos::record
