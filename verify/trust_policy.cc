// SPDX-License-Identifier: Apache-2.0
#include "verify/trust_policy.h"

#include <algorithm>
#include <utility>

#include "verify/encoding.h"
#include "verify/times.h"

namespace ethos::verify {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return out;
    line.remove_prefix(begin);
    const auto end = line.find_first_of(" \t");
    out.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end);
  }
}

class PolicyParser {
 public:
  Result<TrustPolicy> parse(std::string_view bytes) {
    if (bytes.size() > TrustPolicy::kMaxFile) return Error{Errc::too_long, "a policy is at most 65,536 bytes"};
    for (number_ = 1; !bytes.empty(); ++number_) {
      const auto end = std::min(bytes.find('\n'), bytes.size());  // the last line may lack its end
      const std::string_view text = bytes.substr(0, end);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
      const bool bad = std::any_of(text.begin(), text.end(), [](char c) { return (c < 0x20 || c > 0x7e) && c != '\t'; });
      if (bad) return at_line("only printable ASCII and tabs may stand here");
      const auto words = words_of(text);
      if (words.empty() || words[0].starts_with('#')) continue;
      if (const auto done = line(words); !done) return done.error();
    }
    if (!has_quorum_) return malformed("no line `quorum NAME`");
    return std::move(policy_);
  }

 private:
  Error at_line(const std::string& why, Errc code = Errc::malformed) const { return Error{code, "line " + std::to_string(number_) + ": " + why}; }

  Result<Done> line(const std::vector<std::string_view>& words) {
    if (words[0] == "log") return log(words);
    if (words[0] == "witness") return witness(words);
    if (words[0] == "group") return group(words);
    if (words[0] == "quorum") return quorum(words);
    return at_line("`" + printable(words[0], 40) + "` is none of log, witness, group, quorum");
  }

  Result<Done> log(const std::vector<std::string_view>& words) {
    if (words.size() < 2 || words.size() > 3) return at_line("`log VKEY [URL]` is expected");
    auto key = parse_vkey(words[1]);
    if (!key) return at_line(key.error().what, key.error().code);
    if (std::any_of(policy_.logs.begin(), policy_.logs.end(), [&](const Vkey& other) { return other.key == key->key; })) return at_line("the key stands twice");
    if (policy_.logs.size() == TrustPolicy::kMaxParties) return at_line("more than 1,024 logs", Errc::too_long);
    policy_.logs.push_back(*std::move(key));
    return Done{};
  }

  Result<Done> add(std::string_view name, TrustPolicy::Party party) {
    if (name == "none") return at_line("`none` cannot be a name");
    if (index_.contains(std::string(name))) return at_line("the name `" + printable(name, 60) + "` stands twice");
    if (policy_.parties.size() == TrustPolicy::kMaxParties) return at_line("more than 1,024 witnesses and groups", Errc::too_long);
    party.name = name;
    index_.emplace(name, policy_.parties.size());
    policy_.parties.push_back(std::move(party));
    return Done{};
  }

  Result<Done> witness(const std::vector<std::string_view>& words) {
    if (words.size() < 3 || words.size() > 4) return at_line("`witness NAME VKEY [URL]` is expected");
    auto key = parse_vkey(words[2], kCosignerKey);
    if (!key) return at_line(key.error().what, key.error().code);
    for (const auto& party : policy_.parties) {
      if (party.witness && party.witness->key == key->key) return at_line("the key stands twice");
    }
    TrustPolicy::Party party;
    party.witness = *std::move(key);
    return add(words[1], std::move(party));
  }

  Result<Done> group(const std::vector<std::string_view>& words) {
    if (words.size() < 4) return at_line("`group NAME all|any|K MEMBER...` is expected");
    TrustPolicy::Party party;
    for (std::size_t i = 3; i < words.size(); ++i) {
      const auto found = index_.find(words[i]);
      if (found == index_.end()) return at_line("`" + printable(words[i], 60) + "` is not named before");
      if (!grouped_.insert(found->second).second) return at_line("`" + printable(words[i], 60) + "` is a member twice");
      party.members.push_back(found->second);
    }
    const auto number = parse_decimal(words[2], party.members.size());
    // k decimal without leading zero
    if (words[2] == "all") party.threshold = party.members.size();
    else if (words[2] != "any" && (!number || *number == 0)) return at_line("the threshold is not all, any, or from 1 to the number of members");
    else if (number) party.threshold = *number;
    return add(words[1], std::move(party));
  }

  Result<Done> quorum(const std::vector<std::string_view>& words) {
    if (words.size() != 2) return at_line("`quorum NAME` is expected");
    if (has_quorum_) return at_line("a second quorum");
    has_quorum_ = true;
    if (words[1] == "none") return Done{};
    const auto found = index_.find(words[1]);
    if (found == index_.end()) return at_line("`" + printable(words[1], 60) + "` is not named before");
    policy_.quorum = found->second;
    return Done{};
  }

  TrustPolicy policy_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::set<std::size_t> grouped_;
  bool has_quorum_ = false;
  std::size_t number_ = 0;
};

// The time of a right cosignature, in seconds; nothing when it is not right.
std::optional<std::int64_t> cosigned_at(const Vkey& key, const Note& note, std::string_view signature) {
  if (signature.size() != 8 + 64) return std::nullopt;
  std::uint64_t time = 0;
  for (const char c : signature.substr(0, 8)) time = time << 8U | static_cast<unsigned char>(c);
  if (time == 0 || time > static_cast<std::uint64_t>(INT64_MAX / 1000)) return std::nullopt;
  const std::string message = "cosignature/v1\ntime " + std::to_string(time) + "\n" + note.text;
  if (!verify_ed25519(key, message, signature.substr(8))) return std::nullopt;
  return static_cast<std::int64_t>(time);
}

}  // namespace

