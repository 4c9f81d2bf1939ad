// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "sarif/validate/checks.h"
#include "sarif/validate/placeholders.h"
#include "sarif/validate/times.h"

namespace ethos::sarif::validation {
namespace {

MessageTable message_strings(Context& context, const Value& object, Key key) {
  MessageTable messages;
  const auto strings = object.find(key);
  if (!strings || !strings->is_object()) return messages;
  for (const Value string : *strings) {
    const std::string_view text = string.text_of(Key::text).value_or(std::string_view());
    if (has_words(text) && text.back() != '.') {
      context.reporter.at_member(Check::message_without_period, string, Key::text, [&] {
        return "The message " + quoted(text) + " has no final period.";
      });
    }
    messages.add({context.hasher.text(string.name()), arguments_wanted(text)});
  }
  messages.seal();
  return messages;
}

void add_rule(Context& context, const Value& rule) {
  Component& component = context.run.open;
  const std::string_view id = rule.text_of(Key::id).value_or(std::string_view());
  const ItemDigest digest = context.hasher.text(id);
  const auto [place, is_new] = component.rule_by_id.emplace(digest, component.rules.size());
  if (!is_new && !id.empty()) {
    context.reporter.at_member(Check::duplicate_rule_id, rule, Key::id, [&, first = place->second] {
      return "Rule " + std::to_string(first) + " has the id " + quoted(id) + " too.";
    });
  }
  component.rules.push_back(
      {std::string(id), message_strings(context, rule, Key::message_strings)});
}

void check_names(Context& context, const Value& rule) {
  Reporter& reporter = context.reporter;
  const std::string_view id = rule.text_of(Key::id).value_or(std::string_view());
  const auto name = rule.text_of(Key::name);
  if (name && *name == id && !id.empty()) {
    reporter.at_member(Check::rule_name_is_id, rule, Key::name,
                       [&] { return "The rule " + quoted(id) + " has its id for a name."; });
  }
  const bool is_plain = std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!is_plain) {
    reporter.at_member(Check::rule_id_form, rule, Key::id, [&] {
      return "The rule id " + quoted(id) + " has more in it than letters and digits.";
    });
  }
}

void check_texts(Context& context, const Value& rule) {
  if (!context.reporter.is_on(Check::rule_text_absent)) return;
  std::string absent;
  for (const Key key : {Key::short_description, Key::full_description, Key::help}) {
    const auto text = rule.find(key, Key::text);
    if (text && has_words(text->text())) continue;
    if (!absent.empty()) absent += ", ";
    absent += key_name(key);
  }
  if (absent.empty()) return;
  context.reporter.at(Check::rule_text_absent, rule, [&] {
    return "The rule " + quoted(rule.text_of(Key::id).value_or(std::string_view())) + " has no " +
           absent + ".";
  });
}

struct TextLimit {
  Key outer;
  Key inner;  // Key::none: the text stands under `outer` itself
  std::size_t github;
  std::size_t gitlab;
};

// Characters that are kept (GitHub) or taken at all (GitLab).
constexpr std::array<TextLimit, 4> kTextLimits = {{{Key::name, Key::none, 255, 255},
                                                   {Key::short_description, Key::text, 1024, 1024},
                                                   {Key::full_description, Key::text, 1024, 2048},
                                                   {Key::help_uri, Key::none, 0, 2048}}};

void check_lengths(Context& context, const Value& rule) {
  const Profile profile = context.profile();
  if (profile != Profile::github && profile != Profile::gitlab) return;
  const Check check = profile == Profile::github ? Check::text_cut : Check::text_too_long;
  for (const TextLimit& limit : kTextLimits) {
    const std::size_t most = profile == Profile::github ? limit.github : limit.gitlab;
    const auto outer = rule.find(limit.outer);
    const auto text = outer && limit.inner != Key::none ? outer->find(limit.inner) : outer;
    if (most == 0 || !text || !text->is_string() || text->text().size() <= most) continue;
    const std::size_t length = character_count(text->text());
    if (length <= most) continue;
    context.reporter.at(check, *text, [&] {
      return std::string(key_name(limit.outer)) + " has " + std::to_string(length) +
             " characters; the limit is " + std::to_string(most) + ".";
    });
  }
}

void check_security_severity(Context& context, const Value& bag) {
  const auto value = bag.find(Key::security_severity);
  if (!value) return;
  Reporter& reporter = context.reporter;
  if (!value->is_string()) {
    reporter.at(Check::security_severity_not_text, *value,
                [] { return "security-severity is not a text."; });
    return;
  }
  const std::string_view text = value->text();
  double number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) {
    reporter.at(Check::security_severity_not_number, *value,
                [&] { return "security-severity is " + quoted(text) + "."; });
  } else if (!(number > 0.0 && number <= 10.0)) {
    reporter.at(Check::security_severity_range, *value,
                [&] { return "security-severity is " + quoted(text) + "."; });
  }
}

void check_word(Context& context, const Value& bag, Key key, Check check,
                std::initializer_list<std::string_view> words) {
  const auto value = bag.find(key);
  if (!value) return;
  if (value->is_string() && std::find(words.begin(), words.end(), value->text()) != words.end()) {
    return;
  }
  context.reporter.at(check, *value, [&] {
    return std::string(key_name(key)) + " is " +
           (value->is_string() ? quoted(value->text()) : std::string("not a text")) + ".";
  });
}

