// SPDX-License-Identifier: Apache-2.0
#include "sarif/rules/known.h"

#include "sarif/rules/naming.h"

namespace ethos::sarif {

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
