// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/checks.h"
#include "sarif/validate/placeholders.h"

namespace ethos::sarif::validation {
namespace {

// An index into one of the run's arrays.
void check_run_index(Context& context, const Value& object, Key key, ClaimKind kind) {
  const auto index = object.integer_of(key);
  if (!index) return;
  if (*index < 0) {
    context.reporter.at_member(Check::says_nothing, object, key, [&] {
      return std::string(key_name(key)) + " is -1, which is what an absent one means.";
    });
    return;
  }
  if (!is_in_run(object)) return;
  if (*index < context.run.counts[static_cast<std::size_t>(kind)]) return;
  context.claim({.kind = kind, .number = *index}, *object.find(key));
}

void check_message(Context& context, const Value& message) {
  const auto text = message.text_of(Key::text);
  const auto arguments = message.find(Key::arguments);
  // Braces in a text without arguments are more often code than placeholders.
  if (text && arguments && arguments->is_array()) {
    const std::int64_t wanted = arguments_wanted(*text);
    if (wanted > arguments->count()) {
      context.reporter.at_member(Check::too_few_arguments, message, Key::text, [&] {
        return "The text asks for " + std::to_string(wanted) + " arguments, but there are " +
               std::to_string(arguments->count()) + ".";
      });
    }
  }
  if (text && !has_words(*text) && message.parent().type() == Type::result) {
    context.reporter.at_member(Check::empty_message, message, Key::text,
                               [] { return "The text of the message is empty."; });
  }
}

// A reference to a rule, notification or taxon other than the one that a result is about.
void check_reference(Context& context, const Value& reference) {
  const auto index = reference.integer_of(Key::index);
  if (index && *index < 0) {
    context.reporter.at_member(Check::says_nothing, reference, Key::index,
                               [] { return "index is -1, which is what an absent one means."; });
    return;
  }
  // With a component the index counts in that one, which may be a taxonomy or a policy.
  if (!index || reference.has(Key::tool_component) || !is_in_run(reference)) return;
  switch (reference.key()) {
    case Key::descriptor:
      if (reference.parent().type() == Type::notification) {
        check_run_index(context, reference, Key::index, ClaimKind::notification);
        return;
      }
      break;
    case Key::associated_rule:
      break;
    default:
      return;
  }
  const std::string_view id = reference.text_of(Key::id).value_or(std::string_view());
  context.claim({.kind = ClaimKind::rule, .number = *index, .text = id}, reference);
}

void check_component_reference(Context& context, const Value& reference) {
  check_run_index(context, reference, Key::index, ClaimKind::extension);
}

}  // namespace

void check_parts(Context& context, const Value& unit) {
  unit.each_object([&context](const Value& part) {
    switch (part.type()) {
      case Type::artifact_location:
        if (part.has_parent() && part.parent().key() == Key::original_uri_base_ids) {
          check_base(context, part);
        } else {
          check_artifact_location(context, part);
        }
        break;
      case Type::region:
        check_region(context, part);
        break;
      case Type::physical_location:
        check_physical_location(context, part);
        break;
      case Type::message:
        check_message(context, part);
        break;
      case Type::graph:
        check_graph(context, part);
        break;
      case Type::reporting_descriptor_reference:
        check_reference(context, part);
        break;
      case Type::tool_component_reference:
        check_component_reference(context, part);
        break;
      case Type::logical_location:
        check_run_index(context, part, Key::index, ClaimKind::logical_location);
        break;
      case Type::address:
        check_run_index(context, part, Key::index, ClaimKind::address);
        break;
      case Type::thread_flow_location:
        check_run_index(context, part, Key::index, ClaimKind::step);
        break;
      case Type::web_request:
        check_run_index(context, part, Key::index, ClaimKind::web_request);
        break;
      case Type::web_response:
        check_run_index(context, part, Key::index, ClaimKind::web_response);
        break;
      case Type::graph_traversal:
        check_run_index(context, part, Key::run_graph_index, ClaimKind::graph);
        break;
      case Type::result_provenance:
        check_run_index(context, part, Key::invocation_index, ClaimKind::invocation);
        break;
      default:
        break;
    }
  });
}

}  // namespace ethos::sarif::validation
