// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "ledger/anchor/cosign.h"
#include "ledger/anchor/http_post.h"
#include "ledger/anchor/time_stamp.h"
#include "ledger/anchor/witness_policy.h"
#include "ledger/appender.h"
#include "ledger/base/file_io.h"
#include "ledger/base/random.h"
#include "ledger/commands/actions.h"
#include "ledger/printable.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/service/aside.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

constexpr std::size_t kMaxFileBytes = 1'048'576;
constexpr const char* kCurl = "/usr/bin/curl";

Result<record::Digest> imprint_of(const StoredCheckpoint& kept) {
  auto own = own_note(kept.note, kept.checkpoint.origin);
  if (!own) return Unexpected(std::move(own).error());
  return record::sha256(base::as_bytes(*own));
}

// The kept checkpoint that the imprint is of, from the newest on.
Result<StoredCheckpoint> find_stamped(const LedgerReader& reader, const record::Digest& imprint) {
  auto kept = reader.checkpoints();
  if (!kept) return Unexpected(std::move(kept).error());
  for (auto at = kept->rbegin(); at != kept->rend(); ++at) {
    auto digest = imprint_of(*at);
    if (!digest) return Unexpected(std::move(digest).error());
    if (*digest == imprint) return std::move(*at);
  }
  return fail(Errc::mismatch, "the request is for no checkpoint of this ledger");
}

Result<void> store_stamp(const AnchorCommand& command, const StoredCheckpoint& kept,
                         const TimeStamp& stamp, const Console& console) {
  const record::Digest token = record::sha256(base::as_bytes(stamp.token));
  auto body = record::encode_canonical(Json::object()
                                           .set("at_ms", stamp.at_ms)
                                           .set("imprint", stamp.imprint.text())
                                           .set("kind", "rfc3161")
                                           .set("policy", stamp.policy)
                                           .set("size", kept.checkpoint.size)
                                           .set("token", token.text()));
  if (!body) return Unexpected(std::move(body).error());
  auto clock = base::SystemClock::open();
  if (!clock) return Unexpected(std::move(clock).error());
  auto aside = service::Aside::ask(command.files);
  if (!aside) return Unexpected(std::move(aside).error());
  auto appender = Appender::open(command.files, *clock);
  if (!appender) return Unexpected(std::move(appender).error());
  Operation operation;
  operation.records.push_back({"ledger.anchor", nullptr, std::move(*body), std::nullopt});
  operation.blobs.push_back({token, stamp.token});
  auto done = appender->operate(operation);
  if (!done) return Unexpected(std::move(done).error());
  console.say("stamped the first " + std::to_string(kept.checkpoint.size) + " records at " +
              base::format_utc(stamp.at_ms) + ", policy " + stamp.policy + ", record " +
              std::to_string(done->records.front().seq));
  for (const std::string& warning : done->warnings) console.say("warning: " + warning);
  return {};
}

// Checkpoint, request and nonce of a new stamp.
struct Asked {
  StoredCheckpoint kept;
  record::Digest imprint;
  std::string request;
};

Result<Asked> make_request(const AnchorCommand& command) {
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = reader->check_not_behind(); !ok) return Unexpected(std::move(ok).error());
  Asked out{reader->tail(), {}, {}};
  auto imprint = imprint_of(out.kept);
  if (!imprint) return Unexpected(std::move(imprint).error());
  out.imprint = *imprint;
  auto request = stamp_request(out.imprint, base::random_bytes<StampNonce().size()>());
  if (!request) return Unexpected(std::move(request).error());
  out.request = std::move(*request);
  return out;
}

Result<StampTrust> read_trust(const AnchorCommand& command) {
  if (command.ca.empty())
    return fail(Errc::usage, "--ca: the authority's root certificates are required");
  StampTrust out;
  auto roots = base::read_file(command.ca, kMaxFileBytes);
  if (!roots) return Unexpected(std::move(roots).error().with_context("--ca"));
  out.roots = std::move(*roots);
  if (command.intermediates.empty()) return out;
  auto between = base::read_file(command.intermediates, kMaxFileBytes);
  if (!between) return Unexpected(std::move(between).error().with_context("--intermediates"));
  out.intermediates = std::move(*between);
  return out;
}

