// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/mender.h"

#include <algorithm>
#include <cassert>

#include "sarif/json/copy.h"
#include "sarif/repair/region_repair.h"
#include "sarif/uri.h"
#include "sarif/validate/number.h"
#include "sarif/validate/tree.h"

namespace ethos::sarif {

using validation::Container;
using validation::Key;
using validation::Property;
using validation::Scalar;
using validation::Type;

namespace {

constexpr std::string_view kHashKey = "primaryLocationLineHash";

std::string json_of(const JsonView& value) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  value.write(writer);
  return sink.text();
}

std::string below(const std::string& pointer, std::string_view token) {
  std::string out = pointer;
  validation::append_pointer_token(out, token);
  return out;
}

const Property* property_for(Type type, std::string_view name) {
  const Key key = validation::key_from_name(name);
  if (key == Key::none || type == Type::none) return nullptr;
  const std::uint8_t row = validation::property_row(type, key);
  if (row == validation::kNoRow) return nullptr;
  return &validation::object_type(type).properties[row];
}

// Whether nothing is left of a region that may be absent.
bool goes_as_a_whole(const JsonView& region) {
  return region.is_null() || (region.is_object() && plan_region(region).is_void);
}

// Arrays that something points into by index: an element cannot go without the indices following.
bool is_indexed(Type type, Key key) {
  switch (type) {
    case Type::run:
    case Type::external_properties:
      return true;
    case Type::tool:
      return key == Key::extensions;
    case Type::tool_component:
      return key == Key::rules || key == Key::notifications || key == Key::taxa;
    case Type::result:
      return key == Key::graphs;
    default:
      return false;
  }
}

}  // namespace

void Mender::note(RepairKind kind, std::string pointer, std::string before, std::string after,
                  std::string_view reason) {
  constexpr std::size_t kLongest = 4096;
  const auto cut = [](std::string& text) {
    if (text.size() <= kLongest) return;
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text += "...";
  };
  cut(before);
  cut(after);
  changes_.push_back(
      {kind, line_, std::move(pointer), std::move(before), std::move(after), std::string(reason)});
}

void Mender::write_member(const JsonView& value, std::string_view key, Type type,
                          const std::string& parent_pointer, JsonWriter& writer) {
  const Property* property = property_for(type, key);
  if (property == nullptr) {
    writer.key(key);
    value.write(writer);
    return;
  }
  const Owner owner{.type = type};
  write_known(value, key, *property, owner, nullptr, below(parent_pointer, key), writer);
}

void Mender::write_element(const JsonView& value, const Property& property,
                           const std::string& pointer, JsonWriter& writer) {
  write_value(value, property, true, {}, pointer, writer);
}

std::string Mender::mended_text(const JsonView& value, const Property& property,
                                const std::string& pointer) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  write_element(value, property, pointer, writer);
  return sink.text();
}

void Mender::write_known(const JsonView& value, std::string_view name, const Property& property,
                         const Owner& owner, const JsonView* object, const std::string& pointer,
                         JsonWriter& writer) {
  const bool is_results = owner.type == Type::run && property.key == Key::results;
  const bool is_runs = owner.type == Type::sarif_log && property.key == Key::runs;
  if (value.is_null() && (is_results || is_runs)) {
    note(RepairKind::null_replaced, pointer, "null", "[]", "null where readers expect an array");
    writer.key(name);
    writer.begin_array();
    writer.end_array();
    return;
  }
  if (is_lost(value, property, owner, pointer)) return;
  if (object != nullptr && is_stale_base(value, property, owner, object, pointer)) return;
  if (property.container == Container::one && !value.is_object() && !value.is_array()) {
    const auto token = mend_scalar(value, property, owner, object, pointer);
    writer.key(name);
    if (token) {
      writer.raw_scalar(*token);
    } else {
      value.write(writer);
    }
    return;
  }
  writer.key(name);
  write_value(value, property, false, owner, pointer, writer);
}

