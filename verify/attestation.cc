// SPDX-License-Identifier: Apache-2.0
#include "verify/attestation.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "verify/build_version.h"
#include "verify/encoding.h"
#include "verify/report_text.h"
#include "verify/times.h"
#include "verify/unique_fd.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxKey = 4096;
constexpr std::string_view kPrefix = "PRIVATE+KEY+";
constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

// Of the verdicts, without `statements`: its parts are named one by one.
constexpr std::array<std::string_view, 8> kProperties{"INTEGRITY", "SIGNATURES", "PINNED", "COMPLETE", "FRESH", "TIME_ANCHORED", "DISCLOSURE", "POLICY"};

// Where only some records are there, no property reads as one of the whole ledger.
std::string prefix_of(VerdictName name, EvidenceSource::Coverage coverage) {
  using Coverage = EvidenceSource::Coverage;
  const bool is_of_all = name == VerdictName::signatures || name == VerdictName::trust || name == VerdictName::freshness || name == VerdictName::time;
  if (coverage == Coverage::whole || is_of_all) return "ETHOS_";
  return coverage == Coverage::run ? "ETHOS_RUN_" : "ETHOS_PART_";
}

// With a period another name: `ETHOS_ASSERTION x` says it of every run.
std::string assertion_property(const Value& v, const AuditReport& report, const ReportContext& context) {
  const std::string prefix = prefix_of(VerdictName::statements, report.coverage);
  const std::int64_t runs = v.at("runs").number();
  if (!context.period) return prefix + "ASSERTION " + v.text_at("expr");
  return prefix + "ASSERTION_IN_PERIOD " + context.period->days + " " + context.zone_name + ", " + std::to_string(runs) +
         (runs == 1 ? " run: " : " runs: ") + v.text_at("expr");
}

Value digest_of(std::string hex) {
  Value v = Value::object();
  v.set("sha256", Value::of(std::move(hex)));
  return v;
}

// The signed text of the checkpoint, by its digest; what was given besides, too.
Value subjects(const AuditReport& report, const ReportContext& context) {
  Sha256 hash;
  const auto note = parse_note(report.checkpoint_note);
  Value subject = Value::object();
  subject.set("name", Value::of("urn:ethos:checkpoint:" + report.origin + ":" + std::to_string(report.checkpoint ? report.checkpoint->size : 0)));
  subject.set("digest", digest_of(encode_hex(hash.of(note ? note->text : std::string()).view())));
  if (!context.at.empty()) {
    Value annotations = Value::object();
    annotations.set("urn:ethos:state", Value::of(report.how));
    subject.set("annotations", std::move(annotations));
  }
  Value out = Value::array();
  out.push(std::move(subject));
  return out;
}

// Every verdict and every statement that passed, by name.
Value properties(const AuditReport& report, const ReportContext& context) {
  Value out = Value::array();
  for (std::size_t i = 0; i < kProperties.size(); ++i) {
    const auto name = static_cast<VerdictName>(i);
    if (report.verdict(name).outcome == Outcome::pass) out.push(Value::of(prefix_of(name, report.coverage) + std::string(kProperties[i])));
  }
  if (report.counts.aborted_runs > 0) out.push(Value::of("ETHOS_ABORTED_RUNS " + std::to_string(report.counts.aborted_runs)));
  for (const Value& v : context.assertions.items()) {
    if (v.text_at("result") == "pass") out.push(Value::of(assertion_property(v, report, context)));
  }
  for (const Value& v : context.sarif.items()) {
    if (v.text_at("result") == "pass") out.push(Value::of("ETHOS_SARIF " + v.text_at("file")));
  }
  for (const Value& v : context.reports.items()) {
    if (v.text_at("result") == "pass") out.push(Value::of("ETHOS_REPORT " + v.text_at("file")));
  }
  return out;
}

