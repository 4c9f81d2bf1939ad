// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "sarif/convert/converters.h"
#include "sarif/convert/diagnostic_line.h"
#include "sarif/convert/input.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

// "-Wuse-after-free=" and "-Wuse-after-free=2" are "-Wuse-after-free": versions of gcc disagree.
// "-Werror=format" is "-Wformat" that was made an error.
std::string plain_flag(const std::string& flag) {
  constexpr std::string_view kAsError = "-Werror=";
  if (flag.starts_with(kAsError)) return "-W" + plain_flag(flag.substr(kAsError.size()));
  return flag.substr(0, flag.find('='));
}

bool says_only_as_error(const std::string& name) {
  return name == "-Werror" || name == "-warnings-as-errors";
}

// Identity of a finding for the purpose of folding repeats: a header's warnings come once for
// each file that includes it.
using Identity = std::tuple<std::size_t, std::string, std::int64_t, std::int64_t, std::string>;

class CompilerText {
 public:
  CompilerText(ConvertedRun& run, Compiler compiler)
      : run_(run), rules_(run), compiler_(compiler) {}

  base::Result<void> line(std::string_view text) {
    if (const auto diagnostic = parse_diagnostic_line(text)) return add(*diagnostic);
    if (auto include = parse_include_line(text)) {
      has_recognised_ = true;
      // Gcc prints the chain from the inside out; only so much of it is kept.
      if (includes_.size() < kMaxRelated) includes_.push_back(std::move(*include));
      return {};
    }
    if (const auto said = parse_program_line(text)) return add(*said);
    if (is_context_line(text)) {
      // An empty line says nothing about the format.
      has_recognised_ = has_recognised_ || !text.empty();
    } else {
      has_other_text_ = true;
    }
    return {};
  }

  base::Result<void> finish() {
    if (has_other_text_ && !has_recognised_) {
      return base::fail(base::Errc::malformed, "no line is compiler output");
    }
    // "shellcheck -f gcc" writes the form of gcc.
    const bool is_shellcheck =
        !run_.rules.empty() && std::all_of(run_.rules.begin(), run_.rules.end(),
                                           [](const Rule& r) { return r.id.starts_with("SC"); });
    if (is_shellcheck) {
      run_.tool = {"ShellCheck", "", "https://www.shellcheck.net"};
      run_.column_unit = ColumnUnit::code_points;
    }
    for (const auto& [identity, repeat] : repeats_) {
      if (repeat.second > 1) {
        run_.findings[repeat.first].properties.emplace_back("occurrences", repeat.second);
      }
    }
    return {};
  }

 private:
  static Location location_of(const DiagnosticLine& diagnostic) {
    Location location;
    location.path = diagnostic.path;
    location.region =
        make_region(parse_position(diagnostic.line), parse_position(diagnostic.column), {}, {});
    return location;
  }

  base::Result<void> add(const DiagnosticLine& diagnostic) {
    has_recognised_ = true;
    const bool is_note = diagnostic.kind == "note" && diagnostic.names.empty();
    if (is_note && last_) return add_note(diagnostic);
    if (is_note && was_repeat_) return {};
    Finding finding;
    finding.level = level_of_kind(diagnostic.kind);
    finding.location = location_of(diagnostic);
    finding.message = clean_message(diagnostic.text);
    finding.rule = rule_of(diagnostic);
    set_aliases(finding, diagnostic);
    finding.related = std::move(includes_);
    includes_.clear();
    return add_once(std::move(finding));
  }

  // Notes explain the diagnostic before them.
  base::Result<void> add_note(const DiagnosticLine& diagnostic) {
    auto& related = run_.findings[*last_].related;
    if (related.size() >= kMaxRelated) return {};
    related.push_back(location_of(diagnostic));
    related.back().message = clean_message(diagnostic.text);
    return {};
  }

  base::Result<void> add_once(Finding finding) {
    Identity identity(finding.rule, finding.location.path, finding.location.region.start_line,
                      finding.location.region.start_column.value_or(0), finding.message);
    const auto [at, is_new] =
        repeats_.try_emplace(std::move(identity), run_.findings.size(), std::int64_t{1});
    was_repeat_ = !is_new;
    last_.reset();
    if (!is_new) {
      ++at->second.second;
      return {};
    }
    auto done = add_finding(run_, std::move(finding));
    if (done) last_ = run_.findings.size() - 1;
    return done;
  }

  base::Result<void> add(const ProgramLine& said) {
    has_recognised_ = true;
    last_.reset();
    if (run_.notifications.size() >= kMaxFindings) return {};
    run_.notifications.push_back(
        {level_of_kind(said.kind), "",
         clean_message(std::string(said.program) + ": " + std::string(said.text)), std::nullopt});
    run_.has_failed = run_.has_failed || level_of_kind(said.kind) == Level::error;
    return {};
  }

  std::size_t rule_of(const DiagnosticLine& diagnostic) {
    std::string id;
    for (const std::string& name : diagnostic.names) {
      if (says_only_as_error(name)) continue;
      id = name.starts_with('-') ? plain_flag(name) : name;
      break;
    }
    if (id.empty()) {
      id = diagnostic.kind;
      std::replace(id.begin(), id.end(), ' ', '-');
      id.erase(std::remove(id.begin(), id.end(), ','), id.end());
    }
    const std::string cwe = diagnostic.cwes.empty() ? "" : diagnostic.cwes.front();
    return rules_.index_of(id, [&](const std::string& key) {
      Rule rule = key.starts_with("SC") ? shellcheck_rule(key) : compiler_rule(key, compiler_, cwe);
      rule.default_level = level_of_kind(diagnostic.kind);
      return rule;
    });
  }

  // clang-tidy names every check that has the same text; the first is the rule.
  static void set_aliases(Finding& finding, const DiagnosticLine& diagnostic) {
    std::vector<std::string> others;
    bool is_first = true;
    for (const std::string& name : diagnostic.names) {
      if (says_only_as_error(name)) continue;
      if (!is_first) others.push_back(name);
      is_first = false;
    }
    if (!others.empty()) finding.properties.emplace_back("aliases", std::move(others));
  }

  ConvertedRun& run_;
  RuleBook rules_;
  Compiler compiler_;
  std::vector<Location> includes_;
  std::optional<std::size_t> last_;  // the finding that a note would belong to
  bool was_repeat_ = false;
  bool has_recognised_ = false;
  bool has_other_text_ = false;
  std::map<Identity, std::pair<std::size_t, std::int64_t>> repeats_;
};

base::Result<ConvertedRun> convert(ByteSource& source, Compiler compiler, ToolInfo tool,
                                   ColumnUnit unit) {
  ConvertedRun run;
  run.tool = std::move(tool);
  run.column_unit = unit;
  CompilerText text(run, compiler);
  auto done = read_lines(source, [&](std::string_view line) { return text.line(line); });
  if (done) done = text.finish();
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace

base::Result<ConvertedRun> convert_gcc(ByteSource& source) {
  return convert(source, Compiler::gcc, {"GCC", "", "https://gcc.gnu.org"},
                 ColumnUnit::display_tab8);
}

base::Result<ConvertedRun> convert_clang(ByteSource& source) {
  return convert(source, Compiler::clang, {"clang", "", "https://clang.llvm.org"},
                 ColumnUnit::utf8_bytes);
}

base::Result<ConvertedRun> convert_clang_tidy(ByteSource& source) {
  return convert(source, Compiler::clang_tidy,
                 {"clang-tidy", "", "https://clang.llvm.org/extra/clang-tidy/"},
                 ColumnUnit::utf8_bytes);
}

}  // namespace ethos::sarif