void Mender::write_value(const JsonView& value, const Property& property, bool is_element,
                         const Owner& owner, const std::string& pointer, JsonWriter& writer) {
  const Container container = is_element ? Container::one : property.container;
  const Owner inner{
      .type = property.type, .key = property.key, .outer = owner.type, .outer_key = owner.key};
  if (container == Container::list && value.is_array()) {
    write_list(value, property, owner, pointer, writer);
  } else if (container == Container::map && value.is_object()) {
    writer.begin_object();
    for (const JsonView entry : value) {
      const std::string name = entry.key();
      writer.key(name);
      Property element = property;
      element.key = Key::none;
      write_value(entry, element, true, owner, below(pointer, name), writer);
    }
    writer.end_object();
  } else if (container == Container::one && property.scalar == Scalar::object &&
             value.is_object() && property.type != Type::external_properties) {
    write_object(value, inner, pointer, writer);
  } else if (container == Container::one && (value.is_string() || value.is_number())) {
    const auto token = mend_scalar(value, property, owner, nullptr, pointer);
    if (token) {
      writer.raw_scalar(*token);
    } else {
      value.write(writer);
    }
  } else {
    value.write(writer);
  }
}

void Mender::write_object(const JsonView& object, const Owner& owner, const std::string& pointer,
                          JsonWriter& writer) {
  RegionPlan plan;
  if (owner.type == Type::region) plan = plan_region(object);
  if (plan.is_void) plan.lost.clear();  // it has to stay, so it stays whole
  const auto hash = owner.type == Type::result ? fingerprint_of(object) : std::nullopt;
  bool has_prints = false;
  bool has_region = false;
  writer.begin_object();
  for (const JsonView member : object) {
    const std::string name = member.key();
    const Property* property = property_for(owner.type, name);
    const std::string place = below(pointer, name);
    if (property == nullptr) {
      member.write_member(writer);
      continue;
    }
    const auto lost =
        std::find_if(plan.lost.begin(), plan.lost.end(),
                     [property](const LostMember& each) { return each.key == property->key; });
    if (lost != plan.lost.end()) {
      note(RepairKind::number_out_of_range, place, json_of(member), "", lost->reason);
      continue;
    }
    if (hash && property->key == Key::partial_fingerprints && member.is_object()) {
      has_prints = true;
      writer.key(name);
      writer.begin_object();
      for (const JsonView print : member) print.write_member(writer);
      write_fingerprint(*hash, place, writer);
      writer.end_object();
      continue;
    }
    const bool is_region = property->key == Key::region && property->type == Type::region;
    has_region = has_region || (is_region && !goes_as_a_whole(member));
    write_known(member, name, *property, owner, &object, place, writer);
  }
  add_region(object, owner, pointer, has_region, writer);
  if (hash && !has_prints) {
    const std::string_view key = validation::key_name(Key::partial_fingerprints);
    writer.key(key);
    writer.begin_object();
    write_fingerprint(*hash, below(pointer, key), writer);
    writer.end_object();
  }
  writer.end_object();
}

// A place of a result without a region, or with one that had no start: line 1 stands for the whole
// file, for readers that ask for a line.
void Mender::add_region(const JsonView& object, const Owner& owner, const std::string& pointer,
                        bool has_region, JsonWriter& writer) {
  const bool is_place = owner.type == Type::physical_location && owner.outer_key == Key::locations;
  if (!adds_regions_ || !is_place || has_region || !object.find("artifactLocation")) return;
  writer.key("region");
  writer.begin_object();
  writer.member_integer("startLine", 1);
  writer.end_object();
  note(RepairKind::region_added, below(pointer, "region"), "", R"({"startLine":1})",
       "line 1 stands for the whole file");
}

