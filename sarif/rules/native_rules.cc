// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sarif/rules/known.h"
#include "sarif/rules/naming.h"

namespace ethos::sarif {
namespace {

struct Entry {
  std::string_view id;
  std::string_view text;
};

// cppcheck ids whose words alone do not say it, in our own words. Sorted by id.
constexpr auto kCppcheck = std::to_array<Entry>({
    {"arrayIndexOutOfBounds", "Array accessed outside its bounds"},
    {"bufferAccessOutOfBounds", "Buffer accessed outside its bounds"},
    {"constParameter", "Parameter can be const"},
    {"constVariable", "Variable can be const"},
    {"cstyleCast", "C-style cast"},
    {"deallocret", "Memory returned after it was released"},
    {"deallocuse", "Memory used after it was released"},
    {"doubleFree", "Memory released twice"},
    {"funcArgNamesDifferent", "Parameter names of declaration and definition differ"},
    {"invalidPrintfArgType_sint", "printf argument of the wrong type"},
    {"knownConditionTrueFalse", "Condition is always true or always false"},
    {"leakNoVarFunctionCall", "Allocated memory passed on without being kept"},
    {"memleak", "Memory is not released"},
    {"memleakOnRealloc", "Memory lost when realloc fails"},
    {"missingInclude", "Include file not found"},
    {"missingIncludeSystem", "System include file not found"},
    {"noExplicitConstructor", "Constructor with one argument is not explicit"},
    {"nullPointer", "Null pointer dereferenced"},
    {"nullPointerRedundantCheck", "Pointer tested for null after it was used"},
    {"resourceLeak", "File or other resource is not closed"},
    {"shadowVariable", "Local variable hides another one"},
    {"syntaxError", "Code cannot be parsed"},
    {"uninitMemberVar", "Member variable is not initialised"},
    {"uninitvar", "Variable used before it is initialised"},
    {"unreadVariable", "Assigned value is never used"},
    {"unusedFunction", "Function is never used"},
    {"useStlAlgorithm", "A standard algorithm can replace the loop"},
    {"variableScope", "Scope of the variable can be smaller"},
    {"zerodiv", "Division by zero"},
});
static_assert(std::ranges::is_sorted(kCppcheck, {}, &Entry::id));

std::string anchor_of(std::string_view flag) {
  // Documentation anchors leave the leading dash and a value behind "=" out.
  std::string anchor(flag.substr(1));
  return anchor.substr(0, anchor.find('='));
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string gcc_page(const std::string& id) {
  const std::string base = "https://gcc.gnu.org/onlinedocs/gcc/";
  const std::string_view page =
      id.starts_with("-Wanalyzer-") ? "Static-Analyzer-Options.html" : "Warning-Options.html";
  return base + std::string(page) + "#index-" + anchor_of(id);
}

std::string clang_page(const std::string& flag) {
  return "https://clang.llvm.org/docs/DiagnosticsReference.html#" + lower_case(anchor_of(flag));
}

std::string clang_tidy_page(const std::string& id) {
  constexpr std::string_view kDiagnostic = "clang-diagnostic-";
  if (id.starts_with(kDiagnostic)) return clang_page("-W" + id.substr(kDiagnostic.size()));
  // The module is the first word, but for "clang-analyzer".
  constexpr std::string_view kAnalyzer = "clang-analyzer-";
  const std::size_t dash =
      id.starts_with(kAnalyzer) ? kAnalyzer.size() - 1 : std::min(id.find('-'), id.size());
  if (dash >= id.size()) return {};
  return "https://clang.llvm.org/extra/clang-tidy/checks/" + id.substr(0, dash) + "/" +
         id.substr(dash + 1) + ".html";
}

std::string_view compiler_name(Compiler compiler) {
  switch (compiler) {
    case Compiler::gcc:
      return "GCC";
    case Compiler::clang:
      return "Clang";
    case Compiler::clang_tidy:
      return "clang-tidy";
  }
  return "compiler";
}

}  // namespace

Rule cppcheck_rule(const std::string& id, std::string_view cwe) {
  Rule rule;
  rule.id = id;
  rule.name = pascal_case(id);
  const auto* const found =
      std::lower_bound(kCppcheck.begin(), kCppcheck.end(), id,
                       [](const Entry& entry, const std::string& key) { return entry.id < key; });
  if (found != kCppcheck.end() && found->id == id) rule.short_description = found->text;
  if (!cwe.empty()) {
    rule.help_uri = cwe_uri(cwe);
    rule.tags.push_back(cwe_tag(cwe));
  }
  complete_rule(rule, "Cppcheck");
  return rule;
}

Rule compiler_rule(const std::string& id, Compiler compiler, std::string_view cwe) {
  Rule rule;
  rule.id = id;
  const bool is_flag = id.starts_with("-W") || id.starts_with("-f");
  if (is_flag) {
    rule.name = pascal_case(id.substr(2));
    rule.help_uri = compiler == Compiler::gcc ? gcc_page(id) : clang_page(id);
  } else if (id.find('-') != std::string::npos && compiler == Compiler::clang_tidy) {
    rule.name = pascal_case(id);
    rule.help_uri = clang_tidy_page(id);
  } else {
    rule.name = pascal_case(std::string(compiler_name(compiler)) + "-" + id);
    rule.short_description = phrase(id) + " without a name of its own";
  }
  if (!cwe.empty()) rule.tags.push_back(cwe_tag(cwe));
  complete_rule(rule, compiler_name(compiler));
  return rule;
}

}  // namespace ethos::sarif
