// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/json/string_codec.h"
#include "sarif/repair/mender.h"
#include "sarif/repair/region_repair.h"
#include "sarif/repair/words.h"
#include "sarif/uri.h"
#include "sarif/validate/number.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif {

using validation::Container;
using validation::Format;
using validation::Key;
using validation::Property;
using validation::Scalar;
using validation::Type;
using validation::Words;

namespace {

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + "\"";
}

bool is_required(Type type, Key key) {
  const auto& all = validation::object_type(type).all_of;
  return std::find(all.begin(), all.end(), key) != all.end();
}

bool has_alternatives(Type type) {
  const auto& object = validation::object_type(type);
  return object.any_of[0] != Key::none || object.one_of[0] != Key::none;
}

bool is_out_of_range(const JsonView& value, const Property& property) {
  const double number = validation::double_from_token(value.token());
  return (property.has_minimum && number < property.minimum) ||
         (property.has_maximum && number > property.maximum);
}

// Among the closed list of words, whatever the case.
std::optional<std::string> same_word(std::string_view text, Words words) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (const std::string_view word : validation::words_of(words)) {
    const bool is_same = word.size() == text.size() &&
                         std::equal(word.begin(), word.end(), text.begin(),
                                    [&lower](char a, char b) { return lower(a) == lower(b); });
    if (is_same) return word == text ? std::nullopt : std::optional<std::string>(word);
  }
  return std::nullopt;
}

bool is_security_severity(const Property& property, Type bag, Type outer) {
  return property.key == Key::security_severity && bag == Type::property_bag &&
         outer == Type::reporting_descriptor;
}

}  // namespace

bool Mender::is_lost(const JsonView& value, const Property& property, const Owner& owner,
                     const std::string& pointer) {
  const auto lose = [&](RepairKind kind, std::string_view reason) {
    StringSink sink;
    JsonWriter writer(sink, JsonLayout::compact);
    value.write(writer);
    note(kind, pointer, sink.text(), "", reason);
    return true;
  };
  if (property.scalar == Scalar::anything) {
    if (!is_security_severity(property, owner.type, owner.outer)) return false;
    const bool is_zero = value.is_number() && validation::double_from_token(value.token()) == 0;
    const auto mended = value.is_string() ? severity_for(value.text()) : std::nullopt;
    if (value.is_null() || is_zero) {
      return lose(RepairKind::severity_mapped, "no severity, but it would show as an error");
    }
    return mended && mended->text.empty() && lose(RepairKind::severity_mapped, mended->reason);
  }
  if (is_required(owner.type, property.key)) return false;
  if (value.is_null()) {
    return !property.may_be_null &&
           lose(RepairKind::null_replaced, "null where an absent property is meant");
  }
  if (property.container != Container::one) return false;
  switch (property.scalar) {
    case Scalar::object:
      return property.type == Type::region && plan_region(value).is_void &&
             lose(RepairKind::number_out_of_range, "a region without a start that can be");
    case Scalar::integer:
    case Scalar::number:
      return value.is_number() && owner.type != Type::region && !has_alternatives(owner.type) &&
             is_out_of_range(value, property) &&
             lose(RepairKind::number_out_of_range, "not a value that it can have");
    case Scalar::text:
      return property.format == Format::uri && value.is_string() && value.text().empty() &&
             lose(RepairKind::uri_encoded, "an empty text is no URI");
    default:
      return false;
  }
}

std::optional<std::string> Mender::mend_scalar(const JsonView& value, const Property& property,
                                               const Owner& owner, const JsonView* object,
                                               const std::string& pointer) {
  const auto change = [&](RepairKind kind, std::string token, std::string_view reason) {
    note(kind, pointer, std::string(value.token()), token, reason);
    return std::optional<std::string>(std::move(token));
  };
  if (is_security_severity(property, owner.type, owner.outer)) {
    if (value.is_number()) {
      const std::string text(value.token());
      return change(RepairKind::severity_mapped, quoted_json(text), "a number instead of a text");
    }
    const auto mended = value.is_string() ? severity_for(value.text()) : std::nullopt;
    if (!mended) return std::nullopt;
    return change(RepairKind::severity_mapped, quoted_json(mended->text), mended->reason);
  }
  if (value.is_number()) {
    const Remap* remap = remap_for(property, owner, object);
    const auto index = remap != nullptr ? value.integer() : std::nullopt;
    const auto moved = index ? remap->moved(*index) : std::nullopt;
    if (!moved) return std::nullopt;
    return change(RepairKind::item_merged, std::to_string(*moved), "what it points at has moved");
  }
  if (!value.is_string()) return std::nullopt;
  if (property.format == Format::uri || property.format == Format::uri_reference) {
    return mend_uri(value, property, owner, object, pointer);
  }
  if (property.words == Words::none) return std::nullopt;
  const std::string text = value.text();
  if (const auto word = same_word(text, property.words)) {
    return change(RepairKind::level_mapped, quoted_json(*word), "another case");
  }
  if (property.words != Words::level) return std::nullopt;
  const auto level = level_for(text);
  if (!level) return std::nullopt;
  return change(RepairKind::level_mapped, quoted_json(*level), "a word that is no level");
}

