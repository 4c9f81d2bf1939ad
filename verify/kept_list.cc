// SPDX-License-Identifier: Apache-2.0
#include "verify/kept_list.h"

#include <string>
#include <utility>

namespace ethos::verify {

void KeptList::add(std::int64_t seq, Sha256& hash) {
  hash.begin();
  hash.add(list.view());
  hash.add(std::to_string(seq) + "\n");
  list = hash.finish();
  ++records;
}

Value KeptList::json() const {
  Value out = Value::object();
  out.set("list", Value::of(list.base64()));
  return out.set("records", Value::of(static_cast<std::int64_t>(records)));
}

Result<StateMarks> StateMarks::read(const Value& object) {
  StateMarks out;
  if (object.has("kept")) {
    const Value& kept = object.at("kept");
    const auto list = Digest::from_base64(kept.text_at("list"));
    const Value& records = kept.at("records");
    if (!kept.is_object() || kept.size() != 2 || !list || !records.is_integer() ||
        records.number() < 1) {
      return malformed("`kept` is not exactly {list, records}");
    }
    out.kept = KeptList{static_cast<std::uint64_t>(records.number()), *list};
  }
  if (object.has("sealed")) {
    const Value& sealed = object.at("sealed");
    if (!sealed.is_boolean() || !sealed.flag()) return malformed("`sealed` is not true");
    out.is_sealed = true;
  }
  if (object.has("open")) {
    const Value& open = object.at("open");
    if (!open.is_array() || open.size() > kMaxOpen)
      return malformed("`open` is no list of at most 300");
    out.open.emplace();
    for (const Value& seq : open.items()) {
      const bool is_next = seq.is_integer() && seq.number() >= 1 &&
                           (out.open->empty() || seq.number() > out.open->back());
      if (!is_next) return malformed("`open` is no list of ascending record numbers");
      out.open->push_back(seq.number());
    }
  }
  return out;
}

void StateMarks::write(Value& object) const {
  if (kept) object.set("kept", kept->json());
  if (open) {
    Value list = Value::array();
    for (const std::int64_t seq : *open) list.push(Value::of(seq));
    object.set("open", std::move(list));
  }
  if (is_sealed) object.set("sealed", Value::of(true));
}

}  // namespace ethos::verify
