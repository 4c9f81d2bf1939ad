// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sarif/rules/known.h"

namespace ethos::sarif {
namespace {

struct Entry {
  std::string_view id;
  std::string_view name;
  std::string_view text;
};

// The checks that come up most, in our own words; the wiki page has the rest. Sorted by id.
constexpr auto kTable = std::to_array<Entry>({
    {"SC1007", "SpaceAfterEquals", "A space after = makes this something else than an assignment"},
    {"SC1009", "ParseErrorContext", "The construct in which a syntax error was found"},
    {"SC1035", "MissingSpace", "A space is needed here"},
    {"SC1072", "UnexpectedToken", "Syntax error: an unexpected token"},
    {"SC1073", "UnparsableConstruct", "Syntax error: this construct cannot be parsed"},
    {"SC1083", "LiteralBrace", "A brace here is taken literally"},
    {"SC1090", "NonConstantSource", "A sourced file cannot be followed: its name is not constant"},
    {"SC1091", "SourcedFileMissing", "A sourced file was not read"},
    {"SC2001", "SedForSubstitution", "Parameter expansion can do what sed does here"},
    {"SC2002", "UselessCat", "A cat in front of a pipe is not needed"},
    {"SC2003", "ExprIsObsolete", "expr is obsolete; use arithmetic expansion"},
    {"SC2004", "DollarInArithmetic", "$ is not needed on variables in arithmetic"},
    {"SC2005", "UselessEcho", "An echo of a command substitution is not needed"},
    {"SC2006", "LegacyBackticks", "Backticks are the old form of $(...)"},
    {"SC2009", "GrepOnPs", "pgrep does what ps and grep do here"},
    {"SC2010", "GrepOnLs", "The output of ls is not meant to be searched; use a glob"},
    {"SC2012", "LsForFileNames", "The output of ls breaks on unusual file names"},
    {"SC2015", "AndOrIsNotIfElse", "A && B || C is not if-then-else: C may run after A"},
    {"SC2016", "NoExpansionInSingleQuotes", "Nothing is expanded in single quotes"},
    {"SC2018", "AsciiOnlyRange", "A letter range covers ASCII only"},
    {"SC2034", "UnusedVariable", "A variable is set and never used"},
    {"SC2035", "GlobMayBecomeOption", "A file name that starts with a dash becomes an option"},
    {"SC2038", "FindPipedToXargs", "find piped to xargs breaks on unusual file names"},
    {"SC2039", "NotInPosixSh", "This is not defined in POSIX sh"},
    {"SC2044", "LoopOverFind", "A for loop over find breaks on unusual file names"},
    {"SC2045", "LoopOverLs", "A loop over ls breaks on unusual file names; use a glob"},
    {"SC2046", "UnquotedSubstitution", "An unquoted command substitution is split into words"},
    {"SC2048", "UnquotedArguments", "Unquoted $* is split into words"},
    {"SC2050", "ConstantExpression", "A condition is constant: is a $ missing?"},
    {"SC2059", "VariableInFormat", "A variable is used as a printf format"},
    {"SC2064", "TrapExpandsNow", "Double quotes expand a trap's variables now, not when it fires"},
    {"SC2068", "UnquotedArray", "An unquoted array expansion is split again"},
    {"SC2076", "QuotedRegex", "A quoted right side of =~ is matched as a plain string"},
    {"SC2086", "UnquotedVariable", "An unquoted variable is split and globbed"},
    {"SC2089", "QuotesInVariable", "Quotes inside a variable are taken literally"},
    {"SC2090", "QuotesInVariableUsed", "Quotes inside this variable will not be honoured"},
    {"SC2091", "OutputExecuted", "The output of a command is executed"},
    {"SC2094", "SameFileReadWritten", "A file is read and written in one pipeline"},
    {"SC2103", "CdWithoutSubshell", "A subshell avoids changing back with cd"},
    {"SC2112", "FunctionKeyword", "The function keyword is not standard"},
    {"SC2115", "RemovalOfRoot", "An empty variable makes this remove from the root directory"},
    {"SC2116", "UselessEchoInSubstitution", "An echo inside a substitution is not needed"},
    {"SC2119", "ArgumentsNotPassed", "A function that uses arguments is called without them"},
    {"SC2120", "ArgumentsNeverPassed", "A function uses arguments that nobody passes"},
    {"SC2124", "ArrayToString", "An array is assigned to a string"},
    {"SC2126", "GrepPipedToWc", "grep -c counts without wc"},
    {"SC2128", "ArrayWithoutIndex", "An array without an index is its first element"},
    {"SC2129", "RepeatedRedirect", "Several redirects to one file can be one"},
    {"SC2140", "StrangeQuoting", "The word has unquoted parts between quoted ones"},
    {"SC2143", "GrepOutputTested", "grep -q tests without making output"},
    {"SC2145", "ArrayMixedWithString", "An argument mixes a string and an array"},
    {"SC2148", "MissingShebang", "The shell that runs this script is not stated"},
    {"SC2153", "PossibleMisspelling", "A variable looks like a misspelling of another"},
    {"SC2154", "UnassignedVariable", "A variable is used and never set"},
    {"SC2155", "MaskedReturnValue", "Declaring and assigning at once hides the exit status"},
    {"SC2162", "ReadWithoutR", "read without -r changes backslashes"},
    {"SC2164", "UncheckedCd", "cd can fail, and what follows runs in the wrong directory"},
    {"SC2166", "ObsoleteTestAndOr", "-a and -o in test are not well defined"},
    {"SC2174", "ModeOnDeepestOnly", "With -p, -m applies to the deepest directory only"},
    {"SC2181", "ExitStatusTestedLater", "The exit status can be tested directly"},
    {"SC2188", "RedirectWithoutCommand", "A redirect without a command"},
    {"SC2196", "EgrepIsObsolete", "egrep is obsolete; use grep -E"},
    {"SC2206", "UnquotedArrayElements", "Array elements made by word splitting"},
    {"SC2207", "ArrayFromSplitOutput", "An array made by splitting command output"},
    {"SC2230", "WhichIsNotStandard", "which is not standard; use command -v"},
    {"SC2231", "UnquotedGlobLoop", "An unquoted expansion in a for loop glob"},
    {"SC2236", "NegatedEmptyTest", "Use -n instead of ! -z"},
    {"SC2250", "BracesPreferred", "Braces around variable references are preferred"},
    {"SC2268", "PrefixedComparison", "The x-prefix in comparisons is no longer needed"},
    {"SC2295", "UnquotedPattern", "An expansion inside ${..} is taken as a pattern unless quoted"},
    {"SC2317", "UnreachableCommand", "A command appears to be unreachable"},
    {"SC3010", "DoubleBracketInSh", "In POSIX sh, [[ ]] is undefined"},
    {"SC3014", "DoubleEqualsInSh", "In POSIX sh, == in test is undefined"},
    {"SC3037", "EchoFlagsInSh", "In POSIX sh, echo flags are undefined"},
    {"SC3043", "LocalInSh", "In POSIX sh, local is undefined"},
    {"SC3057", "SubstringInSh", "In POSIX sh, string indexing is undefined"},
});
static_assert(std::ranges::is_sorted(kTable, {}, &Entry::id));

}  // namespace

Rule shellcheck_rule(const std::string& id) {
  Rule rule;
  rule.id = id;
  rule.help_uri = "https://www.shellcheck.net/wiki/" + id;
  const auto* const found =
      std::lower_bound(kTable.begin(), kTable.end(), id,
                       [](const Entry& entry, const std::string& key) { return entry.id < key; });
  if (found != kTable.end() && found->id == id) {
    rule.name = found->name;
    rule.short_description = found->text;
  } else {
    rule.short_description = "ShellCheck " + id;
  }
  // SC1xxx: the script does not parse as meant; SC3xxx: not portable sh.
  if (id.starts_with("SC1")) rule.tags = {"syntax"};
  if (id.starts_with("SC3")) rule.tags = {"portability"};
  complete_rule(rule, "ShellCheck");
  return rule;
}

}  // namespace ethos::sarif
