// SPDX-License-Identifier: Apache-2.0
#include "reports/options.h"

#include <cstdlib>
#include <limits>
#include <set>

#include "ledger/base/file_io.h"
#include "reports/controls.h"
#include "reports/grant_compare.h"
#include "reports/process.h"
#include "reports/redaction.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxTitle = 200;
constexpr std::int64_t kMaxSample = 10000;
constexpr std::size_t kMaxControls = 1048576;
constexpr int kUsage = 2;
constexpr int kUnverifiable = 3;

Refusal usage(std::string text) { return {kUsage, std::move(text)}; }

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A report is several files, a ledger has files beside it, and a pin is a thing that somebody
// keeps.
std::optional<Refusal> refuse_streams(const Options& options) {
  struct Named {
    const char* option;
    const std::string& value;
  };
  for (const Named& one : {Named{"--out", options.out}, Named{"--full-out", options.full_out}}) {
    if (one.value == "-") {
      return usage(std::string(one.option) +
                   ": a report is a directory of files; it cannot go to standard output (--json "
                   "prints the manifest there)");
    }
  }
  for (const Named& one :
       {Named{"--ledger", options.ledger}, Named{"--bundle", options.bundle},
        Named{"--pin", options.pin}, Named{"--baseline-bundle", options.baseline_bundle},
        Named{"--baseline-pin", options.baseline_pin}, Named{"--controls", options.controls},
        Named{"--redact", options.redact}, Named{"--sign-key", options.signer}}) {
    if (one.value == "-") {
      return usage(std::string(one.option) +
                   ": a file is needed, it is not read from standard input");
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check(const Options& options) {
  if (auto refusal = refuse_streams(options)) return refusal;
  static const std::set<std::string> known = {"html",  "csv",  "md",  "json",
                                              "oscal", "xlsx", "pdf", "intoto"};
  for (const std::string& format : options.formats) {
    if (known.contains(format)) continue;
    return usage("--format: \"" + shortened(visible(format), 40) +
                 "\" is none of html, csv, md, json, oscal, xlsx, pdf, intoto");
  }
  if (!options.ledger.empty() && !options.bundle.empty())
    return usage("--ledger or --bundle, not both");
  if (options.pin.empty() && !options.unverified) {
    return usage("--pin is required: without a pin nothing is proved");
  }
  if (options.at < 0) return usage("--at: a number of records, as a checkpoint states it");
  if (options.title.size() > kMaxTitle || options.organisation.size() > kMaxTitle) {
    return usage("--title and --org: at most 200 bytes");
  }
  if ((options.sample != 0) != !options.seed.empty() || options.sample < 0 ||
      options.sample > kMaxSample || options.seed.size() > kMaxTitle) {
    return usage("--sample: 1 to 10000 runs, together with --seed of at most 200 bytes");
  }
  return std::nullopt;
}

std::optional<Refusal> read_controls(const Options& options, Request& request) {
  std::string text(default_controls());
  if (!options.controls.empty()) {
    auto file = base::read_file(options.controls, kMaxControls);
    if (!file) return Refusal{kUnverifiable, "--controls: " + file.error().message()};
    text = std::move(*file);
  }
  auto map = parse_controls(text);
  if (!map) return Refusal{kUnverifiable, "--controls: " + map.error().what};
  request.control_map = std::move(*map);
  return std::nullopt;
}

std::optional<Refusal> read_policy(const Options& options, Request& request) {
  if (options.redact.empty()) {
    if (options.full_out.empty()) return std::nullopt;
    return usage("--full-out: only with --redact");
  }
  if (options.full_out == options.out && !options.out.empty())
    return usage("--full-out: must be another directory than --out");
  auto file = base::read_file(options.redact, kMaxControls);
  if (!file) return Refusal{kUnverifiable, "--redact: " + file.error().message()};
  auto policy = parse_redaction(*file);
  if (!policy) return Refusal{kUnverifiable, "--redact: " + policy.error().what};
  request.redaction = std::move(*policy);
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> read_points(const Options& options, Request& request) {
  if (options.baseline_bundle.empty() != options.baseline_pin.empty() && !options.unverified)
    return usage("--baseline-bundle and --baseline-pin belong together");
  const Period& period = request.period;
  const bool is_elsewhere = !options.baseline_bundle.empty();
  auto to = parse_point(options.against.empty() ? "end" : options.against, period, request.zone);
  if (!to) return usage("--against: " + to.error().what);
  if (is_elsewhere && options.baseline.empty()) {
    request.from.until_ms = std::numeric_limits<std::int64_t>::max();
    request.from.words = "the last record of another ledger";
  } else {
    auto from =
        parse_point(options.baseline.empty() ? "start" : options.baseline, period, request.zone);
    if (!from) return usage("--baseline: " + from.error().what);
    request.from = std::move(*from);
  }
  request.to = std::move(*to);
  const bool are_instants = request.from.revision.empty() && request.to.revision.empty();
  if (!is_elsewhere && are_instants && request.from.until_ms >= request.to.until_ms)
    return usage("--baseline: must lie before --against");
  if (request.to.revision.empty() && request.to.until_ms > period.until * 1000)
    return usage("--against: must not lie after the period");
  request.baseline = options.baseline_bundle;
  request.baseline_pin = options.baseline_pin;
  return std::nullopt;
}

std::string default_ledger() {
  if (const char* named = std::getenv("ETHOS_LEDGER"); named != nullptr && *named != '\0') {
    return named;
  }
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/ethos/ledger.db";
  }
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.local/state/ethos/ledger.db";
}

std::optional<Refusal> read_request(const Options& options, Request& request) {
  if (auto refusal = check(options)) return refusal;
  if (auto refusal = read_controls(options, request)) return refusal;
  if (auto refusal = read_policy(options, request)) return refusal;
  auto zone = Zone::open(options.tzdir, options.zone);
  if (!zone) {
    const bool is_usage = zone.error().code != base::Errc::unsupported;
    return Refusal{is_usage ? kUsage : kUnverifiable, "--zone: " + zone.error().what};
  }
  auto period = Period::parse(options.period, *zone);
  if (!period) return usage("--period: " + period.error().what);
  auto verifier = sibling_path("ethos-verify");
  if (!verifier) return Refusal{kUnverifiable, verifier.error().message()};
  request.is_bundle = !options.bundle.empty();
  request.ledger = request.is_bundle        ? options.bundle
                   : options.ledger.empty() ? default_ledger()
                                            : options.ledger;
  request.pin = options.pin;
  request.at = options.at;
  request.arguments = options.arguments;
  request.verifier = std::move(*verifier);
  request.period = *period;
  request.zone = std::move(*zone);
  if (auto refusal = read_points(options, request)) return refusal;
  request.tzdata = tzdata_version(options.tzdir);
  request.title = options.title;
  request.organisation = options.organisation;
  request.sample = options.sample;
  request.seed = options.seed;
  request.unverified = options.unverified;
  request.shaping = shaping_options(options);
  return std::nullopt;
}

std::string shaping_options(const Options& options) {
  const Options defaults;
  std::string out;
  if (options.title != defaults.title) out += " --title " + quoted(options.title);
  if (!options.organisation.empty()) out += " --org " + quoted(options.organisation);
  if (options.sample != 0)
    out += " --sample " + std::to_string(options.sample) + " --seed " + quoted(options.seed);
  if (!options.baseline_bundle.empty())
    out += " --baseline-bundle BUNDLE --baseline-pin BUNDLE-PIN";
  if (!options.baseline.empty()) out += " --baseline " + quoted(options.baseline);
  if (!options.against.empty()) out += " --against " + quoted(options.against);
  if (!options.controls.empty()) out += " --controls FILE";
  if (!options.redact.empty()) out += " --redact POLICY";
  if (options.arguments) out += " --arguments";
  if (options.csv_raw) out += " --csv-raw";
  if (options.unverified) out += " --unverified";
  return out;
}

}  // namespace ethos::reports
