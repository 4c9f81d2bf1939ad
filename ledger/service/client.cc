// SPDX-License-Identifier: Apache-2.0
#include "ledger/service/client.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "ledger/base/random.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/signed_note.h"
#include "ledger/service/listen.h"

namespace ethos::ledger::service {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using namespace std::chrono_literals;

// Those that mean "nobody is there", not "no": the socket is gone for a moment, or it broke.
bool is_absence(const base::Error& error) {
  return error.code == Errc::not_found || error.code == Errc::busy ||
         (error.code == Errc::io && (error.sys == EPIPE || error.sys == ECONNRESET ||
                                     error.sys == ENOTCONN || error.sys == EAGAIN));
}

}  // namespace

Result<Client> Client::connect(std::string socket_path, std::chrono::milliseconds patience) {
  Client out(std::move(socket_path), patience);
  if (auto ok = out.connect_once(); !ok) return Unexpected(std::move(ok).error());
  return out;
}

Result<Client> Client::adopt(base::UniqueFd socket) {
  Client out("the service", std::chrono::milliseconds(0));
  out.is_adopted_ = true;
  out.socket_ = std::move(socket);
  if (auto ok = out.greet(); !ok) return Unexpected(std::move(ok).error());
  return out;
}

Result<void> Client::connect_once() {
  if (is_adopted_) return base::fail_errno(path_, ECONNRESET);
  auto fd = connect_to(path_);
  if (!fd) return Unexpected(std::move(fd).error());
  socket_ = std::move(*fd);
  return greet();
}

Result<void> Client::greet() {
  if (auto ok = send(encode(Hello{std::string(kProtocol)})); !ok) return ok;
  auto answer = receive();
  if (!answer) return Unexpected(std::move(answer).error());
  if (message_type(*answer) == MessageType::failed) {
    auto failed = decode_failed(*answer);
    if (!failed) return Unexpected(std::move(failed).error());
    // Also "too many producers", which is worth waiting for.
    return fail(failed->code, path_ + ": " + failed->text);
  }
  auto welcome = decode_welcome(*answer);
  if (!welcome) return Unexpected(std::move(welcome).error());
  if (!origin_.empty() && origin_ != welcome->origin)
    return fail(Errc::mismatch, path_ + ": writes another ledger now");
  origin_ = welcome->origin;
  return {};
}

