// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/wire.h"

#include <limits>

#include "ledger/service/wire_fields.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;

constexpr std::size_t kMaxWarnings = 100;

}  // namespace

std::string encode(const Hello& message) {
  return Out(MessageType::hello).text(message.protocol).done();
}

std::string encode(const Welcome& message) {
  return Out(MessageType::welcome).text(message.origin).done();
}

std::string encode(const CommitMessage& message) {
  Out out(MessageType::commit);
  out.u64(message.id).text(message.run).raw(message.token);
  out.u64(message.first_seq).raw(message.first_prev.bytes());
  out.u32(message.records.size());
  for (const CommitMessage::Item& item : message.records) {
    out.text(item.type).text(item.body).raw(item.ts.boot).u64(item.ts.mono_ns);
    out.u64(static_cast<std::uint64_t>(item.ts.wall_ms));
  }
  out.u32(message.disclosures.size());
  for (const record::Disclosure& d : message.disclosures)
    out.text(d.commitment.kind).raw(d.commitment.c.bytes()).raw(d.salt).text(d.bytes);
  out.u32(message.blobs.size());
  for (const Blob& blob : message.blobs) out.raw(blob.sha256.bytes()).text(blob.bytes);
  return out.done();
}

std::string encode(const CommittedMessage& message) {
  Out out(MessageType::committed);
  out.u64(message.id).u32(message.records.size());
  for (const PlacedRecord& placed : message.records)
    out.u64(placed.seq).raw(placed.leaf_hash.bytes());
  out.text(message.checkpoint_note).u32(message.warnings.size());
  for (const std::string& warning : message.warnings) out.text(warning);
  return out.done();
}

std::string encode(const FailedMessage& message) {
  return Out(MessageType::failed)
      .u64(message.id)
      .u8(static_cast<std::uint8_t>(message.code))
      .text(message.text)
      .done();
}

std::string encode(const FinishMessage& message) {
  return Out(MessageType::finish).u64(message.id).text(message.run).raw(message.token).done();
}

std::string encode(const FinishedMessage& message) {
  return Out(MessageType::finished).u64(message.id).done();
}

std::string encode(const StandAsideMessage& message) {
  return Out(MessageType::stand_aside).u64(message.id).done();
}

std::string encode(const AsideMessage& message) {
  return Out(MessageType::aside).u64(message.id).done();
}

std::string encode(const BeginMessage& message) {
  return Out(MessageType::begin).u64(message.id).raw(message.token).done();
}

std::string encode(const BegunMessage& message) {
  return Out(MessageType::begun).u64(message.id).text(message.run).done();
}

std::string encode(const ReadMessage& message) {
  Out out(MessageType::read);
  out.u64(message.id).text(message.run).raw(message.token).u32(message.sequences.size());
  for (const std::uint64_t seq : message.sequences) out.u64(seq);
  return out.done();
}

std::string encode(const RecordsMessage& message) {
  Out out(MessageType::records);
  out.u64(message.id).u32(message.records.size());
  for (const std::string& bytes : message.records) out.text(bytes);
  return out.done();
}

Result<std::size_t> message_length(std::string_view header) {
  std::size_t length = 0;
  for (const char c : header.substr(0, kHeaderBytes))
    length = length << 8U | static_cast<unsigned char>(c);
  if (length == 0 || length > kMaxMessageBytes)
    return fail(Errc::malformed, "message: a length of " + std::to_string(length));
  return length;
}

std::optional<MessageType> message_type(std::string_view payload) {
  using enum MessageType;
  for (const MessageType type :
       {hello, commit, finish, begin, read, stand_aside, build, cancel, welcome, committed, failed,
        finished, begun, records, aside, exited}) {
    if (!payload.empty() && static_cast<unsigned char>(payload[0]) == static_cast<unsigned>(type))
      return type;
  }
  return std::nullopt;
}

Result<Hello> decode_hello(std::string_view payload) {
  In in(payload, MessageType::hello);
  Hello out{in.text()};
  return ended(in, std::move(out));
}

Result<Welcome> decode_welcome(std::string_view payload) {
  In in(payload, MessageType::welcome);
  Welcome out{in.text()};
  return ended(in, std::move(out));
}

