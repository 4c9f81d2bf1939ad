// SPDX-License-Identifier: Apache-2.0
#include "verify/documents.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "verify/encoding.h"
#include "verify/forms.h"

namespace ethos::verify {
namespace {

std::uint64_t key_of(const Digest& c) {
  std::uint64_t out = 0;
  std::memcpy(&out, c.bytes.data(), sizeof out);
  return out;
}

// Only told apart by it where the writer holds the key; ids are random.
std::size_t key_of_run(std::string_view run) { return run.empty() ? 0 : std::hash<std::string_view>{}(run); }

}  // namespace

Digest commit(std::string_view salt, std::string_view bytes, Sha256& hash) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    length[i] = static_cast<char>((static_cast<std::uint64_t>(bytes.size()) >> (56U - 8U * i)) & 0xffU);
  }
  hash.begin();
  hash.add(std::string_view("ethos/commit/1\0", 15));
  hash.add(salt);
  hash.add(length);
  hash.add(bytes);
  return hash.finish();
}

void DocumentReader::on_digests(RecordType type, std::string_view text) {
  constexpr std::string_view kStart = "\"sha256:";
  constexpr std::size_t kLength = 71;
  const bool names_blobs = type == RecordType::run_open || type == RecordType::sandbox_enforced || type == RecordType::ledger_anchor;
  if (!is_bundle_ && !names_blobs) return;
  for (auto at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
    if (const auto digest = Digest::from_text(text.substr(at + 1, kLength))) digest_keys_.insert(key_of(*digest));
  }
}

void DocumentReader::on_erase(std::int64_t seq, std::string_view run, const Value& body) {
  for (const Value& target : body.at("targets").items()) {
    if (const auto c = Digest::from_base64(target.text()))
      erased_.try_emplace(*c, Erased{seq, key_of_run(run)});
  }
}

// what is erased was named before. A bundle shows only part of the records and cannot tell.
void DocumentReader::check_erased(Findings& findings) {
  if (source_.coverage() != EvidenceSource::Coverage::whole) return;
  std::sort(withheld_keys_.begin(), withheld_keys_.end());
  std::map<Digest, std::int64_t> first_named;
  for (const Closed& closed : closed_) {
    first_named.emplace(closed.c, closed.seq);
    const auto erased = erased_.find(closed.c);
    if (erased != erased_.end() && was_held_ && closed.run != 0 &&
        was_held_(closed.run, erased->second.seq)) {
      findings.add({.code = Code::hold_broken, .seq = erased->second.seq, .found = closed.c.base64(),
                    .text = "the record erases, under a hold of its run, what record " + std::to_string(closed.seq) + " named"});
    }
    if (erased == erased_.end() || erased->second.run == 0 || erased->second.run == closed.run) continue;
    findings.add({.code = Code::erase_unknown, .seq = erased->second.seq, .expected = "no run keys, or those of the run that named it", .found = closed.c.base64(),
                  .text = "the record erases, in the name of one run, what record " + std::to_string(closed.seq) + " named"});
  }
  for (const auto& [c, erased] : erased_) {
    const std::int64_t seq = erased.seq;
    const auto at = first_named.find(c);
    const bool named =
        (at != first_named.end() && at->second < seq) ||
        std::binary_search(withheld_keys_.begin(), withheld_keys_.end(), key_of(c)) ||
        erased_and_there_.contains(c);
    const bool may_be_dropped = first_dropped_ >= 0 && first_dropped_ < seq;
    if (!named && !may_be_dropped) {
      findings.add({.code = Code::erase_unknown, .seq = seq, .found = c.base64(),
                    .text = "the record erases a value that no earlier record names"});
    }
  }
}

void DocumentReader::Recent::keep(StoredDisclosure disclosure) {
  if (held_.size() == kMost) held_.pop_front();
  held_.push_back(std::move(disclosure));
}

std::optional<StoredDisclosure> DocumentReader::Recent::take(const Digest& c) {
  const auto at = std::find_if(held_.begin(), held_.end(), [&](const StoredDisclosure& held) { return held.c == c; });
  if (at == held_.end()) return std::nullopt;
  std::optional<StoredDisclosure> out = std::move(*at);
  held_.erase(at);
  return out;
}

std::optional<DisclosureSize> DocumentReader::size_of(const Digest& c, std::uint64_t stated) {
  // A short length may be stated of a long value, and again and again.
  if (stated > kMaxRecent || (!long_.empty() && long_.contains(key_of(c)))) {
    auto size = source_.disclosure_size(c);
    if (size && size->bytes > budget_.free) long_.try_emplace(key_of(c), Long{size->bytes, 0});
    return size;
  }
  auto stored = source_.disclosure(c);
  if (!stored) return std::nullopt;
  DisclosureSize out{stored->kind, stored->bytes.size(), stored->place};
  if (out.bytes > budget_.free) long_.try_emplace(key_of(c), Long{out.bytes, 0});
  if (out.bytes == stated) recent_.keep(*std::move(stored));
  return out;
}

