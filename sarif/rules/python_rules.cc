// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sarif/rules/known.h"
#include "sarif/rules/naming.h"

namespace ethos::sarif {
namespace {

struct Entry {
  std::string_view id;
  std::string_view text;
};

// Codes of pycodestyle, pyflakes and mccabe that come up most, in our own words. Sorted by id.
constexpr auto kFlake8 = std::to_array<Entry>({
    {"C901", "Function is too complex"},
    {"E101", "Indentation mixes spaces and tabs"},
    {"E111", "Indentation is not a multiple of four"},
    {"E117", "Over-indented"},
    {"E121", "Continuation line under-indented for hanging indent"},
    {"E127", "Continuation line over-indented for visual indent"},
    {"E128", "Continuation line under-indented for visual indent"},
    {"E201", "White space after an opening bracket"},
    {"E202", "White space before a closing bracket"},
    {"E203", "White space before punctuation"},
    {"E211", "White space before an opening bracket"},
    {"E221", "Several spaces before an operator"},
    {"E225", "No white space around an operator"},
    {"E226", "No white space around an arithmetic operator"},
    {"E231", "No white space after punctuation"},
    {"E251", "White space around a keyword argument's equals sign"},
    {"E261", "Fewer than two spaces before an inline comment"},
    {"E262", "Inline comment does not start with '# '"},
    {"E265", "Block comment does not start with '# '"},
    {"E301", "Too few blank lines before a nested definition"},
    {"E302", "Too few blank lines before a definition"},
    {"E303", "Too many blank lines"},
    {"E305", "Too few blank lines after a definition"},
    {"E401", "Several imports on one line"},
    {"E402", "Module level import not at the top of the file"},
    {"E501", "Line too long"},
    {"E502", "Backslash between brackets is not needed"},
    {"E701", "Several statements on one line (colon)"},
    {"E702", "Several statements on one line (semicolon)"},
    {"E711", "Comparison to None with an equality operator"},
    {"E712", "Comparison to a truth value with an equality operator"},
    {"E713", "Membership test is written as 'not x in'"},
    {"E721", "Types compared directly"},
    {"E722", "Bare except"},
    {"E731", "Lambda assigned to a name"},
    {"E741", "Ambiguous variable name"},
    {"E902", "File cannot be read"},
    {"E999", "File cannot be compiled"},
    {"F401", "Module imported and not used"},
    {"F402", "Import hidden by a loop variable"},
    {"F403", "Star import: undefined names cannot be found"},
    {"F405", "Name may come from a star import"},
    {"F541", "f-string without placeholders"},
    {"F601", "Dictionary key repeated with different values"},
    {"F632", "Identity comparison with a literal"},
    {"F811", "Unused name is defined again"},
    {"F821", "Undefined name"},
    {"F823", "Local variable referenced before assignment"},
    {"F841", "Local variable assigned and never used"},
    {"W191", "Indentation contains tabs"},
    {"W291", "Trailing white space"},
    {"W292", "No newline at the end of the file"},
    {"W293", "White space on a blank line"},
    {"W391", "Blank line at the end of the file"},
    {"W503", "Line break before a binary operator"},
    {"W504", "Line break after a binary operator"},
    {"W605", "Invalid escape sequence"},
});
static_assert(std::ranges::is_sorted(kFlake8, {}, &Entry::id));

std::string_view pylint_category(char letter) {
  switch (letter) {
    case 'C':
      return "convention";
    case 'E':
      return "error";
    case 'F':
      return "fatal";
    case 'I':
      return "information";
    case 'R':
      return "refactor";
    default:
      return "warning";
  }
}

// "import pickle" of ".../blacklist_imports.html#b403-import-pickle": all blacklist tests share the
// name "blacklist", and only the page's anchor says which one this is.
std::string blacklist_subject(const std::string& id, std::string_view more_info) {
  const std::size_t hash = more_info.rfind('#');
  if (hash == std::string_view::npos) return {};
  std::string_view anchor = more_info.substr(hash + 1);
  const std::size_t dash = anchor.find('-');
  if (dash == std::string_view::npos || dash != id.size()) return {};
  return std::string(anchor.substr(dash + 1));
}

}  // namespace

Rule flake8_rule(const std::string& id) {
  Rule rule;
  rule.id = id;
  const auto* const found =
      std::lower_bound(kFlake8.begin(), kFlake8.end(), id,
                       [](const Entry& entry, const std::string& key) { return entry.id < key; });
  rule.short_description =
      found != kFlake8.end() && found->id == id ? std::string(found->text) : "flake8 " + id;
  if (found != kFlake8.end() && found->id == id) rule.name = pascal_case(found->text);
  if (id.starts_with('E') || id.starts_with('W')) {
    rule.help_uri = "https://pycodestyle.pycqa.org/en/latest/intro.html#error-codes";
    rule.tags = {"style"};
  } else if (id.starts_with('F')) {
    rule.help_uri = "https://flake8.pycqa.org/en/latest/user/error-codes.html";
  } else if (id == "C901") {
    rule.help_uri = "https://github.com/PyCQA/mccabe";
    rule.tags = {"maintainability"};
  }
  complete_rule(rule, "flake8");
  return rule;
}

Rule pylint_rule(const std::string& id, std::string_view symbol) {
  Rule rule;
  rule.id = id;
  rule.name = pascal_case(symbol);
  const std::string_view category = pylint_category(id.empty() ? 'W' : id.front());
  if (!symbol.empty()) {
    rule.short_description = phrase(symbol);
    rule.help_uri = "https://pylint.readthedocs.io/en/stable/user_guide/messages/" +
                    std::string(category) + "/" + std::string(symbol) + ".html";
  }
  rule.tags = {std::string(category)};
  complete_rule(rule, "Pylint");
  return rule;
}

Rule bandit_rule(const std::string& id, std::string_view test_name, std::string_view more_info,
                 std::string_view cwe) {
  Rule rule;
  rule.id = id;
  std::string subject;
  if (test_name == "blacklist") subject = blacklist_subject(id, more_info);
  if (subject.empty()) subject = test_name;
  rule.name = pascal_case(subject);
  rule.short_description = phrase(subject);
  if (more_info.starts_with("https://")) rule.help_uri = more_info;
  rule.tags = {"security"};
  if (!cwe.empty()) rule.tags.push_back(cwe_tag(cwe));
  complete_rule(rule, "Bandit");
  return rule;
}

}  // namespace ethos::sarif
