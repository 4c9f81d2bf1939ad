// SPDX-License-Identifier: Apache-2.0
#include "verify/session_inputs.h"

#include <algorithm>
#include <utility>

#include "verify/commands.h"
#include "verify/encoding.h"
#include "verify/report_directory.h"
#include "verify/sarif_check.h"
#include "verify/snapshot.h"
#include "verify/statement_tools.h"
#include "verify/stdin_file.h"

namespace ethos::verify {
namespace {

constexpr std::uint64_t kMaxPin = 16384;
constexpr std::uint64_t kMaxRecordFile = 16384 + 1;
constexpr std::size_t kMaxRecords = 1000;
constexpr std::uint64_t kMaxRoots = std::uint64_t{4} << 20U;

class InputReader {
 public:
  InputReader(const SessionOptions& options, SessionInputs& inputs, std::ostream& err) : options_(options), inputs_(inputs), err_(err) {}

  int read() {
    using Step = int (InputReader::*)();
    for (const Step step : {&InputReader::standard_input, &InputReader::pin, &InputReader::prefix, &InputReader::memory, &InputReader::policy, &InputReader::tsa_roots,
                            &InputReader::assertions, &InputReader::period, &InputReader::sarif, &InputReader::reports, &InputReader::records}) {
      if (const int status = (this->*step)(); status != 0) return status;
    }
    return 0;
  }

 private:
  int wrong(const std::string& option, const Error& error) {
    return complain(err_, error.code == Errc::unsupported ? exit_unverifiable : exit_usage, option + ": " + error.what);
  }

  Result<std::string> take(const char* what, const std::string& name, std::uint64_t most) {
    auto bytes = read_argument(name, most);
    if (bytes) inputs_.digests.push_back({what, name, encode_hex(hash_.of(*bytes).view())});
    return bytes;
  }

  // There is only one.
  int standard_input() {
    std::size_t n = options_.input == "-" ? 1U : 0U;
    n += options_.pin == "-" ? 1U : 0U;
    n += options_.policy == "-" ? 1U : 0U;
    n += options_.tsa_roots == "-" ? 1U : 0U;
    for (const auto* list : {&options_.sarif, &options_.reports, &options_.records}) n += static_cast<std::size_t>(std::count(list->begin(), list->end(), "-"));
    if (options_.memory == "-") return complain(err_, exit_usage, "--memory: standard input cannot remember");
    return n > 1 ? complain(err_, exit_usage, "`-`, standard input, can be given once only") : 0;
  }

  int pin() {
    if (options_.pin.empty()) return 0;
    const auto bytes = take("pin", options_.pin, kMaxPin);
    if (!bytes) return complain(err_, exit_usage, "--pin: " + bytes.error().what);
    if (bytes->find_first_not_of(" \t\r\n") == std::string::npos) {
      return complain(err_, exit_usage, "--pin " + options_.pin + ": the file is empty, so it is not a pin; `ethos-ledger pin` prints it again");
    }
    auto pin = parse_pin(*bytes);
    if (!pin) return wrong("--pin " + options_.pin, pin.error());
    if (options_.no_min) pin->min_size.reset();
    if (pin->min_size)
      inputs_.known.push_back({.size = *pin->min_size,
                               .root = pin->min_root,
                               .from = KnownState::From::pin,
                               .marks = pin->min_marks});
    inputs_.pin = *std::move(pin);
    return 0;
  }

  int prefix() {
    if (options_.at.empty()) return 0;
    auto prefix = read_prefix(options_.at);
    if (!prefix) return complain(err_, exit_usage, "--at: " + prefix.error().what);
    if (!prefix->note.empty()) inputs_.digests.push_back({"at", options_.at, encode_hex(hash_.of(prefix->note).view())});
    inputs_.prefix = *std::move(prefix);
    return 0;
  }

  int memory() {
    if (options_.memory.empty()) return 0;
    if (!inputs_.pin) return complain(err_, exit_usage, "--memory needs a --pin: only what passed is remembered");
    const auto bytes = read_file(options_.memory, Memory::kMaxFile);
    if (!bytes && bytes.error().code == Errc::not_found) return 0;  // an empty memory
    if (!bytes) return complain(err_, exit_usage, "--memory: " + bytes.error().what);
    inputs_.digests.push_back({"memory", options_.memory, encode_hex(hash_.of(*bytes).view())});
    const auto memory = Memory::parse(*bytes);
    if (!memory) return wrong("--memory " + options_.memory, memory.error());
    for (KnownState& state : memory->of(inputs_.pin->origin)) inputs_.known.push_back(std::move(state));
    std::stable_sort(inputs_.known.begin(), inputs_.known.end(), [](const KnownState& a, const KnownState& b) { return a.size < b.size; });
    return 0;
  }