std::optional<std::string> Mender::mend_uri(const JsonView& value, const Property& property,
                                            const Owner& owner, const JsonView* object,
                                            const std::string& pointer) {
  const bool is_location = object != nullptr && owner.type == Type::artifact_location;
  const auto mended = property.format == Format::uri ? mend_absolute(value.text())
                      : is_location
                          ? mend_location(*object, may_be_relative(owner))
                          : mend_reference(value.text(), sources_, may_be_relative(owner));
  if (!mended) return std::nullopt;
  std::string token = quoted_json(mended->uri);
  note(mended->kind, pointer, std::string(value.token()), token, mended->reason);
  return token;
}

std::optional<MendedUri> Mender::mend_location(const JsonView& location,
                                               bool may_be_relative) const {
  const auto uri = location.find("uri");
  if (!uri || !uri->is_string()) return std::nullopt;
  const auto name = location.find("uriBaseId");
  const bool has_base = bases_ != nullptr && name && name->is_string();
  const std::string base = has_base ? bases_->resolve(name->text()) : std::string();
  return mend_reference(uri->text(), sources_, may_be_relative, base);
}

// Where the files of the repository are named. Other places name the machine's: a working
// directory, a log file, the tool itself.
bool Mender::may_be_relative(const Owner& owner) const {
  switch (owner.key) {
    case Key::artifact_location:
      return owner.outer == Type::physical_location || owner.outer == Type::artifact_change ||
             owner.outer == Type::attachment;
    case Key::location:
      return owner.outer == Type::artifact;
    case Key::analysis_target:
      return true;
    default:
      return false;
  }
}

// A base that no longer fits: the URI was absolute, so the base did not count, and is relative to
// the root now.
bool Mender::is_stale_base(const JsonView& value, const Property& property, const Owner& owner,
                           const JsonView* object, const std::string& pointer) {
  if (property.key != Key::uri_base_id || owner.type != Type::artifact_location) return false;
  if (!value.is_string() || !sources_.can_relate()) return false;
  const auto mended = mend_location(*object, may_be_relative(owner));
  if (!mended || mended->kind != RepairKind::uri_made_relative) return false;
  if (bases_ != nullptr && sources_.paths != nullptr) {
    const auto path = decode_uri_path(validation::split_uri(bases_->resolve(value.text())).path);
    if (path && !path->empty() && sources_.paths->map(*path).relative == ".") return false;
  }
  note(RepairKind::uri_made_relative, pointer, std::string(value.token()), "",
       "the URI is relative to the root now");
  return true;
}

const Remap* Mender::remap_for(const Property& property, const Owner& owner,
                               const JsonView* object) const {
  if (tables_ == nullptr || object == nullptr) return nullptr;
  const bool is_index = property.key == Key::index;
  const bool is_parent = property.key == Key::parent_index;
  switch (owner.type) {
    case Type::artifact_location:
      return is_index ? &tables_->artifacts : nullptr;
    case Type::artifact:
      return is_parent ? &tables_->artifacts : nullptr;
    case Type::logical_location:
      return is_index || is_parent ? &tables_->logical_locations : nullptr;
    case Type::result:
      if (property.key != Key::rule_index) return nullptr;
      break;
    case Type::reporting_descriptor_reference:
      if (!is_index || (owner.key != Key::rule && owner.key != Key::associated_rule &&
                        owner.outer_key != Key::rule_configuration_overrides)) {
        return nullptr;
      }
      break;
    default:
      return nullptr;
  }
  // A rule: the driver's, unless the reference names a component.
  const auto component = owner.type == Type::result ? object->find_path({"rule", "toolComponent"})
                                                    : object->find("toolComponent");
  if (!component) return &tables_->driver_rules;
  const auto extension = component->is_object() ? component->find("index") : std::nullopt;
  const auto index = extension ? extension->integer() : std::nullopt;
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= tables_->extension_rules.size()) {
    return nullptr;
  }
  return &tables_->extension_rules[static_cast<std::size_t>(*index)];
}

}  // namespace ethos::sarif
