// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/appender.h"
#include "ledger/base/bytes.h"
#include "ledger/base/result.h"
#include "ledger/record/ids.h"

namespace ethos::ledger::service {

// Messages between a producer and the group-commit service (docs/formats/service.md).
inline constexpr std::string_view kProtocol = "ethos-service/1";
inline constexpr std::size_t kMaxMessageBytes = std::size_t{80} * 1024 * 1024;
inline constexpr std::size_t kHeaderBytes = 4;
inline constexpr std::size_t kMaxRecords = 4096;  // in one request

enum class MessageType : std::uint8_t {
  hello = 1,
  commit = 2,
  finish = 3,
  begin = 4,
  read = 5,
  stand_aside = 6,
  build = 7,
  cancel = 8,
  welcome = 129,
  committed = 130,
  failed = 131,
  finished = 132,
  begun = 133,
  records = 134,
  aside = 135,
  exited = 136,
};

// 32 random bytes that only the producer of a run knows.
using Token = std::array<std::byte, 32>;

struct Hello {
  std::string protocol;
};

struct Welcome {
  std::string origin;
};

// Asks for a new run. The service gives out the ids, so that nobody can choose one that is taken.
struct BeginMessage {
  std::uint64_t id = 0;
  Token token{};
};

struct BegunMessage {
  std::uint64_t id = 0;
  std::string run;
};

// All records are of one run. `first` says where its chain stands before them, so that a request
// that is sent again after a broken connection is recognized.
struct CommitMessage {
  struct Item {
    std::string type;
    std::string body;
    base::Timestamp ts;
  };
  std::uint64_t id = 0;
  std::string run;
  Token token{};
  std::uint64_t first_seq = 0;  // run_seq of the first record
  record::Digest first_prev;    // its run_prev
  std::vector<Item> records;
  std::vector<record::Disclosure> disclosures;
  std::vector<Blob> blobs;
};

struct CommittedMessage {
  std::uint64_t id = 0;
  std::vector<PlacedRecord> records;
  std::string checkpoint_note;
  std::vector<std::string> warnings;
};

struct FailedMessage {
  std::uint64_t id = 0;  // 0: the connection itself
  base::Errc code = base::Errc::io;
  std::string text;
};

// The producer has read that its run's end is committed.
struct FinishMessage {
  std::uint64_t id = 0;
  std::string run;
  Token token{};
};

struct FinishedMessage {
  std::uint64_t id = 0;
};

// Asks for the exact bytes of records of its own run.
struct ReadMessage {
  std::uint64_t id = 0;
  std::string run;
  Token token{};
  std::vector<std::uint64_t> sequences;
};

struct RecordsMessage {
  std::uint64_t id = 0;
  std::vector<std::string> records;  // in the order asked for; fewer when they are too many bytes
};

// Asks the service to let go of the ledger for as long as the connection lives.
struct StandAsideMessage {
  std::uint64_t id = 0;
};

struct AsideMessage {
  std::uint64_t id = 0;
};

// Asks the service to run a command line of ethos-run for the caller. Standard input, output, error
// and the current directory come as descriptors beside its bytes.
struct BuildMessage {
  std::uint64_t id = 0;
  std::vector<std::string> args;         // without the program's name
  std::vector<std::string> environment;  // NAME=VALUE
};
inline constexpr std::size_t kBuildDescriptors = 4;
inline constexpr std::size_t kMaxBuildBytes = std::size_t{4} * 1024 * 1024;

// A signal for the runner that the service started.
struct CancelMessage {
  std::uint64_t id = 0;
  std::uint8_t signal = 0;
};

// It has ended, with this exit status.
struct ExitedMessage {
  std::uint64_t id = 0;
  std::uint8_t status = 0;
};

// What the service tells the runner that it starts. Never on a socket.
struct CallerOrder {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t pid = 0;
  std::vector<std::uint32_t> groups;
  std::string database;  // of the service's ledger: no grant may reach it
  std::string keys;
  std::string ceiling;  // of the service's choosing; empty: the host's usual one
  std::vector<std::string> args;
  std::vector<std::string> environment;
};

// Whole messages, length included.
std::string encode(const Hello& message);
std::string encode(const Welcome& message);
std::string encode(const CommitMessage& message);
std::string encode(const CommittedMessage& message);
std::string encode(const FailedMessage& message);
std::string encode(const FinishMessage& message);
std::string encode(const FinishedMessage& message);
std::string encode(const BeginMessage& message);
std::string encode(const BegunMessage& message);
std::string encode(const ReadMessage& message);
std::string encode(const RecordsMessage& message);
std::string encode(const StandAsideMessage& message);
std::string encode(const AsideMessage& message);
std::string encode(const BuildMessage& message);
std::string encode(const CancelMessage& message);
std::string encode(const ExitedMessage& message);
std::string encode(const CallerOrder& order);

// The length that the first four bytes announce. Errc::malformed for 0 or one over the limit.
base::Result<std::size_t> message_length(std::string_view header);
// Type of a message, length stripped; nothing for an unknown one.
std::optional<MessageType> message_type(std::string_view payload);

// The payload, length stripped; every byte is accounted for. Errc::malformed.
base::Result<Hello> decode_hello(std::string_view payload);
base::Result<Welcome> decode_welcome(std::string_view payload);
base::Result<CommitMessage> decode_commit(std::string_view payload);
base::Result<CommittedMessage> decode_committed(std::string_view payload);
base::Result<FailedMessage> decode_failed(std::string_view payload);
base::Result<FinishMessage> decode_finish(std::string_view payload);
base::Result<FinishedMessage> decode_finished(std::string_view payload);
base::Result<BeginMessage> decode_begin(std::string_view payload);
base::Result<BegunMessage> decode_begun(std::string_view payload);
base::Result<ReadMessage> decode_read(std::string_view payload);
base::Result<RecordsMessage> decode_records(std::string_view payload);
base::Result<StandAsideMessage> decode_stand_aside(std::string_view payload);
base::Result<AsideMessage> decode_aside(std::string_view payload);
base::Result<BuildMessage> decode_build(std::string_view payload);
base::Result<CancelMessage> decode_cancel(std::string_view payload);
base::Result<ExitedMessage> decode_exited(std::string_view payload);
base::Result<CallerOrder> decode_order(std::string_view payload);

}  // namespace ethos::ledger::service