void DocumentReader::on_record(std::int64_t seq, std::string_view run, const View& body, Findings& findings) {
  for_each_commitment(body, [&](const View& commitment) {
    ++named_;
    const Digest c = *Digest::from_base64(commitment.at("c").raw());
    const std::string kind(commitment.at("kind").raw());
    const auto stated = static_cast<std::uint64_t>(commitment.at("n").number());
    const auto stored = size_of(c, stated);
    if (!stored) {
      if (source_.may_withhold(kind)) {
        ++withheld_;
        const bool has_room = withheld_kinds_.size() < kListedKinds || withheld_kinds_.contains(kind);
        Withheld& of_kind = withheld_kinds_[has_room ? kind : "others"];
        ++of_kind.count;
        if (of_kind.records.size() < kListedRecords) of_kind.records.push_back(seq);
        withheld_keys_.push_back(key_of(c));
      } else {
        closed_.push_back({c, seq, kind, key_of_run(run)});
      }
      return;
    }
    if (stored->place) {
      opened_places_.add(*stored->place);
    } else {
      opened_keys_.push_back(key_of(c));
    }
    const bool right = stored->kind == kind && stored->bytes == stated;
    if (!right) {
      findings.add({.code = Code::disclosure_mismatch, .seq = seq,
                    .expected = kind + ", " + std::to_string(stated) + " bytes",
                    .found = printable(stored->kind) + ", " + std::to_string(stored->bytes) + " bytes",
                    .text = "a disclosure is not of the kind and length that the record states"});
      return;
    }
    ++opened_;
  });
}

bool DocumentReader::may_spend(std::uint64_t bytes) {
  if (bytes <= budget_.free) return true;
  if (spent_ > budget_.most) return false;
  spent_ += bytes;
  return true;
}

bool DocumentReader::may_open(Long& value) {
  if (value.opens < budget_.opens) {
    ++value.opens;
    return true;
  }
  if (may_spend(value.bytes)) return true;
  ++refused_;
  return false;
}

std::optional<std::string> DocumentReader::open(const Value& commitment) {
  const auto c = Digest::from_base64(commitment.text_at("c"));
  if (!c) return std::nullopt;
  // Such a record is malformed, and says so again and again.
  if (commitment.text_at("kind") == "path" && commitment.at("n").number() > kMaxCommittedPath) return std::nullopt;
  auto stored = recent_.take(*c);
  if (!stored && !long_.empty()) {
    const auto at = long_.find(key_of(*c));
    const bool is_wrong = at != long_.end() && at->second.bytes != static_cast<std::uint64_t>(commitment.at("n").number());
    if (is_wrong || (at != long_.end() && !may_open(at->second))) return std::nullopt;
  }
  if (!stored) stored = source_.disclosure(*c);
  if (!stored || stored->kind != commitment.text_at("kind")) return std::nullopt;
  if (stored->bytes.size() != static_cast<std::uint64_t>(commitment.at("n").number())) return std::nullopt;
  // Checked here too: what a verdict rests on is never believed because another pass will look.
  if (commit(stored->salt, stored->bytes, hash_) != *c) return std::nullopt;
  return std::move(stored->bytes);
}

std::optional<std::string> DocumentReader::blob(std::string_view digest_text) {
  const auto digest = Digest::from_text(digest_text);
  if (!digest) return std::nullopt;
  const auto known = long_.find(key_of(*digest));
  if (known != long_.end() && !may_open(known->second)) return std::nullopt;
  auto bytes = source_.blob(*digest);
  if (bytes && bytes->size() > budget_.free) long_.try_emplace(key_of(*digest), Long{bytes->size(), 1});
  if (!bytes || hash_.of(*bytes) != *digest) return std::nullopt;
  return bytes;
}

Value DocumentReader::parse_document(std::string_view bytes, std::string_view kind, std::int64_t seq, const std::string& run,
                                     Findings& findings) {
  auto parsed = parse_canonical(bytes, kDocumentLimits);
  if (parsed) return *std::move(parsed);
  findings.add({.code = Code::disclosure_mismatch, .seq = seq, .offset = parsed.error().offset, .run = run,
                .found = parsed.error().what,
                .text = "the committed document `" + std::string(kind) + "` is not in canonical form"});
  return {};
}

bool DocumentReader::is_named(const StoredDisclosure& row) const {
  if (row.place) return opened_places_.contains(*row.place);
  return std::binary_search(opened_keys_.begin(), opened_keys_.end(), key_of(row.c));
}

void DocumentReader::finish(Findings& findings) {
  std::sort(opened_keys_.begin(), opened_keys_.end());
  StoredDisclosure row;
  while (source_.next_disclosure(row, findings)) {
    ++stored_;
    const std::string name = row.c.base64();
    if (commit(row.salt, row.bytes, hash_) != row.c) {
      findings.add({.code = Code::disclosure_mismatch, .found = name,
                    .text = "a disclosure's salt and bytes do not give its commitment"});
    }
    if (erased_.contains(row.c)) {
      if (is_named(row)) erased_and_there_.insert(row.c);
      findings.add({.code = Code::disclosure_orphan, .found = name,
                    .text = "a value recorded as erased is still disclosed"});
    } else if (!source_.is_prefix() && !is_named(row)) {
      // A bundle has no business with values that nothing in it names.
      findings.add({.code = is_bundle_ ? Code::bundle : Code::disclosure_orphan, .found = name,
                    .text = "a disclosure that no record names"});
    }
  }
  check_erased(findings);
  for (const Closed& closed : closed_) {
    if (erased_.contains(closed.c) || (is_erased_later_ && is_erased_later_(closed.c))) {
      ++erased_count_;
      continue;
    }
    findings.add({.code = Code::disclosure_missing, .seq = closed.seq, .found = closed.kind + " " + closed.c.base64(),
                  .text = "a committed value is neither disclosed nor recorded as erased"});
  }
  Digest key;
  std::string bytes;
  while (source_.next_blob(key, bytes, findings)) {
    ++blobs_;
    if (!has_lost_digests_ && !source_.is_prefix() && !digest_keys_.contains(key_of(key))) {
      findings.add({.code = is_bundle_ ? Code::bundle : Code::blob_orphan, .found = key.text(), .text = "a blob that no record names"});
    }
    if (hash_.of(bytes) != key) {
      findings.add({.code = Code::blob_mismatch, .expected = key.text(),
                    .text = "a blob's bytes do not have the digest they are stored under"});
    }
  }
}

}  // namespace ethos::verify
