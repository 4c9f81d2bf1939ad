// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/walker.h"

#include <cassert>

#include "sarif/validate/number.h"

namespace ethos::sarif::validation {
namespace {

constexpr Property kLog = {.scalar = Scalar::object, .type = Type::sarif_log};

// How much of the file is looked at together.
enum class Unit : std::uint8_t {
  part,  // belongs to what is around it
  leaf,  // shown to the listener with all that is in it, then dropped
  box    // the same, but the leaves in it were shown and dropped before
};

Unit unit_of(Type type) {
  switch (type) {
    case Type::result:
    case Type::reporting_descriptor:
    case Type::artifact:
    case Type::logical_location:
    case Type::notification:
    case Type::graph:
    case Type::thread_flow_location:
    case Type::address:
    case Type::web_request:
    case Type::web_response:
      return Unit::leaf;
    case Type::invocation:
    case Type::tool_component:
    case Type::conversion:
    case Type::external_properties:
    case Type::run:
    case Type::sarif_log:
      return Unit::box;
    default:
      return Unit::part;
  }
}

JsonKind kind_of(JsonEvent event) {
  switch (event) {
    case JsonEvent::string:
      return JsonKind::string;
    case JsonEvent::number:
      return JsonKind::number;
    case JsonEvent::literal_true:
    case JsonEvent::literal_false:
      return JsonKind::boolean;
    default:
      return JsonKind::null;
  }
}

// Both lone halves of surrogate pairs and duplicate keys are faults of the file; the first cannot
// be carried in UTF-8 at all, the second is reported and read on.
JsonOptions reader_options(const Options& options) {
  return {.limits = options.limits, .duplicate_keys = DuplicateKeyPolicy::report};
}

}  // namespace

Walker::Walker(ByteSource& source, const Options& options, Reporter& reporter, Report& report,
               Listener& listener)
    : reader_(source, reader_options(options)),
      reporter_(reporter),
      report_(report),
      listener_(listener) {}

void Walker::walk() {
  while (true) {
    const JsonEvent event = reader_.next();
    switch (event) {
      case JsonEvent::key:
        on_key();
        break;
      case JsonEvent::begin_object:
      case JsonEvent::begin_array:
        on_open(event == JsonEvent::begin_object);
        break;
      case JsonEvent::end_object:
      case JsonEvent::end_array:
        on_close();
        break;
      case JsonEvent::end:
        report_.bytes = reader_.offset();
        if (reader_.had_bom()) {
          reporter_.add(
              Check::byte_order_mark, {0, 1, 1}, [] { return std::string(); },
              [] { return "The file begins with a byte order mark."; });
        }
        return;
      case JsonEvent::error:
        on_fault();
        return;
      default:
        on_scalar(event);
        break;
    }
    // A fault inside skip_value() shows here.
    if (reader_.fault().code != JsonFaultCode::none) {
      on_fault();
      return;
    }
  }
}

void Walker::on_fault() {
  report_.fault = reader_.fault();
  report_.is_schema_valid = false;
  const JsonFault& fault = report_.fault;
  report_.bytes = fault.offset;
  reporter_.add(
      Check::unreadable, {fault.offset, fault.line, fault.column},
      [&fault] { return fault.pointer; },
      [&fault] { return "Reading stopped: " + fault.reason() + "."; });
}

void Walker::on_key() {
  Frame& frame = frames_.back();
  if (reader_.is_duplicate_key()) report_duplicate_key();
  const std::string_view name = reader_.text();
  if (frame.is_hashed) frame.member = hasher_.text(name);
  if (frame.kind == FrameKind::map) {
    pending_name_.assign(name);
    return;
  }
  if (frame.kind != FrameKind::object) return;
  const Key key = key_from_name(name);
  const std::uint8_t row = key == Key::none ? kNoRow : property_row(frame.type->type, key);
  if (row == kNoRow) {
    pending_ = nullptr;
    if (!frame.type->is_open) report_unknown(name, *frame.type);
    return;
  }
  frame.seen |= std::uint64_t{1} << row;
  pending_ = &frame.type->properties[row];
}

Walker::Expected Walker::expected() const {
  if (frames_.empty()) return {&kLog, true};
  const Frame& frame = frames_.back();
  switch (frame.kind) {
    case FrameKind::object:
      return {pending_, false};
    case FrameKind::list:
    case FrameKind::map:
      return {frame.property, true};
    case FrameKind::free:
      break;
  }
  return {};
}

bool Walker::wants_digest() const {
  if (frames_.empty()) return false;
  const Frame& frame = frames_.back();
  return frame.is_hashed || (frame.kind == FrameKind::list && frame.property->items_differ);
}

// Places a value that the schema knows in the tree, under its key, position or chosen name.
Tree::Index Walker::add_node(const Expected& expected, JsonKind kind) {
  if (expected.property == nullptr) return Tree::kNone;
  if (frames_.empty()) return tree_.begin(Tree::kNone, here(), kind, Key::none, {});
  const Frame& frame = frames_.back();
  const bool is_named = frame.kind == FrameKind::map;
  const Key key = frame.kind == FrameKind::object ? expected.property->key : Key::none;
  return tree_.begin(frame.node, here(), kind, key,
                     is_named ? std::string_view(pending_name_) : std::string_view());
}

void Walker::on_open(bool is_object) {
  const Expected want = expected();
  const JsonEvent event = is_object ? JsonEvent::begin_object : JsonEvent::begin_array;
  Frame frame;
  frame.is_json_object = is_object;
  frame.is_hashed = wants_digest();
  frame.spot = here();
  frame.node = add_node(want, is_object ? JsonKind::object : JsonKind::array);
  if (want.property != nullptr) {
    const Property& property = *want.property;
    const Container container = want.is_element ? Container::one : property.container;
    frame.property = &property;
    if (container == Container::list && !is_object) {
      frame.kind = FrameKind::list;
      if (property.items_differ) {
        if (digests_.size() == open_digests_) digests_.emplace_back();
        ++open_digests_;
      }
    } else if (container == Container::map && is_object) {
      frame.kind = FrameKind::map;
    } else if (container == Container::one && property.scalar == Scalar::object && is_object) {
      frame.kind = FrameKind::object;
      frame.type = &object_type(property.type);
      tree_.set_type(frame.node, property.type);
    } else if (container != Container::one || property.scalar != Scalar::anything) {
      fault(Check::wrong_type, frame.spot, [&] {
        return explain_scalar(Check::wrong_type, property, want.is_element, event, {}, {});
      });
    }
  }
  if (frame.kind == FrameKind::free && !frame.is_hashed) {
    skip_value();
    tree_.end(frame.node);
    value_done(frame.spot, nullptr);
    return;
  }
  if (frame.kind == FrameKind::object && leaf_depth_ == 0 &&
      unit_of(frame.type->type) == Unit::leaf) {
    frame.opens_leaf = true;
    leaf_depth_ = frames_.size() + 1;
  }
  if (frame.kind == FrameKind::object && frame.type->type == Type::run) listener_.begin_run();
  frames_.push_back(frame);
}

// Reads on to the end of the value that has just begun. Only its keys are looked at.
void Walker::skip_value() {
  std::size_t depth = 1;
  while (depth > 0) {
    switch (reader_.next()) {
      case JsonEvent::begin_object:
      case JsonEvent::begin_array:
        ++depth;
        break;
      case JsonEvent::end_object:
      case JsonEvent::end_array:
        --depth;
        break;
      case JsonEvent::key:
        if (reader_.is_duplicate_key()) report_duplicate_key();
        break;
      case JsonEvent::end:
      case JsonEvent::error:
        return;
      default:
        break;
    }
  }
}

void Walker::on_close() {
  const Frame frame = frames_.back();
  if (frame.kind == FrameKind::list) {
    if (frame.property->items_differ) digests_[--open_digests_].clear();
    if (frame.items < frame.property->least_items) {
      fault(Check::too_few_items, frame.spot, [&] {
        return std::string(key_name(frame.property->key)) + " must have at least " +
               std::to_string(frame.property->least_items) + " item.";
      });
    }
  }
  if (frame.kind == FrameKind::object) check_required(frame);
  tree_.end(frame.node);
  if (frame.kind == FrameKind::object) close_unit(frame);
  frames_.pop_back();
  if (frame.is_hashed) {
    const ItemDigest digest = digest_of(frame);
    value_done(frame.spot, &digest);
  } else {
    value_done(frame.spot, nullptr);
  }
}

void Walker::close_unit(const Frame& frame) {
  const Unit unit = unit_of(frame.type->type);
  const bool is_shown = frame.opens_leaf || (unit == Unit::box && leaf_depth_ == 0);
  if (frame.opens_leaf) leaf_depth_ = 0;
  if (!is_shown) return;
  // The frames around a result of a run are its array and the run.
  if (frame.type->type == Type::result && frames_.size() >= 3) {
    const ObjectType* around = frames_[frames_.size() - 3].type;
    if (around != nullptr && around->type == Type::run) ++report_.results;
  }
  if (tree_.take_overflow() || frame.node == Tree::kNone) {
    reporter_.add(
        Check::too_large_to_check, frame.spot, [this] { return reader_.pointer(); },
        [&] {
          return "This " + std::string(frame.type->name) +
                 " is too large: only its structure was checked.";
        });
  } else {
    listener_.end(tree_.at(frame.node));
  }
  tree_.drop(frame.node);
}

void Walker::check_required(const Frame& frame) {
  const ObjectType& type = *frame.type;
  const auto is_there = [&frame, &type](Key key) {
    return (frame.seen >> property_row(type.type, key) & 1U) != 0;
  };
  const auto names = [](const std::array<Key, 3>& keys) {
    std::string out;
    for (const Key key : keys) {
      if (key == Key::none) continue;
      if (!out.empty()) out += ", ";
      out += key_name(key);
    }
    return out;
  };
  for (const Key key : type.all_of) {
    if (key == Key::none || is_there(key)) continue;
    fault(Check::missing_property, frame.spot, [&] {
      return "This " + std::string(type.name) + " lacks " + std::string(key_name(key)) + ".";
    });
  }
  const auto count = [&is_there](const std::array<Key, 3>& keys) {
    int found = 0;
    for (const Key key : keys) found += key != Key::none && is_there(key) ? 1 : 0;
    return found;
  };
  if (type.any_of[0] != Key::none && count(type.any_of) == 0) {
    fault(Check::needs_one_of, frame.spot, [&] {
      return "This " + std::string(type.name) + " needs at least one of " + names(type.any_of) +
             ".";
    });
  }
  if (type.one_of[0] != Key::none && count(type.one_of) != 1) {
    fault(Check::needs_one_of, frame.spot, [&] {
      return "This " + std::string(type.name) + " needs exactly one of " + names(type.one_of) + ".";
    });
  }
}

void Walker::on_scalar(JsonEvent event) {
  const Expected want = expected();
  const Spot spot = here();
  if (want.property != nullptr) {
    const Property& property = *want.property;
    const bool is_container = !want.is_element && property.container != Container::one;
    std::optional<Check> broken;
    if (is_container) {
      if (event != JsonEvent::literal_null || !property.may_be_null) broken = Check::wrong_type;
    } else {
      broken = check_scalar(property, event, reader_.raw(), reader_.text());
    }
    const bool is_version = property.key == Key::version && frames_.size() == 1;
    if (broken == Check::unknown_word && is_version) {
      report_.is_schema_valid = false;
      reporter_.only_wrong_version(
          spot, reader_.pointer(),
          "This is SARIF " + quoted(reader_.text()) + "; only 2.1.0 is checked.");
    } else if (broken) {
      fault(*broken, spot, [&] {
        return explain_scalar(*broken, property, want.is_element, event, reader_.raw(),
                              reader_.text());
      });
    }
    const Tree::Index node = add_node(want, kind_of(event));
    if (event == JsonEvent::string) tree_.set_text(node, reader_.text());
    if (event == JsonEvent::number) tree_.set_text(node, reader_.raw());
    tree_.set_flag(node, event == JsonEvent::literal_true);
    tree_.end(node);
  }
  if (wants_digest()) {
    const ItemDigest digest = digest_of_scalar(event);
    value_done(spot, &digest);
  } else {
    value_done(spot, nullptr);
  }
}

// Tells the container around a value that it is complete.
void Walker::value_done(const Spot& spot, const ItemDigest* digest) {
  if (frames_.empty()) return;
  Frame& frame = frames_.back();
  ++frame.items;
  if (digest == nullptr) return;
  if (frame.kind == FrameKind::list && frame.property->items_differ &&
      !digests_[open_digests_ - 1].insert(*digest)) {
    fault(Check::duplicate_item, spot, [&] {
      return "This item of " + std::string(key_name(frame.property->key)) +
             " is equal to one before it.";
    });
  }
  if (!frame.is_hashed) return;
  frame.state = frame.is_json_object
                    ? ItemHasher::add(frame.state, hasher_.member(frame.member, *digest))
                    : hasher_.element(frame.state, *digest);
}

ItemDigest Walker::digest_of(const Frame& frame) const {
  return frame.is_json_object ? hasher_.object(frame.state, frame.items)
                              : hasher_.array(frame.state, frame.items);
}

ItemDigest Walker::digest_of_scalar(JsonEvent event) const {
  switch (event) {
    case JsonEvent::string:
      return hasher_.text(reader_.text());
    case JsonEvent::number:
      return hasher_.number(double_from_token(reader_.raw()));
    case JsonEvent::literal_true:
      return hasher_.literal('t');
    case JsonEvent::literal_false:
      return hasher_.literal('f');
    default:
      return hasher_.literal('n');
  }
}

void Walker::report_unknown(std::string_view name, const ObjectType& type) {
  fault(Check::unknown_property, here(), [&] {
    const std::string_view similar = similar_name(name, type);
    std::string fix;
    if (!similar.empty()) fix = "Perhaps " + std::string(similar) + " is meant.";
    return Explanation("A " + std::string(type.name) + " has no property " + quoted(name) + ".",
                       fix);
  });
}

void Walker::report_duplicate_key() {
  reporter_.add(
      Check::duplicate_key, here(), [this] { return reader_.pointer(); },
      [this] { return "The key " + quoted(reader_.text()) + " stands here again."; });
}

}  // namespace ethos::sarif::validation