Result<TrustPolicy> TrustPolicy::parse(std::string_view bytes) { return PolicyParser().parse(bytes); }

bool TrustPolicy::is_met(const std::set<std::size_t>& signed_by) const {
  if (!quorum) return true;
  std::vector<bool> met(parties.size());  // members come before their group
  for (std::size_t i = 0; i < parties.size(); ++i) {
    const Party& party = parties[i];
    const auto held = std::count_if(party.members.begin(), party.members.end(), [&](std::size_t m) { return met[m]; });
    met[i] = party.witness ? signed_by.contains(i) : static_cast<std::size_t>(held) >= party.threshold;
  }
  return met[*quorum];
}

std::size_t TrustPolicy::witnesses() const {
  return static_cast<std::size_t>(std::count_if(parties.begin(), parties.end(), [](const Party& p) { return p.witness.has_value(); }));
}

void WitnessBook::on_checkpoint(const Checkpoint& checkpoint, const Note& note, Findings& findings) {
  last_size_ = checkpoint.size;
  last_is_listed_ = false;
  for (const Vkey& log : policy_.logs) {
    for (const NoteSignature& line : note.signatures) {
      if (line.name != log.name || line.id != log.id_view() || log.name != checkpoint.origin) continue;
      last_is_listed_ = last_is_listed_ || verify_ed25519(log, note.text, line.signature);
    }
  }
  std::map<std::size_t, std::int64_t> times;  // the earliest of each witness
  for (std::size_t i = 0; i < policy_.parties.size(); ++i) {
    const auto& key = policy_.parties[i].witness;
    if (!key) continue;
    for (const NoteSignature& line : note.signatures) {
      if (line.name != key->name || line.id != key->id_view()) continue;
      const auto time = cosigned_at(*key, note, line.signature);
      if (!time) {
        findings.add({.code = Code::bad_cosignature, .seq = static_cast<std::int64_t>(checkpoint.size) - 1, .found = key->text,
                      .text = "the cosignature of witness " + printable(policy_.parties[i].name, 60) + " under the checkpoint of size " +
                              std::to_string(checkpoint.size) + " is wrong"});
        continue;
      }
      ++cosignatures_;
      const auto [at, is_new] = times.try_emplace(i, *time);
      if (!is_new) at->second = std::min(at->second, *time);
    }
  }
  weigh(checkpoint.size, times);
}

// The smallest time at which the quorum holds when only cosignatures up to it are counted.
void WitnessBook::weigh(std::uint64_t size, const std::map<std::size_t, std::int64_t>& times) {
  if (!policy_.quorum) return;
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (const auto& [witness, time] : times) order.emplace_back(time, witness);
  std::sort(order.begin(), order.end());
  Vouched now{size, {}, 0};
  for (const auto& [time, witness] : order) {
    now.witnesses.insert(witness);
    if (!policy_.is_met(now.witnesses)) continue;
    now.at_s = time;
    if (points_.size() < kMaxPoints) points_.push_back({size, time * 1000, {}});
    vouched_ = std::move(now);
    return;
  }
}

void WitnessBook::finish(Findings& findings) const {
  if (last_size_ == 0) return;
  if (!policy_.logs.empty() && !last_is_listed_) {
    findings.add({.code = Code::key_not_listed, .seq = static_cast<std::int64_t>(last_size_) - 1,
                  .text = "the checkpoint of size " + std::to_string(last_size_) + " is not signed by a key that the policy lists"});
  }
  if (!policy_.quorum) return;
  if (!vouched_) {
    findings.add({.code = Code::quorum_unmet, .expected = "quorum " + printable(policy_.parties[*policy_.quorum].name, 60),
                  .found = std::to_string(cosignatures_) + " right cosignatures", .text = "no checkpoint has the cosignatures that the policy asks for"});
  } else if (vouched_->size < last_size_) {
    findings.add({.code = Code::quorum_behind, .seq = static_cast<std::int64_t>(vouched_->size), .expected = std::to_string(last_size_) + " records",
                  .found = std::to_string(vouched_->size), .text = "the records from " + std::to_string(vouched_->size) + " on have no witnesses yet"});
  }
}

std::optional<TimeAnchor> WitnessBook::anchor(const Zone& zone) const {
  if (!vouched_) return std::nullopt;
  return TimeAnchor{vouched_->size, vouched_->at_s * 1000,
                    std::to_string(vouched_->witnesses.size()) + " of " + std::to_string(policy_.witnesses()) + " witnesses saw the first " +
                        std::to_string(vouched_->size) + " records by " + zoned_text(vouched_->at_s * 1000, zone)};
}

Value WitnessBook::json() const {
  Value v = Value::object();
  v.set("cosignatures", Value::of(static_cast<std::int64_t>(cosignatures_)));
  v.set("vouched_size", Value::of(static_cast<std::int64_t>(vouched_ ? vouched_->size : 0)));
  Value names = Value::array();
  if (vouched_) {
    for (const std::size_t i : vouched_->witnesses) names.push(Value::of(printable(policy_.parties[i].name, 200)));
    v.set("at_ms", Value::of(vouched_->at_s * 1000));
  }
  v.set("witnesses", std::move(names));
  return v;
}

}  // namespace ethos::verify