// All that was found, by code: a summary that says FAILED says of what.
Value codes_of(const Findings& findings) {
  Value out = Value::array();
  for (std::size_t i = 0; i < kCodes; ++i) {
    const CodeInfo& info = code_info(static_cast<Code>(i));
    const auto n = static_cast<std::int64_t>(findings.count(info.code));
    if (n == 0) continue;
    Value v = Value::object();
    v.set("code", Value::of(info.name)).set("count", Value::of(n)).set("severity", Value::of(severity_name(info.severity))).set("verdict", Value::of(verdict_name(info.verdict)));
    out.push(std::move(v));
  }
  return out;
}

Value number(std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); }

// What was judged and how it ended, so that the statement cannot be taken for a wider one.
Value scope(const AuditReport& report, const ReportContext& context) {
  using Coverage = EvidenceSource::Coverage;
  Value out = Value::object();
  Value verdicts = Value::array();
  for (std::size_t i = 0; i < kVerdicts; ++i) verdicts.push(verdict_json(static_cast<VerdictName>(i), report.verdicts[i]));
  const char* coverage = report.coverage == Coverage::whole ? "whole" : report.coverage == Coverage::run ? "run" : "tail";
  Value counts = Value::object();
  counts.set("records", number(report.counts.records)).set("runs", number(report.counts.runs));
  counts.set("open_runs", number(report.counts.open_runs)).set("aborted_runs", number(report.counts.aborted_runs));
  out.set("exit", Value::of(std::int64_t{context.exit})).set("kind", Value::of(context.input_kind)).set("coverage", Value::of(coverage));
  out.set("counts", std::move(counts)).set("verdicts", std::move(verdicts)).set("problems", codes_of(report.findings));
  out.set("assertions", context.assertions).set("sarif", context.sarif).set("reports", context.reports).set("inputs", digests_json(context));
  if (context.period) out.set("period", period_json(context));
  if (!context.at.empty()) out.set("at", Value::of(printable(context.at, 1000))).set("state", Value::of(report.how));
  if (context.pin != nullptr) out.set("pin", Value::of("urn:ethos:pin:" + context.pin->fingerprint));
  if (context.is_min_left_out) out.set("no_min", Value::of(true));
  if (const Problem* first = report.findings.first_bad()) out.set("first_bad", problem_json(*first));
  return out;
}

// Files by digest, what the result rests on: the evidence, the pin and the other files of the auditor's.
Value materials(const std::vector<NamedDigest>& files) {
  Value out = Value::array();
  for (const NamedDigest& file : files) {
    Value v = Value::object();
    v.set("name", Value::of(file.what)).set("uri", Value::of("file:" + printable(file.name, 1000))).set("digest", digest_of(file.sha256));
    out.push(std::move(v));
  }
  return out;
}

}  // namespace

StatementKey::StatementKey(StatementKey&& other) noexcept : vkey_(std::move(other.vkey_)), secret_(other.secret_) {
  sodium_memzero(other.secret_.data(), other.secret_.size());
}

StatementKey::~StatementKey() { sodium_memzero(secret_.data(), secret_.size()); }

Result<StatementKey> StatementKey::parse(std::string_view line) {
  if (!line.ends_with('\n') || !line.starts_with(kPrefix)) return malformed("not one line PRIVATE+KEY+...");
  line.remove_suffix(1);
  line.remove_prefix(kPrefix.size());
  const auto first = line.find('+');
  const auto second = first == std::string_view::npos ? first : line.find('+', first + 1);
  if (second == std::string_view::npos) return malformed("not a secret key");
  auto bytes = decode_base64(line.substr(second + 1));
  if (!bytes || bytes->size() != 33 || (*bytes)[0] != kLogKey) return malformed("not a secret Ed25519 key");
  StatementKey out;
  std::array<unsigned char, 32> public_key{};
  crypto_sign_seed_keypair(public_key.data(), out.secret_.data(), reinterpret_cast<const unsigned char*>(bytes->data()) + 1);
  sodium_memzero(bytes->data(), bytes->size());
  const std::string text = std::string(1, kLogKey) + std::string(reinterpret_cast<const char*>(public_key.data()), public_key.size());
  auto vkey = parse_vkey(std::string(line.substr(0, second + 1)) + encode_base64(text));
  if (!vkey) return malformed("its name and id do not fit the key: " + vkey.error().what);
  out.vkey_ = *std::move(vkey);
  return out;
}

