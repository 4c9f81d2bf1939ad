// SPDX-License-Identifier: Apache-2.0
#include "ledger/anchor/witness_policy.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ledger/base/base64.h"
#include "ledger/base/hex.h"
#include "ledger/record/digest.h"

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

namespace {

constexpr std::size_t kMaxPolicyBytes = 65'536;
constexpr std::byte kCosignature{0x04};
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kSignatureBytes = 64;

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t') {
      word.push_back(c);
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

bool is_policy_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\t' || c == '\n' || (c >= ' ' && c < '\x7F'); });
}

}  // namespace

Result<WitnessKey> WitnessKey::from_text(std::string_view vkey) {
  const auto bad = [](const char* why) {
    return fail(Errc::malformed, std::string("vkey: ") + why);
  };
  const std::size_t first = vkey.find('+');
  const std::size_t second = first == vkey.npos ? vkey.npos : vkey.find('+', first + 1);
  if (second == vkey.npos) return bad("not <name>+<id>+<key>");
  const std::string_view name = vkey.substr(0, first);
  auto id = base::decode_hex(vkey.substr(first + 1, second - first - 1));
  auto payload = base::decode_base64(vkey.substr(second + 1));
  if (!id || id->size() != record::KeyId().size()) return bad("the id is not 8 hex digits");
  if (!payload || payload->size() != 1 + kKeyBytes) return bad("not base64 of 33 bytes");
  if (payload->front() != kCosignature) return bad("not the key of a witness (type 4)");
  auto key = record::PublicKey::from_bytes(name, base::ByteSpan(*payload).subspan(1));
  if (!key) return Unexpected(std::move(key).error());
  const record::Digest hash =
      record::sha256({base::as_bytes(name), base::as_bytes("\n"), *payload});
  WitnessKey out{std::move(*key), {}};
  std::copy_n(hash.bytes().begin(), out.id.size(), out.id.begin());
  if (!std::equal(out.id.begin(), out.id.end(), id->begin()))
    return bad("the id is not that of the key");
  return out;
}

// Reads a policy line by line: what a line names must be defined above it.
class PolicyParser {
 public:
  Result<WitnessPolicy> run(std::string_view text) {
    if (text.size() > kMaxPolicyBytes) return fail(Errc::too_large, "policy: over 64 KiB");
    std::size_t number = 0;
    while (!text.empty()) {
      ++number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view one = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      auto ok = is_policy_text(one) ? line(words_of(one)) : bad("not printable ASCII");
      if (!ok)
        return Unexpected(
            std::move(ok).error().with_context("policy line " + std::to_string(number)));
    }
    if (!has_quorum_) return fail(Errc::malformed, "policy: no quorum");
    return std::move(out_);
  }

 private:
  static base::Unexpected bad(std::string why) { return fail(Errc::malformed, std::move(why)); }

  Result<void> line(const std::vector<std::string>& words) {
    if (words.empty() || words[0].starts_with('#')) return {};
    if (words[0] == "log") return log(words);
    if (words[0] == "witness") return witness(words);
    if (words[0] == "group") return group(words);
    if (words[0] == "quorum") return quorum(words);
    return bad("is no log, witness, group or quorum");
  }

  Result<void> log(const std::vector<std::string>& words) {
    if (words.size() < 2 || words.size() > 3) return bad("log: <vkey> [<url>]");
    auto key = record::PublicKey::from_text(words[1]);
    if (!key) return Unexpected(std::move(key).error());
    return add_key(base::to_string(key->bytes()) + "log") ? Result<void>()
                                                          : bad("this log stands twice");
  }

  Result<void> witness(const std::vector<std::string>& words) {
    if (words.size() < 3 || words.size() > 4) return bad("witness: <name> <vkey> [<url>]");
    auto key = WitnessKey::from_text(words[2]);
    if (!key) return Unexpected(std::move(key).error());
    if (auto ok = define(words[1]); !ok) return ok;
    if (!add_key(base::to_string(key->key.bytes()))) return bad("this witness key stands twice");
    out_.witnesses_.push_back({words[1], std::move(*key), words.size() == 4 ? words[3] : ""});
    return {};
  }