Result<void> by_url(const AnchorCommand& command, const Console& console) {
  auto trust = read_trust(command);
  if (!trust) return Unexpected(std::move(trust).error());
  if (!is_post_url(command.tsa)) return fail(Errc::usage, "--tsa: not a http or https URL");
  auto asked = make_request(command);
  if (!asked) return Unexpected(std::move(asked).error());
  auto answer = post_by_curl(
      kCurl, {command.tsa, asked->request, "application/timestamp-query", command.timeout_seconds});
  if (!answer) return Unexpected(std::move(answer).error().with_context(command.tsa));
  if (answer->status != 200)
    return fail(Errc::refused, command.tsa + ": answered " + std::to_string(answer->status));
  auto stamp = check_stamp_response(answer->body, asked->imprint, asked->request, *trust);
  if (!stamp) return Unexpected(std::move(stamp).error().with_context(command.tsa));
  return store_stamp(command, asked->kept, *stamp, console);
}

Result<void> by_files(const AnchorCommand& command, const Console& console) {
  auto trust = read_trust(command);
  if (!trust) return Unexpected(std::move(trust).error());
  if (command.request.empty()) return fail(Errc::usage, "--response: needs its --request");
  auto request = base::read_file(command.request, kMaxFileBytes);
  if (!request) return Unexpected(std::move(request).error().with_context("--request"));
  auto response = base::read_file(command.response, kMaxFileBytes);
  if (!response) return Unexpected(std::move(response).error().with_context("--response"));
  auto imprint = request_imprint(*request);
  if (!imprint) return Unexpected(std::move(imprint).error().with_context(command.request));
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  auto kept = find_stamped(*reader, *imprint);
  if (!kept) return Unexpected(std::move(kept).error());
  auto stamp = check_stamp_response(*response, *imprint, *request, *trust);
  if (!stamp) return Unexpected(std::move(stamp).error().with_context(command.response));
  return store_stamp(command, *kept, *stamp, console);
}

}  // namespace

Result<void> anchor(const AnchorCommand& command, const Console& console) {
  if (!command.prepare.empty()) {
    auto asked = make_request(command);
    if (!asked) return Unexpected(std::move(asked).error());
    if (auto ok = base::replace_file(command.prepare, base::as_bytes(asked->request), {}); !ok)
      return ok;
    console.say("wrote " + command.prepare + ": a request for the checkpoint of " +
                std::to_string(asked->kept.checkpoint.size) + " records");
    return {};
  }
  if (!command.tsa.empty()) return by_url(command, console);
  if (!command.response.empty()) return by_files(command, console);
  return fail(Errc::usage, "anchor: give --tsa, --prepare, or --request and --response");
}

Result<void> cosign(const CosignCommand& command, const Console& console) {
  auto text = base::read_file(command.policy, kMaxFileBytes);
  if (!text) return Unexpected(std::move(text).error().with_context("--policy"));
  auto policy = WitnessPolicy::parse(*text);
  if (!policy) return fail(Errc::usage, command.policy + ": " + policy.error().message());
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  const Poster poster = [](const HttpPost& post) { return post_by_curl(kCurl, post); };
  // Asked for as late as can be: witnesses may be slow.
  std::optional<service::Aside> aside;
  auto done = cosign(*reader, *policy, poster, command.timeout_seconds, [&]() -> Result<void> {
    auto asked = service::Aside::ask(command.files);
    if (!asked) return Unexpected(std::move(asked).error());
    aside = std::move(*asked);
    return {};
  });
  aside.reset();
  if (!done) return Unexpected(std::move(done).error());
  for (const std::string& one : done->problems) console.say(printable(one));
  std::string names;
  for (const std::string& name : done->cosigned) names += (names.empty() ? "" : ", ") + name;
  const std::string said = "the checkpoint of " + std::to_string(done->size) +
                           " records is cosigned by " +
                           (names.empty() ? std::string("nobody") : printable(names));
  if (!done->is_met) return fail(Errc::refused, "the quorum is not met: " + said);
  console.say(said);
  return {};
}

}  // namespace ethos::ledger