  int policy() {
    if (options_.policy.empty()) return 0;
    const auto bytes = take("policy", options_.policy, TrustPolicy::kMaxFile);
    if (!bytes) return complain(err_, exit_usage, "--policy: " + bytes.error().what);
    auto policy = TrustPolicy::parse(*bytes);
    if (!policy) return wrong("--policy " + options_.policy, policy.error());
    inputs_.policy = *std::move(policy);
    return 0;
  }

  int tsa_roots() {
    if (options_.tsa_roots.empty()) return 0;
    const auto bytes = take("tsa-roots", options_.tsa_roots, kMaxRoots);
    if (!bytes) return complain(err_, exit_usage, "--tsa-roots: " + bytes.error().what);
    auto roots = parse_pem(*bytes);
    if (!roots) return wrong("--tsa-roots " + options_.tsa_roots, roots.error());
    inputs_.tsa_roots = *std::move(roots);
    return 0;
  }

  int assertions() {
    for (const std::string& text : options_.assertions) {
      auto assertion = Assertion::parse(text);
      if (!assertion) return complain(err_, exit_usage, "--assert '" + text + "': " + assertion.error().what);
      for (const std::string& name : assertion->files()) {
        if (const int status = grant_file(*assertion, name); status != 0) return status;
      }
      inputs_.assertions.push_back(*std::move(assertion));
    }
    return 0;
  }

  int grant_file(Assertion& assertion, const std::string& name) {
    if (name == "-") return complain(err_, exit_usage, "--assert: `grants subset of` needs a file, not standard input");
    auto bytes = take("grants", name, GrantFile::kMaxBytes);
    if (!bytes) return complain(err_, exit_usage, "--assert: " + bytes.error().what);
    auto file = GrantFile::parse(*std::move(bytes));
    if (!file) return complain(err_, exit_usage, "--assert: " + name + ": " + file.error().what);
    assertion.set_file(name, std::make_shared<GrantFile>(*std::move(file)));
    inputs_.grant_files.push_back(name);
    return 0;
  }

  int period() {
    auto zone = Zone::find(options_.zone);
    if (!zone) return complain(err_, exit_usage, "--zone: " + zone.error().what);
    inputs_.zone = *std::move(zone);
    if (options_.period.empty()) return 0;
    const auto period = parse_period(options_.period, inputs_.zone);
    if (!period) return complain(err_, exit_usage, "--period: " + period.error().what);
    inputs_.period = *period;
    return 0;
  }

  int sarif() {
    for (const std::string& name : options_.sarif) {
      const auto bytes = take("sarif", name, kMaxSarif);
      if (!bytes) return complain(err_, bytes.error().code == Errc::not_found ? exit_usage : exit_unverifiable, "--sarif: " + bytes.error().what);
      auto file = parse_sarif(*bytes);
      if (!file) return complain(err_, exit_unverifiable, "--sarif " + name + ": " + file.error().what);
      inputs_.sarif.emplace_back(name, *std::move(file));
    }
    return 0;
  }

  int reports() {
    std::optional<Vkey> signer;
    if (!options_.signer.empty()) {
      auto key = parse_vkey(options_.signer);
      if (!key) return complain(err_, exit_usage, "--signer: " + signer_fault(options_.signer, key.error().what));
      signer = *std::move(key);
    }
    for (const std::string& name : options_.reports) {
      const auto bytes = take("report", report_path(name), kMaxReport);
      if (!bytes) return complain(err_, bytes.error().code == Errc::not_found ? exit_usage : exit_unverifiable, "--report: " + bytes.error().what);
      auto claims = parse_report(*bytes);
      if (!claims) return complain(err_, exit_unverifiable, "--report " + name + ": " + claims.error().what);
      const bool is_directory = report_path(name) != name;
      if (!is_directory && signer)
        return complain(err_, exit_usage,
                        "--report " + name +
                            ": --signer needs the report's directory, where its signature lies");
      if (is_directory)
        claims->directory =
            read_report_directory(name, *bytes, *claims, signer ? &*signer : nullptr);
      inputs_.reports.emplace_back(name, *std::move(claims));
    }
    return 0;
  }

  // A line feed after the record is not of it: `ethos-ledger show --json` prints one.
  int records() {
    if (options_.records.size() > kMaxRecords) return complain(err_, exit_usage, "--record: at most 1,000 records");
    for (const std::string& name : options_.records) {
      auto bytes = take("record", name, kMaxRecordFile);
      if (!bytes) return complain(err_, exit_usage, "--record: " + bytes.error().what);
      if (bytes->ends_with('\n')) bytes->pop_back();
      inputs_.records.push_back(*std::move(bytes));
    }
    return 0;
  }

  const SessionOptions& options_;
  SessionInputs& inputs_;
  std::ostream& err_;
  Sha256 hash_;
};

}  // namespace

int read_inputs(const SessionOptions& options, SessionInputs& inputs, std::ostream& err) { return InputReader(options, inputs, err).read(); }

}  // namespace ethos::verify