  Result<void> group(const std::vector<std::string>& words) {
    if (words.size() < 4) return bad("group: <name> <all|any|k> <member>...");
    WitnessPolicy::Group made{words[1], 0, {words.begin() + 3, words.end()}};
    const std::string& k = words[2];
    const auto parsed = std::from_chars(k.data(), k.data() + k.size(), made.threshold);
    if (k == "all") {
      made.threshold = made.members.size();
    } else if (k == "any") {
      made.threshold = 1;
    } else if (parsed.ec != std::errc{} || parsed.ptr != k.data() + k.size() || k[0] == '0') {
      return bad("the threshold is not all, any or a number above 0");
    }
    if (made.threshold > made.members.size())
      return bad("the threshold is above the number of members");
    for (const std::string& member : made.members) {
      if (!names_.contains(member)) return bad(member + " is not defined above");
      if (!members_.insert(member).second) return bad(member + " is a member twice");
    }
    if (auto ok = define(words[1]); !ok) return ok;
    out_.groups_.push_back(std::move(made));
    return {};
  }

  Result<void> quorum(const std::vector<std::string>& words) {
    if (words.size() != 2) return bad("quorum: <name|none>");
    if (has_quorum_) return bad("a second quorum");
    has_quorum_ = true;
    if (words[1] == "none") return {};
    if (!names_.contains(words[1])) return bad(words[1] + " is not defined above");
    out_.quorum_ = words[1];
    return {};
  }

  Result<void> define(const std::string& name) {
    if (name == "none") return bad("none is no name");
    return names_.insert(name).second ? Result<void>() : bad(name + " is defined twice");
  }

  bool add_key(std::string key) { return keys_.insert(std::move(key)).second; }

  WitnessPolicy out_;
  std::set<std::string> names_;
  std::set<std::string> members_;
  std::set<std::string> keys_;
  bool has_quorum_ = false;
};

Result<WitnessPolicy> WitnessPolicy::parse(std::string_view text) {
  return PolicyParser().run(text);
}

bool WitnessPolicy::holds(const std::string& name, const std::set<std::string>& cosigned) const {
  // Members are defined above their group: the recursion ends.
  const auto group = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const Group& one) { return one.name == name; });
  if (group == groups_.end()) return cosigned.contains(name);
  const auto count = std::count_if(group->members.begin(), group->members.end(),
                                   [&](const std::string& one) { return holds(one, cosigned); });
  return static_cast<std::size_t>(count) >= group->threshold;
}

bool WitnessPolicy::is_met(const std::set<std::string>& cosigned) const {
  return quorum_.empty() || holds(quorum_, cosigned);
}

Result<std::uint64_t> check_cosignature(const record::NoteSignature& line,
                                        std::string_view note_text, const WitnessKey& key) {
  if (line.name != key.key.name() || line.id != key.id) return fail(Errc::not_found, line.name);
  const auto wrong = [&] {
    return fail(Errc::mismatch, "the cosignature of " + line.name + " does not verify");
  };
  if (line.signature.size() != kTimeBytes + kSignatureBytes) return wrong();
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < kTimeBytes; ++i)
    time = time << 8U | std::to_integer<std::uint64_t>(line.signature[i]);
  const std::string message =
      "cosignature/v1\ntime " + std::to_string(time) + "\n" + std::string(note_text);
  if (time == 0 || !key.key.verifies(base::as_bytes(message),
                                     base::ByteSpan(line.signature).subspan(kTimeBytes))) {
    return wrong();
  }
  return time;
}

Result<std::string> own_note(std::string_view note, std::string_view origin) {
  const std::size_t split = note.rfind("\n\n");
  if (split == note.npos) return fail(Errc::malformed, "note: no signature part");
  std::string out(note.substr(0, split + 2));
  const std::size_t text_size = out.size();
  const std::string mark = "\xE2\x80\x94 " + std::string(origin) + " ";
  for (std::string_view rest = note.substr(split + 2); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n') + 1, rest.size());
    if (end == 0) return fail(Errc::malformed, "note: no line feed at the end");
    if (rest.starts_with(mark)) out += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  if (out.size() == text_size) return fail(Errc::malformed, "note: not signed by its own origin");
  return out;
}

}  // namespace ethos::ledger
