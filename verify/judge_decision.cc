// SPDX-License-Identifier: Apache-2.0
#include "verify/judge_decision.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "verify/encoding.h"
#include "verify/jsonc.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kPayloadType = "application/vnd.ethos.decision+json";
constexpr std::array<std::string_view, 6> kKeys{"argv", "expires_ms", "policy",
                                                "tool", "v",          "verdict"};
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kSignatureBytes = 64;
// Between the moment at which the clock was asked and that of the record lies the start of the run.
constexpr std::int64_t kStartMs = 60'000;

class DecisionJudge {
 public:
  DecisionJudge(const RunEvidence& run, DocumentReader& reader, RunReport& report)
      : run_(run), stated_(run.open.at("decision")), reader_(reader), report_(report) {}

  void judge() {
    const bool allows = stated_.text_at("verdict") == "allow";
    if (!allows && !run_.was_refused())
      contradict("the run was made against its decision", "allow", stated_.text_at("verdict"));
    const auto document = reader_.open(stated_.at("doc"));
    if (!document) return;  // the disclosure verdict tells
    const auto payload = open_envelope(*document);
    if (!payload)
      return contradict("the decision is no document of its kind", "a payload or a DSSE envelope",
                        *document);
    for (const char* key : {"policy", "verdict"}) {
      if (payload->text_at(key) != stated_.text_at(key)) {
        contradict("run.open and the decision differ in `" + std::string(key) + "`",
                   payload->text_at(key), stated_.text_at(key));
      }
    }
    // What does not fit a refused run may be why it was refused.
    if (!run_.was_refused()) fits(*payload);
  }

 private:
  void contradict(const std::string& text, const std::string& expected, const std::string& found) {
    report_.add(Code::contradiction, text, expected, found);
  }

  // DE-1 to DE-3.
  std::optional<Value> open_envelope(const std::string& document) const {
    auto root = parse_jsonc(document);
    if (!root || !root->is_object()) return std::nullopt;
    if (!root->has("payload"))
      return stated_.at("authenticated").flag() ? std::nullopt : checked(*std::move(root));
    if (root->text_at("payloadType") != kPayloadType || !root->at("payload").is_string())
      return std::nullopt;
    const auto& signatures = root->at("signatures").items();
    const bool is_signed = std::any_of(signatures.begin(), signatures.end(), [](const Value& s) {
      const auto bytes = decode_base64(s.text_at("sig"));
      return bytes && bytes->size() == kSignatureBytes;
    });
    if (signatures.empty() || (stated_.at("authenticated").flag() && !is_signed))
      return std::nullopt;
    const auto bytes = decode_base64(root->text_at("payload"));
    auto payload = bytes ? parse_jsonc(*bytes) : Result<Value>(Error{});
    return payload ? checked(*std::move(payload)) : std::nullopt;
  }

  // Every key, and no other.
  static std::optional<Value> checked(Value payload) {
    const bool has_all = std::all_of(kKeys.begin(), kKeys.end(),
                                     [&](std::string_view key) { return payload.has(key); });
    const Value& argv = payload.at("argv");
    const auto salt = decode_base64(argv.text_at("salt"));
    const bool good = has_all && payload.size() == kKeys.size() && payload.at("v").is_integer() &&
                      payload.at("v").number() == 1 && payload.at("expires_ms").is_integer() &&
                      payload.at("policy").is_string() && payload.at("tool").is_string() &&
                      payload.at("verdict").is_string() && argv.at("sha256").is_string() && salt &&
                      salt->size() == kSaltBytes;
    return good ? std::optional(std::move(payload)) : std::nullopt;
  }

  // DE-2: it allows this run, and not another.
  void fits(const Value& payload) {
    if (payload.text_at("tool") != run_.open.text_at("tool")) {
      contradict("the decision is for another tool", run_.open.text_at("tool"),
                 payload.text_at("tool"));
    }
    if (payload.at("expires_ms").number() <= run_.wall_ms - kStartMs) {
      contradict("the decision had expired when the run began",
                 "later than " + std::to_string(run_.wall_ms),
                 std::to_string(payload.at("expires_ms").number()));
    }
    const auto argv = reader_.open(run_.open.at("argv"));
    if (!argv) return;
    Sha256 hash;
    hash.begin();
    hash.add(std::string_view("ethos/decision-args/1\0", 22));
    hash.add(decode_base64(payload.at("argv").text_at("salt")).value_or(""));
    hash.add(*argv);
    const std::string digest = hash.finish().base64();
    if (digest != payload.at("argv").text_at("sha256"))
      contradict("the decision is for other arguments", digest,
                 payload.at("argv").text_at("sha256"));
  }

  const RunEvidence& run_;
  const Value& stated_;
  DocumentReader& reader_;
  RunReport& report_;
};

}  // namespace

void judge_decision(const RunEvidence& run, DocumentReader& reader, RunReport& report) {
  if (run.open.has("decision")) DecisionJudge(run, reader, report).judge();
}

}  // namespace ethos::verify