Result<StatementKey> StatementKey::read(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return Error{Errc::io, path + ": " + (errno == ELOOP ? "a symbolic link" : std::strerror(errno))};
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return Error{Errc::io, path + ": " + std::strerror(errno)};
  if (!S_ISREG(st.st_mode) || st.st_nlink != 1) return Error{Errc::refused, path + ": not a regular file with one name"};
  if (st.st_uid != ::geteuid()) return Error{Errc::refused, path + ": owned by another user"};
  if ((st.st_mode & 077U) != 0) return Error{Errc::refused, path + ": group or others may use it; chmod 600"};
  std::array<char, kMaxKey + 1> buffer{};
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  if (got < 0 || static_cast<std::size_t>(got) > kMaxKey) return Error{Errc::too_long, path + ": not a key"};
  auto key = parse({buffer.data(), static_cast<std::size_t>(got)});
  sodium_memzero(buffer.data(), buffer.size());
  if (!key) return Error{key.error().code, path + ": " + key.error().what};
  return key;
}

std::string StatementKey::sign(std::string_view message) const {
  std::string out(crypto_sign_BYTES, '\0');
  crypto_sign_detached(reinterpret_cast<unsigned char*>(out.data()), nullptr, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                       secret_.data());
  return out;
}

std::string verification_statement(StatementType type, const AuditReport& report, const ReportContext& context,
                                   const SessionInputs& inputs, std::int64_t now_ms) {
  Value predicate = Value::object();
  Value verifier = Value::object();
  verifier.set("id", Value::of("urn:ethos:verifier:ethos-verify:" ETHOS_VERSION));
  predicate.set("timeVerified", Value::of(utc_text(now_ms))).set("urn:ethos:verdict:1", scope(report, context));
  if (type == StatementType::svr) {
    verifier.set("policies", materials(inputs.digests));
    predicate.set("properties", properties(report, context));
  } else {
    const auto pin = std::find_if(inputs.digests.begin(), inputs.digests.end(), [](const NamedDigest& d) { return d.what == "pin"; });
    Value policy = Value::object();
    policy.set("uri", Value::of("urn:ethos:pin:" + (context.pin != nullptr ? context.pin->fingerprint : "none")));
    if (pin != inputs.digests.end()) policy.set("digest", digest_of(pin->sha256));
    Value version = Value::object();
    version.set("ethos-verify", Value::of(std::string(kBuildVersion)));
    verifier.set("version", std::move(version));
    predicate.set("policy", std::move(policy)).set("resourceUri", Value::of("urn:ethos:ledger:" + report.origin));
    predicate.set("inputAttestations", materials(context.digests)).set("slsaVersion", Value::of("1.0"));
    predicate.set("verificationResult", Value::of(context.exit == 0 ? "PASSED" : "FAILED"));
    predicate.set("verifiedLevels", context.exit == 0 ? properties(report, context) : Value::array());
  }
  predicate.set("verifier", std::move(verifier));
  Value statement = Value::object();
  statement.set("_type", Value::of("https://in-toto.io/Statement/v1")).set("subject", subjects(report, context));
  statement.set("predicateType", Value::of(type == StatementType::svr ? "https://in-toto.io/attestation/svr/v0.2" : "https://slsa.dev/verification_summary/v1"));
  statement.set("predicate", std::move(predicate));
  return encode_canonical(statement);
}

std::string sign_statement(const std::string& statement, const StatementKey& key) {
  const std::string message = "DSSEv1 " + std::to_string(kPayloadType.size()) + " " + std::string(kPayloadType) + " " +
                              std::to_string(statement.size()) + " " + statement;
  Value signature = Value::object();
  signature.set("keyid", Value::of(key.vkey().text)).set("sig", Value::of(encode_base64(key.sign(message))));
  Value signatures = Value::array();
  signatures.push(std::move(signature));
  Value envelope = Value::object();
  envelope.set("payload", Value::of(encode_base64(statement))).set("payloadType", Value::of(kPayloadType)).set("signatures", std::move(signatures));
  return encode_canonical(envelope);
}

}  // namespace ethos::verify