// "external/cwe/cwe-079" is how CodeQL writes it; GitLab reads "cwe-79" and "cwe:79".
bool is_unread_cwe(std::string_view tag) {
  constexpr std::string_view kPrefix = "external/cwe/";
  return tag.substr(0, kPrefix.size()) == kPrefix;
}

void check_tags(Context& context, const Value& bag) {
  const auto tags = bag.find(Key::tags);
  if (!tags || !tags->is_array()) return;
  Reporter& reporter = context.reporter;
  const std::uint32_t count = tags->count();
  const auto explain = [count] { return "The rule has " + std::to_string(count) + " tags."; };
  if (count > 20 && reporter.is_on(Check::too_many_tags)) {
    reporter.at(Check::too_many_tags, *tags, explain);
  } else if (count > 10) {
    reporter.at(Check::tags_cut, *tags, explain);
  }
  if (!reporter.is_on(Check::cwe_tag_unread)) return;
  for (const Value tag : *tags) {
    if (!is_unread_cwe(tag.text())) continue;
    reporter.at(Check::cwe_tag_unread, tag,
                [&] { return "The tag " + quoted(tag.text()) + " is not read."; });
  }
}

void check_rule(Context& context, const Value& rule) {
  check_names(context, rule);
  check_texts(context, rule);
  check_lengths(context, rule);
  if (!rule.find(Key::default_configuration, Key::level)) {
    context.reporter.at(Check::rule_level_absent, rule,
                        [] { return "The rule has no defaultConfiguration.level."; });
  }
  const auto bag = rule.find(Key::properties);
  if (!bag) return;
  check_security_severity(context, *bag);
  check_tags(context, *bag);
  check_word(context, *bag, Key::precision, Check::precision_unknown,
             {"very-high", "high", "medium", "low"});
  check_word(context, *bag, Key::problem_severity, Check::problem_severity_unknown,
             {"error", "warning", "recommendation"});
}

bool begins_with_digit(std::optional<std::string_view> text) {
  if (!text) return false;
  if (text->substr(0, 1) == "v") text->remove_prefix(1);
  return !text->empty() && text->front() >= '0' && text->front() <= '9';
}

void check_driver(Context& context, const Value& driver) {
  Reporter& reporter = context.reporter;
  const auto name = driver.text_of(Key::name);
  if (name && !has_words(*name)) {
    reporter.at_member(Check::tool_name_empty, driver, Key::name,
                       [] { return "The name of the driver is empty."; });
  }
  if (!begins_with_digit(driver.text_of(Key::version)) &&
      !begins_with_digit(driver.text_of(Key::semantic_version)) &&
      !begins_with_digit(driver.text_of(Key::dotted_quad_file_version))) {
    reporter.at(Check::tool_version_absent, driver,
                [] { return "The driver has no version that begins with a number."; });
  }
  if (!driver.has(Key::information_uri)) {
    reporter.at(Check::tool_uri_absent, driver, [] { return "The driver has no informationUri."; });
  }
  if (context.run.open.rules.empty()) {
    reporter.at(Check::rules_absent, driver, [] { return "The driver has no rules."; });
  }
}

// Whether the component is the run's own driver or one of its extensions, not one of a conversion,
// nor a taxonomy.
bool is_of_run_tool(const Value& component) {
  Value at = component.parent();
  if (at.is_array()) at = at.parent();
  return at.type() == Type::tool && at.has_parent() && at.parent().type() == Type::run;
}

}  // namespace

void check_descriptor(Context& context, const Value& descriptor) {
  if (!descriptor.has_parent()) return;
  switch (descriptor.parent().key()) {
    case Key::rules:
      add_rule(context, descriptor);
      check_rule(context, descriptor);
      break;
    case Key::notifications:
      ++context.run.open.notifications;
      break;
    case Key::taxa:
      ++context.run.open.taxa;
      break;
    default:
      break;
  }
}

void check_component(Context& context, const Value& component) {
  RunState& run = context.run;
  run.open.messages = message_strings(context, component, Key::global_message_strings);
  if (is_of_run_tool(component)) {
    if (component.key() == Key::driver) {
      check_driver(context, component);
      run.tool_name = component.text_of(Key::name).value_or(std::string_view());
      run.driver = std::move(run.open);
    } else {
      run.extensions.push_back(std::move(run.open));
    }
  } else if (component.parent().key() == Key::taxonomies) {
    ++run.taxonomies;
  }
  run.open = Component();
}

void check_invocation(Context& context, const Value& invocation) {
  ++context.run.counts[static_cast<std::size_t>(ClaimKind::invocation)];
  const auto start = invocation.text_of(Key::start_time_utc);
  const auto end = invocation.text_of(Key::end_time_utc);
  if (start && end && is_before(*end, *start)) {
    context.reporter.at_member(Check::times_reversed, invocation, Key::end_time_utc,
                               [] { return "The invocation ends before it starts."; });
  }
  const auto is_successful = invocation.find(Key::execution_successful);
  if (!is_successful || is_successful->flag() != false || context.run.has_error_notification) {
    context.run.has_error_notification = false;
    return;
  }
  context.reporter.at(Check::failure_unexplained, *is_successful, [] {
    return "The invocation failed, but no notification of level error says why.";
  });
}

void note_notification(Context& context, const Value& notification) {
  if (notification.text_of(Key::level) == std::string_view("error")) {
    context.run.has_error_notification = true;
  }
}

}  // namespace ethos::sarif::validation