Result<void> Client::send(const std::string& message) {
  std::size_t sent = 0;
  while (sent < message.size()) {
    const ssize_t n =
        ::send(socket_.get(), message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::fail_errno(path_, errno);
    sent += static_cast<std::size_t>(n);
  }
  return {};
}

Result<std::string> Client::receive() {
  const auto take = [&](std::size_t size) -> Result<std::string> {
    std::string out(size, '\0');
    std::size_t at = 0;
    while (at < size) {
      const ssize_t n = ::recv(socket_.get(), out.data() + at, size - at, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return base::fail_errno(path_, errno);
      if (n == 0) return base::fail_errno(path_, ECONNRESET);
      at += static_cast<std::size_t>(n);
    }
    return out;
  };
  auto header = take(kHeaderBytes);
  if (!header) return header;
  auto length = message_length(*header);
  if (!length) return Unexpected(std::move(length).error());
  return take(*length);
}

Result<std::string> Client::ask_once(const std::string& message, MessageType wanted) {
  if (!socket_.is_open()) {
    if (auto ok = connect_once(); !ok) return Unexpected(std::move(ok).error());
  }
  if (auto ok = send(message); !ok) return Unexpected(std::move(ok).error());
  auto answer = receive();
  if (!answer) return answer;
  if (message_type(*answer) == wanted) return answer;
  auto failed = decode_failed(*answer);
  if (!failed) return Unexpected(std::move(failed).error());
  // An error of the service's own must not look like one of the connection.
  const Errc code =
      failed->code == Errc::not_found || failed->code == Errc::busy ? Errc::refused : failed->code;
  return fail(code, "service: " + failed->text);
}

Result<std::string> Client::ask(const std::string& message, MessageType wanted) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (auto pause = 20ms;; pause = std::min(pause * 2, 500ms)) {
    auto answer = ask_once(message, wanted);
    if (answer || !is_absence(answer.error())) return answer;
    socket_.reset();
    if (std::chrono::steady_clock::now() + pause > deadline) {
      return Unexpected(
          base::Error{Errc::io, path_ + ": the service went away and did not come back", 0});
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<record::RunId> Client::begin_run() {
  token_ = base::random_bytes<32>();
  auto answer = ask(encode(BeginMessage{next_id_++, token_}), MessageType::begun);
  if (!answer) return Unexpected(std::move(answer).error());
  auto begun = decode_begun(*answer);
  if (!begun) return Unexpected(std::move(begun).error());
  auto run = record::RunId::from_text(begun->run);
  if (run) run_ = *run;
  return run;
}

Result<Committed> Client::commit(const CommitRequest& request) {
  if (request.records.empty() || !run_) return fail(Errc::malformed, "commit without records");
  RunChain* const chain = request.records.front().run;
  CommitMessage message;
  message.id = next_id_++;
  message.run = run_->text();
  message.token = token_;
  for (const PendingRecord& pending : request.records) {
    if (pending.run == nullptr || pending.run != chain || pending.run->id != *run_ || !pending.ts)
      return fail(Errc::unsupported, pending.type + ": not a record of the run that was begun");
    message.records.push_back({pending.type, pending.body, *pending.ts});
  }
  message.first_seq = chain->next_seq;
  message.first_prev = chain->prev;
  message.disclosures = request.disclosures;
  message.blobs = request.blobs;
  const std::string bytes = encode(message);
  if (bytes.size() > kMaxMessageBytes || message.records.size() > kMaxRecords)
    return fail(Errc::too_large, "one commit holds more than the service takes");
  auto answer = ask(bytes, MessageType::committed);
  if (!answer) return Unexpected(std::move(answer).error());
  auto committed = decode_committed(*answer);
  if (!committed) return Unexpected(std::move(committed).error());
  auto note = record::parse_note(committed->checkpoint_note);
  auto checkpoint = note ? record::parse_checkpoint(note->text)
                         : Result<record::Checkpoint>(Unexpected(std::move(note).error()));
  if (!checkpoint) return Unexpected(std::move(checkpoint).error());
  if (committed->records.size() != request.records.size())
    return fail(Errc::mismatch, "the service answered for other records");
  chain->next_seq += committed->records.size();
  chain->prev = committed->records.back().leaf_hash;
  return Committed{std::move(committed->records), std::move(*checkpoint),
                   std::move(committed->checkpoint_note), std::move(committed->warnings)};
}

Result<void> Client::read_records(const std::vector<std::uint64_t>& sequences,
                                  const std::function<bool(std::string_view bytes)>& take) {
  if (!run_) return fail(Errc::not_found, "no run was begun");
  for (std::size_t at = 0; at < sequences.size();) {
    ReadMessage message{next_id_++, run_->text(), token_, {}};
    const std::size_t end = std::min(sequences.size(), at + kMaxRecords);
    message.sequences.assign(sequences.begin() + static_cast<std::ptrdiff_t>(at),
                             sequences.begin() + static_cast<std::ptrdiff_t>(end));
    auto answer = ask(encode(message), MessageType::records);
    if (!answer) return Unexpected(std::move(answer).error());
    auto found = decode_records(*answer);
    if (!found) return Unexpected(std::move(found).error());
    if (found->records.empty()) return fail(Errc::mismatch, "the service gave no records");
    for (const std::string& bytes : found->records)
      if (!take(bytes)) return {};
    at += found->records.size();
  }
  return {};
}

Result<void> Client::finish_run() {
  if (!run_) return {};
  auto answer = ask(encode(FinishMessage{next_id_++, run_->text(), token_}), MessageType::finished);
  if (!answer) return Unexpected(std::move(answer).error());
  run_.reset();
  return {};
}

}  // namespace ethos::ledger::service
