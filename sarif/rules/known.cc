// SPDX-License-Identifier: Apache-2.0
#include "sarif/rules/known.h"

#include <utility>

#include "sarif/rules/naming.h"

namespace ethos::sarif {

Rule plain_rule(const std::string& id, std::string_view tool, std::string help_uri) {
  Rule rule;
  rule.id = id;
  rule.name = pascal_case(id);
  rule.short_description = phrase(id);
  if (rule.short_description.empty()) rule.short_description = "Rule " + id;
  rule.help_uri = std::move(help_uri);
  complete_rule(rule, tool);
  return rule;
}

void complete_rule(Rule& rule, std::string_view tool) {
  if (rule.short_description.empty()) {
    rule.short_description = rule.name.empty() ? rule.id : phrase(rule.name);
  }
  if (rule.full_description.empty()) {
    rule.full_description =
        rule.short_description + " (" + std::string(tool) + " rule " + rule.id + ").";
  }
  if (rule.help.empty()) {
    rule.help = rule.full_description;
    if (!rule.help_uri.empty()) rule.help += " See " + rule.help_uri;
  }
  if (rule.name == rule.id) rule.name.clear();
}

}  // namespace ethos::sarif