void Mender::write_list(const JsonView& list, const Property& property, const Owner& owner,
                        const std::string& pointer, JsonWriter& writer) {
  const bool must_differ = property.items_differ && !is_indexed(owner.type, property.key);
  validation::DigestSet seen;
  std::size_t index = 0;
  writer.begin_array();
  for (const JsonView element : list) {
    const std::string place = pointer + "/" + std::to_string(index++);
    if (element.is_null() && !is_indexed(owner.type, property.key)) {
      note(RepairKind::null_replaced, place, "null", "", "null among the items");
      continue;
    }
    if (!must_differ) {
      write_value(element, property, true, owner, place, writer);
      continue;
    }
    const std::size_t mark = changes_.size();
    StringSink sink;
    JsonWriter text(sink, JsonLayout::compact);
    write_value(element, property, true, owner, place, text);
    if (!seen.insert(digest_of_text(sink.text()))) {
      changes_.resize(mark);
      note(RepairKind::duplicate_removed, place, json_of(element), "",
           "equal to an item before, where all must differ");
      continue;
    }
    MemorySource source(sink.text());
    JsonReader reader(source);
    const bool is_copied = copy_value(reader, reader.next(), writer);
    assert(is_copied);
    static_cast<void>(is_copied);
  }
  writer.end_array();
}

validation::ItemDigest Mender::digest_of_text(const std::string& text) const {
  MemorySource source(text);
  JsonReader reader(source);
  JsonFragment fragment;
  const bool is_captured = fragment.capture(reader, reader.next());
  assert(is_captured);
  return is_captured ? digest_of(fragment.root()) : validation::ItemDigest{};
}

validation::ItemDigest Mender::digest_of(const JsonView& value) const {
  switch (value.kind()) {
    case JsonKind::string:
      return hasher_.text(value.text());
    case JsonKind::number:
      return hasher_.number(validation::double_from_token(value.token()));
    case JsonKind::boolean:
      return hasher_.literal(value.boolean() == true ? 't' : 'f');
    case JsonKind::null:
      return hasher_.literal('n');
    case JsonKind::array: {
      validation::ItemDigest state;
      std::uint64_t count = 0;
      for (const JsonView element : value) {
        state = hasher_.element(state, digest_of(element));
        ++count;
      }
      return hasher_.array(state, count);
    }
    case JsonKind::object:
      break;
  }
  validation::ItemDigest sum;
  std::uint64_t count = 0;
  for (const JsonView member : value) {
    sum = validation::ItemHasher::add(
        sum, hasher_.member(hasher_.text(member.key()), digest_of(member)));
    ++count;
  }
  return hasher_.object(sum, count);
}

void Mender::write_fingerprint(const std::string& hash, const std::string& pointer,
                               JsonWriter& writer) {
  writer.member(kHashKey, hash);
  note(RepairKind::fingerprint_added, below(pointer, kHashKey), "", "\"" + hash + "\"",
       "from the line in the source");
}

// As GitHub's action does it: the first location, its line, its file below the root.
std::optional<std::string> Mender::fingerprint_of(const JsonView& result) const {
  if (files_ == nullptr || sources_.paths == nullptr) return std::nullopt;
  const auto prints = result.find("partialFingerprints");
  if (prints && !prints->is_null() && (!prints->is_object() || prints->find(kHashKey))) {
    return std::nullopt;
  }
  const auto locations = result.find("locations");
  const auto first = locations ? locations->at(0) : std::nullopt;
  const auto region = first ? first->find_path({"physicalLocation", "region"}) : std::nullopt;
  const auto line = region ? region->find("startLine") : std::nullopt;
  const auto artifact =
      first ? first->find_path({"physicalLocation", "artifactLocation"}) : std::nullopt;
  const auto uri = artifact && artifact->is_object() ? artifact->find("uri") : std::nullopt;
  if (!uri || !uri->is_string()) return std::nullopt;
  const bool gets_region = adds_regions_ && (!region || goes_as_a_whole(*region));
  if (!gets_region && (!line || !line->is_number() || !is_plausible(*line, 1))) return std::nullopt;
  const auto number =
      gets_region ? std::optional<std::int64_t>(1) : validation::integer_from_token(line->token());
  std::string reference = uri->text();
  if (auto mended = mend_location(*artifact, true)) reference = std::move(mended->uri);
  const auto path = decode_uri_path(reference);
  if (!number || !path || path->find("://") != std::string::npos) return std::nullopt;
  SourceFile* file = files_->find(sources_.paths->map(*path).relative);
  return file == nullptr ? std::nullopt : file->hash(static_cast<std::size_t>(*number));
}

}  // namespace ethos::sarif
