// SPDX-License-Identifier: Apache-2.0
#include "verify/anchors.h"

#include <algorithm>

#include "verify/encoding.h"
#include "verify/time_token.h"

namespace ethos::verify {
namespace {

constexpr std::string_view kSha256 = "2.16.840.1.101.3.4.2.1";

}  // namespace

std::string own_note(std::string_view note, std::string_view origin) {
  const auto split = note.rfind("\n\n");
  if (split == std::string_view::npos) return std::string(note);
  std::string out(note.substr(0, split + 2));
  const std::string start = "\xe2\x80\x94 " + std::string(origin) + " ";
  for (std::string_view lines = note.substr(split + 2); !lines.empty();) {
    const auto end = std::min(lines.find('\n'), lines.size() - 1);
    const std::string_view line = lines.substr(0, end + 1);
    if (line.starts_with(start)) out += line;
    lines.remove_prefix(end + 1);
  }
  return out;
}

void AnchorBook::on_record(std::int64_t seq, const Value& body) {
  if (anchors_.size() == kMax) return;
  anchors_.push_back({seq, body.at("size").number(), body.at("at_ms").number(), body.text_at("imprint"), body.text_at("token"), body.text_at("policy")});
}

bool AnchorBook::judge(const Anchor& anchor, EvidenceSource& source, const std::string& origin, const std::vector<Certificate>& roots,
                       AnchorSummary& out, Findings& findings) {
  const auto refuse = [&](std::string text, std::string expected, std::string found) {
    findings.add({.code = Code::anchor_mismatch, .seq = anchor.seq, .expected = std::move(expected), .found = std::move(found), .text = std::move(text)});
    return false;
  };
  if (anchor.size > anchor.seq) return refuse("a time stamp speaks of more records than there were", "at most " + std::to_string(anchor.seq), std::to_string(anchor.size));
  const bool is_whole = source.coverage() == EvidenceSource::Coverage::whole && source.has_key_checkpoints();
  const auto note = source.checkpoint(anchor.size);
  if (!note && is_whole) return refuse("the checkpoint that a time stamp is of is not there", "a checkpoint of size " + std::to_string(anchor.size), "");
  if (note) {
    Sha256 hash;
    const std::string imprint = hash.of(own_note(*note, origin)).text();
    if (imprint != anchor.imprint) return refuse("a time stamp is of another checkpoint than it says", imprint, anchor.imprint);
  }
  const auto digest = Digest::from_text(anchor.token);
  const auto bytes = digest ? source.blob(*digest) : std::nullopt;
  if (!bytes) {
    if (source.has_blobs()) {
      findings.add({.code = Code::blob_missing, .seq = anchor.seq, .expected = anchor.token, .text = "the token of a time stamp is not there"});
    }
    out.why_unknown = "the token is not there";
    return false;
  }
  const auto token = parse_time_token(*bytes);
  if (!token) return refuse(token.error().what, "", "");
  const auto imprint = Digest::from_text(anchor.imprint);
  if (token->imprint_oid != kSha256 || !imprint || token->imprint != imprint->view()) {
    return refuse("the token of a time stamp is of something else", anchor.imprint, "sha256:" + encode_hex(token->imprint));
  }
  if (token->at_ms != anchor.at_ms) return refuse("a time stamp's record states another time than its token", std::to_string(token->at_ms), std::to_string(anchor.at_ms));
  if (token->policy != anchor.policy) return refuse("a time stamp's record states another policy than its token", token->policy, printable(anchor.policy));
  const TokenAnswer answer = judge_token(*token, roots);
  if (answer.kind == TokenAnswer::Kind::wrong) return refuse("the token of a time stamp is wrong: " + answer.why, "", "");
  out.why_unknown = answer.why;
  return answer.kind == TokenAnswer::Kind::good;
}

AnchorSummary AnchorBook::finish(EvidenceSource& source, const std::string& origin, const std::vector<Certificate>& roots, Findings& findings) const {
  AnchorSummary out;
  std::string first_why;
  for (const Anchor& anchor : anchors_) {
    ++out.stamps;
    out.why_unknown.clear();
    if (judge(anchor, source, origin, roots, out, findings)) {
      ++out.good;
      out.points.push_back({static_cast<std::uint64_t>(anchor.size), anchor.at_ms, {}});
    } else if (!out.why_unknown.empty()) {
      if (++out.unknown == 1) first_why = out.why_unknown;
    }
  }
  out.why_unknown = first_why;
  std::stable_sort(out.points.begin(), out.points.end(), [](const TimeAnchor& a, const TimeAnchor& b) { return a.size < b.size; });
  return out;
}

}  // namespace ethos::verify