Result<CommitMessage> decode_commit(std::string_view payload) {
  In in(payload, MessageType::commit);
  CommitMessage out;
  out.id = in.u64();
  out.run = in.text();
  out.token = in.raw<32>();
  out.first_seq = in.u64();
  out.first_prev = in.digest();
  // Least sizes: two lengths and a time; two lengths and two hashes; one of each.
  for (std::size_t n = in.count(kMaxRecords, 40); n > 0 && in.is_good(); --n) {
    CommitMessage::Item item;
    item.type = in.text();
    item.body = in.text();
    item.ts.boot = in.raw<16>();
    item.ts.mono_ns = in.u64();
    const std::uint64_t wall = in.u64();
    if (wall > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return fail(Errc::malformed, "message: a time before 1970");
    item.ts.wall_ms = static_cast<std::int64_t>(wall);
    out.records.push_back(std::move(item));
  }
  for (std::size_t n = in.count(100'000, 72); n > 0 && in.is_good(); --n) {
    record::Disclosure d;
    d.commitment.kind = in.text();
    d.commitment.c = in.digest();
    d.salt = in.raw<32>();
    d.bytes = in.text();
    d.commitment.size = d.bytes.size();
    out.disclosures.push_back(std::move(d));
  }
  for (std::size_t n = in.count(100'000, 36); n > 0 && in.is_good(); --n) {
    const record::Digest sha256 = in.digest();
    out.blobs.push_back({sha256, in.text()});
  }
  return ended(in, std::move(out));
}

Result<CommittedMessage> decode_committed(std::string_view payload) {
  In in(payload, MessageType::committed);
  CommittedMessage out;
  out.id = in.u64();
  for (std::size_t n = in.count(kMaxRecords, 40); n > 0 && in.is_good(); --n) {
    const std::uint64_t seq = in.u64();
    out.records.push_back({seq, in.digest()});
  }
  out.checkpoint_note = in.text();
  for (std::size_t n = in.count(kMaxWarnings, 4); n > 0 && in.is_good(); --n)
    out.warnings.push_back(in.text());
  return ended(in, std::move(out));
}

Result<FailedMessage> decode_failed(std::string_view payload) {
  In in(payload, MessageType::failed);
  FailedMessage out;
  out.id = in.u64();
  const std::uint8_t code = in.u8();
  out.text = in.text();
  if (code > static_cast<std::uint8_t>(Errc::usage))
    return fail(Errc::malformed, "message: an unknown error");
  out.code = static_cast<Errc>(code);
  return ended(in, std::move(out));
}

Result<FinishMessage> decode_finish(std::string_view payload) {
  In in(payload, MessageType::finish);
  FinishMessage out;
  out.id = in.u64();
  out.run = in.text();
  out.token = in.raw<32>();
  return ended(in, std::move(out));
}

Result<FinishedMessage> decode_finished(std::string_view payload) {
  In in(payload, MessageType::finished);
  FinishedMessage out{in.u64()};
  return ended(in, out);
}

Result<StandAsideMessage> decode_stand_aside(std::string_view payload) {
  In in(payload, MessageType::stand_aside);
  StandAsideMessage out{in.u64()};
  return ended(in, out);
}

Result<AsideMessage> decode_aside(std::string_view payload) {
  In in(payload, MessageType::aside);
  AsideMessage out{in.u64()};
  return ended(in, out);
}

Result<BeginMessage> decode_begin(std::string_view payload) {
  In in(payload, MessageType::begin);
  BeginMessage out;
  out.id = in.u64();
  out.token = in.raw<32>();
  return ended(in, out);
}

Result<BegunMessage> decode_begun(std::string_view payload) {
  In in(payload, MessageType::begun);
  BegunMessage out;
  out.id = in.u64();
  out.run = in.text();
  return ended(in, std::move(out));
}

Result<ReadMessage> decode_read(std::string_view payload) {
  In in(payload, MessageType::read);
  ReadMessage out;
  out.id = in.u64();
  out.run = in.text();
  out.token = in.raw<32>();
  for (std::size_t n = in.count(kMaxRecords, 8); n > 0 && in.is_good(); --n)
    out.sequences.push_back(in.u64());
  return ended(in, std::move(out));
}

Result<RecordsMessage> decode_records(std::string_view payload) {
  In in(payload, MessageType::records);
  RecordsMessage out;
  out.id = in.u64();
  for (std::size_t n = in.count(kMaxRecords, 4); n > 0 && in.is_good(); --n)
    out.records.push_back(in.text());
  return ended(in, std::move(out));
}

}  // namespace ethos::ledger::service
