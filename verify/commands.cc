// SPDX-License-Identifier: Apache-2.0
#include "verify/commands.h"

#include <sodium.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "verify/assertion_help.h"
#include "verify/build_version.h"
#include "verify/encoding.h"
#include "verify/glossary.h"
#include "verify/report_text.h"
#include "verify/session.h"
#include "verify/statement_tools.h"

namespace ethos::verify {
namespace {

struct Options : SessionOptions {
  std::string explain;
  std::string make_key;
  std::string check_attest;
  bool codes = false;
};

// Whom to believe, and what is known already.
void add_trust(CLI::App& app, Options& options) {
  app.add_option("--pin", options.pin, "File with the pin; without one nothing passes")->option_text("FILE");
  app.add_option("--at", options.at, "Judge the ledger as it was with so many records, or at the checkpoint in a file")
      ->option_text("SIZE|FILE");
  app.add_flag("--no-min", options.no_min, "Leave out what the pin remembers of size and root");
  app.add_option("--memory", options.memory, "Hold against what was found good before, and remember what is found good now")->option_text("FILE");
  app.add_option("--policy", options.policy, "Whose cosignatures are needed (C2SP tlog-policy)")->option_text("FILE");
  app.add_option("--tsa-roots", options.tsa_roots, "Roots (PEM) of time stamp authorities whose tokens count")->option_text("FILE");
  app.add_option("--record", options.records, "Exact bytes of a record, for a tlog-proof: the one it proves, and record 0")
      ->option_text("FILE")->allow_extra_args(false);
}

// Files to write.
void add_files(CLI::App& app, Options& options) {
  app.add_option("--junit", options.junit, "Write the answers as JUnit XML")->option_text("FILE");
  app.add_option("--transcript", options.transcript, "Write everything that belongs into an audit file")->option_text("FILE");
  app.add_option("--attest", options.attest, "Write the result as an in-toto statement")->option_text("FILE");
  app.add_option("--attest-type", options.attest_type, "Which statement: svr lists what passed, vsa says PASSED or FAILED")
      ->option_text("svr|vsa");
  app.add_option("--attest-key", options.attest_key, "Sign the statement with this key of yours (DSSE)")->option_text("FILE");
  app.add_option("--make-key", options.make_key, "Make a key of that name in the new file of --attest-key, print its public part, and exit")->option_text("NAME");
  app.add_option("--check-attest", options.check_attest, "Check the signature of a statement by --signer, tell what it says, and exit")->option_text("FILE");
  app.add_option("--signer", options.signer,
                 "Public part of the key of --check-attest, or of a --report directory")
      ->option_text("VKEY");
}

// Plain decimal digits: the parser's own conversion takes "010" for eight and "0x5" for five.
std::string sequence_fault(const std::string& text) {
  constexpr std::size_t kMaxDigits = 16;  // of 2^53 - 1
  const bool is_good = !text.empty() && text.size() <= kMaxDigits &&
                       text.find_first_not_of("0123456789") == std::string::npos &&
                       (text.size() == 1 || text[0] != '0') &&
                       (text.size() < kMaxDigits || text <= "9007199254740991");
  return is_good ? "" : text + " is no whole number from 0 to 9007199254740991";
}

void add_options(CLI::App& app, Options& options) {
  app.set_version_flag("--version", std::string("ethos-verify ") + std::string(kBuildVersion));
  add_trust(app, options);
  app.add_flag("--json", options.json, "Print the result as JSON (ethos-verdict/1), also with --quiet");
  app.add_flag("--bad-runs", options.bad_runs, "With --json: list only the runs that do not pass");
  app.add_flag("--quiet", options.quiet, "Print no text; the exit status says it");
  app.add_option("--run", options.run, "Show this run only, in words, and since when it was there; its first 4 characters will do")->option_text("ID");
  app.add_option("--show", options.show, "Show this record, with every disclosed value that it commits to (more than once: several)")
      ->option_text("RECORD")->allow_extra_args(false)->check(sequence_fault);
  app.add_flag("--runs", options.all_runs, "Show every run in words");
  app.add_option("--sarif", options.sarif, "Check that a SARIF file says what the ledger says")
      ->option_text("FILE")->allow_extra_args(false);
  app.add_option("--report", options.reports, "Check that the numbers of a report of ethos-report follow from the ledger")
      ->option_text("DIR|FILE")->allow_extra_args(false);
  app.add_option("--assert", options.assertions, "A statement that must hold for every run, e.g. no-network")
      ->option_text("EXPR")->allow_extra_args(false);
  app.add_option("--period", options.period, "Judge and show only runs that began in these days, both included")
      ->option_text("YYYY-MM-DD..YYYY-MM-DD");
  app.add_option("--zone", options.zone, "Zone of --period and of the times shown: UTC, +HH:MM or a name like Europe/Berlin")->option_text("ZONE");
  add_files(app, options);
  app.add_option("--explain", options.explain, "Say what a code, verdict or word means; `words` is all words, `assertions` the language of --assert")->option_text("CODE");
  app.add_flag("--codes", options.codes, "List all codes");
  app.add_option("input", options.input, "Ledger, bundle, directory of tiles or tlog-proof; - is standard input (default: $ETHOS_LEDGER)")
      ->option_text("LEDGER");
  app.footer("Examples:\n"
             "  ethos-verify --pin pin.json --assert no-network ledger.db\n"
             "  ethos-verify --pin pin.json --sarif lint.sarif ledger.db\n"
             "  ethos-verify --pin pin.json --memory seen.jsonl ledger.db\n"
             "  ethos-verify --pin pin.json --show 0 ledger.db\n\n"
             "Exit status: 0 verified, 1 not verified, 2 usage, 3 unverifiable, 4 intact but incomplete.");
}

// The verdicts are words of the table, too.
constexpr std::array<std::pair<std::string_view, std::string_view>, kVerdicts> kVerdictWords{{
    {"integrity", "every record has the one form and hash that the signed tree says, in one chain without a hole"},
    {"signatures", "every checkpoint is signed by the key of its time, and keys changed as the rules say. A key's time is an epoch; it ends by age, count or command"},
    {"trust", "the ledger is the one of your pin: its name (origin), its record 0, and its root key, which signs nothing but revocations; with --policy, witnesses saw it"},
    {"completeness", "nothing known of is missing: runs without an end, records after the checkpoint, states seen before. A run may simply still be running"},
    {"freshness", "whether it is at least as new as a state that you hold (a pin with `min`, a --memory); how new it is beyond that, nobody can tell from a copy"},
    {"time", "whether somebody outside (witnesses, time stamps) says when; all other times are what the host's own clock said"},
    {"disclosure", "committed values (of which a record holds only a hash) that are here are the right ones, and those that must be here are"},
    {"policy", "of every run, grants and cage were computed again from its declaration and facts and are what was granted and what the kernel showed"},
    {"statements", "what you asked (--assert, --period, --run, --sarif, --report) holds"},
}};

// No file of the account's own: what is judged must be what somebody named, here or for the whole session.
std::string named_ledger() {
  const char* value = std::getenv("ETHOS_LEDGER");
  return value == nullptr ? "" : value;
}

bool is_run_prefix(std::string_view text) {
  if (text.size() == 26) return is_id128(text);
  return text.size() >= 4 && text.size() < 26 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
}

// An option with nothing in it, as an unset variable of a shell gives it, would be taken for one that was not given: the
// check that was asked for would not be made.
std::string empty_option(const std::vector<std::string>& args) {
  // `--memory=` would take the next word for its value.
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word.empty()) return i > 0 && args[i - 1].starts_with("--") ? args[i - 1] : "LEDGER";
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) return word.substr(0, word.size() - 1);
  }
  return "";
}

