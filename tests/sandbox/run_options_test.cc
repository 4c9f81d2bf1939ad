// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run_options.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "sandbox/option_table.h"
#include "sandbox/shown_text.h"

namespace {

using namespace ethos::sandbox;
using Words = std::vector<std::string>;

RunOptions start_of(Command command) {
  RunOptions out;
  out.command = command;
  return out;
}

// A word that may stand on a command line: mostly a known option or a plain value, sometimes one
// of the things that parsers treat in ways of their own.
std::string some_word(std::mt19937& random) {
  static const Words kOdd = {
      "",           "-",     "-x",    "--quiet=1", "--read=",   "--unknown", "--nope=1", "[a,b]",
      "a,b",        "'a b'", "\"q\"", "a b",       "%%",        "{}",        "--ledger", "--help",
      "--read=--x", "a\\n",  "*.key", "-5",        "wall=100%", "--q",       "--Read",   "`a`"};
  static const Words kPlain = {"a",       "src",  "/usr/lib", "wall=60s", "NAME=x", "none",
                               "@memory", "v1.2", "a:b",      "c++",      "x--y",   "plan"};
  const auto table = option_table();
  switch (random() % 12) {
    case 0:
      return kOdd[random() % kOdd.size()];
    case 1:
      return std::string(table[random() % table.size()].name) + "=" +
             kPlain[random() % kPlain.size()];
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      return table[random() % table.size()].name;
    default:
      return kPlain[random() % kPlain.size()];
  }
}

}  // namespace

TEST_CASE("options: what is read plainly is what the parser reads", "[policy][property]") {
  std::mt19937 random(7);
  int plain = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto command = round % 3 == 0 ? Command::plan : Command::run;
    Words args(random() % 7);
    for (std::string& word : args) word = some_word(random);
    const auto read = read_plain_options(args, start_of(command));
    if (!read) continue;
    ++plain;
    CAPTURE(args);
    const auto parsed = parse_with_help(args, start_of(command));
    REQUIRE(std::holds_alternative<RunOptions>(parsed));
    CHECK(std::get<RunOptions>(parsed) == *read);
  }
  CHECK(plain > 600);
}

TEST_CASE("options: a usual command line is read plainly, each option of the table too",
          "[policy]") {
  const auto read = read_plain_options({"--ledger", "/var/l.db", "--read", "src", "--read=lib",
                                        "--limit", "wall=60s", "--quiet", "shellcheck"},
                                       start_of(Command::run));
  REQUIRE(read);
  CHECK(read->ledger == "/var/l.db");
  CHECK(read->grants.read == Words{"src", "lib"});
  CHECK(read->grants.limits == Words{"wall=60s"});
  CHECK(read->is_quiet);
  CHECK(read->tool == "shellcheck");
  for (const OptionRow& row : option_table()) {
    const auto command = row.use == OptionUse::plan ? Command::plan : Command::run;
    CAPTURE(row.name);
    const Words args = row.flag != nullptr ? Words{row.name} : Words{row.name, "v"};
    CHECK(read_plain_options(args, start_of(command)));
    if (row.use != OptionUse::both) {
      const auto other = command == Command::plan ? Command::run : Command::plan;
      CHECK_FALSE(read_plain_options(args, start_of(other)));
    }
  }
}

TEST_CASE("options: what is wrong, or a matter of taste, goes to the parser", "[policy]") {
  const Words cases[] = {{"--ledger"},      {"--ledger", "a", "--ledger", "b"},
                         {"a", "b"},        {"--read", "--write"},
                         {"--quiet=1"},     {"--quiet", "--quiet"},
                         {"--ledger", ""},  {"--ledger="},
                         {"--help"},        {"--version"},
                         {"--read", "[a]"}, {"--env", "A=b c"}};
  for (const Words& args : cases) {
    CAPTURE(args);
    CHECK_FALSE(read_plain_options(args, start_of(Command::run)));
  }
  CHECK(std::get<Answer>(parse_run_options({"--ledger"})).status == 125);
  CHECK(std::get<Answer>(parse_run_options({"a", "b"})).status == 125);
  CHECK(std::get<Answer>(parse_run_options({"--help"})).status == 0);
}

TEST_CASE("shown words: what others chose takes no more than some of a line", "[sandbox]") {
  CHECK(shown_word("a\x01"
                   "b") == "a\\x01b");
  const std::string most(kShownWord, 'a');
  CHECK(shown_word(most) == most);
  CHECK(shown_word(most + "a") == most + "...");
  CHECK(shown_word("abcdef", 3) == "abc...");
  CHECK(shown_word("", 0).empty());
  CHECK(shown_word("a", 0) == "...");
  // Neither an escape nor a character is cut in two.
  for (std::size_t before = 0; before < 8; ++before) {
    const std::string head(before, 'a');
    const std::string control = shown_word(head + std::string(4096, '\x01'));
    CHECK(control.size() <= kShownWord + 3);
    CHECK((control.size() - 3 - before) % 4 == 0);
    std::string letters = head;
    for (int i = 0; i < 300; ++i) letters += "\u20ac";
    const std::string cut = shown_word(letters);
    CHECK(cut.size() <= kShownWord + 3);
    CHECK((cut.size() - 3 - before) % 3 == 0);
  }
  const std::string line =
      refusal_line(std::string(9000, '\x02'), "r", std::string(9000, 'b'), "fix");
  CHECK(line.size() < kShownMessage + kShownWord + 30);
  CHECK(line.ends_with("...]; fix"));
}
