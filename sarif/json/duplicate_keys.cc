// SPDX-License-Identifier: Apache-2.0
#include "sarif/json/duplicate_keys.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace ethos::sarif {
namespace {

std::uint64_t mark_of(std::string_view key) {
  std::uint64_t mark = 0;
  std::memcpy(&mark, key.data(), std::min(key.size(), sizeof mark));
  return mark;
}

}  // namespace

std::string_view DuplicateKeys::text(const Key& key) const {
  return std::string_view(bytes_).substr(key.begin, key.length);
}

void DuplicateKeys::open_object() { objects_.push_back({keys_.size(), bytes_.size(), {}}); }

void DuplicateKeys::close_object() {
  assert(!objects_.empty());
  keys_.resize(objects_.back().first_key);
  bytes_.resize(objects_.back().first_byte);
  objects_.pop_back();
}

bool DuplicateKeys::insert(std::string_view key) {
  assert(!objects_.empty());
  Object& object = objects_.back();
  const std::uint64_t mark = mark_of(key);
  const std::size_t count = keys_.size() - object.first_key;
  bool is_new = true;
  if (count < kFew) {
    for (std::size_t i = object.first_key; is_new && i < keys_.size(); ++i) {
      is_new = keys_[i].mark != mark || text(keys_[i]) != key;
    }
  } else {
    if (object.many.empty()) {
      for (std::size_t i = object.first_key; i < keys_.size(); ++i) {
        object.many.emplace(text(keys_[i]));
      }
    }
    is_new = object.many.emplace(key).second;
  }
  keys_.push_back({bytes_.size(), key.size(), mark});
  bytes_.append(key);
  return is_new;
}

std::string_view DuplicateKeys::last_key(std::size_t depth) const {
  assert(depth < objects_.size());
  const std::size_t end =
      depth + 1 < objects_.size() ? objects_[depth + 1].first_key : keys_.size();
  if (end == objects_[depth].first_key) return {};
  return text(keys_[end - 1]);
}

std::size_t DuplicateKeys::member_count() const {
  return objects_.empty() ? 0 : keys_.size() - objects_.back().first_key;
}

}  // namespace ethos::sarif