int refuse_empty(std::ostream& err, const std::string& option) {
  return complain(err, exit_usage, option + ": the value is empty; leave the option out, or give it one");
}

int parse_and_run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, std::optional<unsigned> extra_threads) {
  CLI::App app{"Checks an evidence ledger against a pin, believing nothing in it.", "ethos-verify"};
  Options options;
  add_options(app, options);
  if (const std::string name = empty_option(args); !name.empty()) return refuse_empty(err, name);
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return exit_verified;
  } catch (const CLI::CallForVersion&) {
    out << "ethos-verify " << kBuildVersion << "\n";
    return exit_verified;
  } catch (const CLI::Error& error) {
    return complain(err, exit_usage, error.what());
  }
  if (options.bad_runs && !options.json) return complain(err, exit_usage, "--bad-runs: only with --json");
  if (options.codes) {
    list_codes(out);
    return exit_verified;
  }
  if (options.explain == "assertions") {
    explain_assertions(out);
    return exit_verified;
  }
  if (!options.check_attest.empty() && options.signer.empty())
    return complain(err, exit_usage, "--check-attest FILE needs --signer VKEY");
  if (options.check_attest.empty() && options.reports.empty() && !options.signer.empty())
    return complain(err, exit_usage,
                    "--signer VKEY goes with --check-attest FILE, or with --report DIRECTORY");
  if (!options.check_attest.empty()) return check_statement(options.check_attest, options.signer, out, err);
  if (!options.make_key.empty()) {
    if (options.attest_key.empty()) return complain(err, exit_usage, "--make-key needs --attest-key FILE, a file that does not exist");
    const auto key = make_statement_key(options.make_key, options.attest_key);
    if (!key) return complain(err, exit_usage, "--make-key: " + key.error().what);
    out << *key << "\n";
    return exit_verified;
  }
  if (options.explain == "words") {
    list_words(out);
    return exit_verified;
  }
  if (!options.explain.empty()) {
    const std::string_view meaning = meaning_of(options.explain);
    if (!meaning.empty()) out << options.explain << "\n  means    " << meaning << "\n";
    for (const auto& [name, words] : kVerdictWords) {
      if (name != options.explain) continue;
      out << name << ", a verdict\n  means    " << words << "\n  codes   ";
      for (std::size_t i = 0; i < kCodes; ++i) {
        const CodeInfo& one = code_info(static_cast<Code>(i));
        if (verdict_name(one.verdict) == name) out << " " << one.name;
      }
      out << "\n";
      return exit_verified;
    }
    const CodeInfo* info = find_code(options.explain);
    if (info == nullptr && !meaning.empty()) return exit_verified;
    if (info == nullptr) {
      return complain(err, exit_usage, "--explain: there is no code, verdict or word `" + options.explain + "`; --codes lists the codes, `words` is all words, and `assertions` the language of --assert");
    }
    explain(out, *info);
    return exit_verified;
  }
  if (options.input.empty()) {
    options.input = named_ledger();
    options.is_input_from_environment = true;
  }
  if (!options.run.empty() && !is_run_prefix(options.run)) {
    return complain(err, exit_usage, "--run: not a run id (26 characters a-z and 2-7, or its first 4 and more)");
  }
  if (options.input.empty()) return complain(err, exit_usage, "no evidence was named: a ledger, a bundle, a directory of tiles or a tlog-proof (ethos-verify --help)");
  options.arguments = args;
  options.extra_threads = extra_threads;
  options.now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  options.progress = !options.quiet && ::isatty(STDERR_FILENO) == 1;
  return run_session(options, out, err);
}

}  // namespace

int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, std::optional<unsigned> extra_threads) {
  if (sodium_init() < 0) return complain(err, exit_unverifiable, "libsodium cannot start");
  try {
    return parse_and_run(args, out, err, extra_threads);
  } catch (const std::exception& error) {
    return complain(err, exit_unverifiable, error.what());
  }
}

}  // namespace ethos::verify
