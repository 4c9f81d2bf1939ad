// SPDX-License-Identifier: Apache-2.0
// The messages about cages that the service builds.
#include "ledger/service/wire_fields.h"

namespace ethos::ledger::service {
namespace {

using base::Result;

// What execve takes on most systems; a request is held in memory as a whole.
constexpr std::size_t kMaxWords = 65'536;
constexpr std::size_t kMaxGroups = 65'536;  // the kernel's own limit

void put(Out& out, const std::vector<std::string>& words) {
  out.u32(words.size());
  for (const std::string& word : words) out.text(word);
}

// Words become arguments and variables of a program: none can hold a NUL.
bool get(In& in, std::vector<std::string>& words) {
  bool is_good = true;
  for (std::size_t n = in.count(kMaxWords, 4); n > 0 && in.is_good(); --n) {
    words.push_back(in.text());
    is_good = is_good && words.back().find('\0') == std::string::npos;
  }
  return is_good;
}

base::Unexpected malformed() {
  return base::fail(base::Errc::malformed, "message: not of its form");
}

}  // namespace

std::string encode(const BuildMessage& message) {
  Out out(MessageType::build);
  out.u64(message.id);
  put(out, message.args);
  put(out, message.environment);
  return out.done();
}

std::string encode(const CancelMessage& message) {
  return Out(MessageType::cancel).u64(message.id).u8(message.signal).done();
}

std::string encode(const ExitedMessage& message) {
  return Out(MessageType::exited).u64(message.id).u8(message.status).done();
}

std::string encode(const CallerOrder& order) {
  Out out(MessageType::build);
  out.u32(order.uid).u32(order.gid).u32(order.pid).u32(order.groups.size());
  for (const std::uint32_t group : order.groups) out.u32(group);
  out.text(order.database).text(order.keys).text(order.ceiling);
  put(out, order.args);
  put(out, order.environment);
  return out.done();
}

Result<BuildMessage> decode_build(std::string_view payload) {
  if (payload.size() > kMaxBuildBytes)
    return base::fail(base::Errc::too_large, "a command line and environment of that size");
  In in(payload, MessageType::build);
  BuildMessage out;
  out.id = in.u64();
  if (!get(in, out.args) || !get(in, out.environment)) return malformed();
  return ended(in, std::move(out));
}

Result<CancelMessage> decode_cancel(std::string_view payload) {
  In in(payload, MessageType::cancel);
  CancelMessage out;
  out.id = in.u64();
  out.signal = in.u8();
  return ended(in, out);
}

Result<ExitedMessage> decode_exited(std::string_view payload) {
  In in(payload, MessageType::exited);
  ExitedMessage out;
  out.id = in.u64();
  out.status = in.u8();
  return ended(in, out);
}

Result<CallerOrder> decode_order(std::string_view payload) {
  In in(payload, MessageType::build);
  CallerOrder out;
  out.uid = in.u32();
  out.gid = in.u32();
  out.pid = in.u32();
  for (std::size_t n = in.count(kMaxGroups, 4); n > 0 && in.is_good(); --n)
    out.groups.push_back(in.u32());
  out.database = in.text();
  out.keys = in.text();
  out.ceiling = in.text();
  if (!get(in, out.args) || !get(in, out.environment)) return malformed();
  return ended(in, std::move(out));
}

}  // namespace ethos::ledger::service
