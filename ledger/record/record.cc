// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/record.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ledger/base/base32.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/envelope_view.h"
#include "ledger/record/record_types.h"

namespace ethos::record {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

constexpr std::uint64_t kMaxCount = static_cast<std::uint64_t>(kMaxInteger);

// R-14, R-20: the run keys fit the type.
Result<void> check_level(const RecordHeader& header) {
  const RecordType* type = find_type(header.type);
  if (type == nullptr) return fail(Errc::unsupported, "record type " + header.type);
  const bool in_run = header.run.has_value();
  if (in_run && type->level == RecordLevel::ledger) {
    return fail(Errc::malformed, header.type + ": must not carry a run");
  }
  if (!in_run && type->level == RecordLevel::run) {
    return fail(Errc::malformed, header.type + ": must carry a run");
  }
  const bool is_open = header.type == "run.open";
  const bool is_first = in_run && header.run->seq == 0;
  if (is_open != is_first) return fail(Errc::malformed, header.type + ": run.open is run_seq 0");
  if ((header.type == "ledger.genesis") != (header.seq == 0)) {
    return fail(Errc::malformed, header.type + ": ledger.genesis is record 0");
  }
  return {};
}

Result<std::int64_t> wanted_integer(const Json& object, const char* key) {
  const Json* found = object.find(key, Json::Kind::integer);
  if (found == nullptr || found->as_integer() < 0) {
    return fail(Errc::malformed, std::string(key) + ": not an integer from 0");
  }
  return found->as_integer();
}

Result<Digest> wanted_digest(const Json& object, const char* key) {
  const std::string* found = object.find_string(key);
  auto digest = Digest::from_base64(found == nullptr ? std::string_view() : *found);
  if (!digest) return fail(Errc::malformed, std::string(key) + ": not base64 of 32 bytes");
  return *digest;
}

Result<base::Timestamp> parse_ts(const Json& record) {
  const Json* ts = record.find("ts", Json::Kind::object);
  if (ts == nullptr || ts->members().size() != 3)
    return fail(Errc::malformed, "ts: not an object of three");
  const std::string* boot = ts->find_string("boot");
  const std::string* mono = ts->find_string("mono_ns");
  auto wall = wanted_integer(*ts, "wall_ms");
  if (boot == nullptr || mono == nullptr || !wall)
    return fail(Errc::malformed, "ts: wrong members");
  auto boot_bytes = base::decode_base32(*boot);
  base::Timestamp out;
  out.wall_ms = *wall;
  if (!boot_bytes || boot_bytes->size() != out.boot.size()) {
    return fail(Errc::malformed, "ts.boot: not 26 base32 characters");
  }
  std::copy(boot_bytes->begin(), boot_bytes->end(), out.boot.begin());
  const char* const end = mono->data() + mono->size();
  const auto [stopped, ec] = std::from_chars(mono->data(), end, out.mono_ns);
  if (ec != std::errc{} || stopped != end || std::to_string(out.mono_ns) != *mono) {
    return fail(Errc::malformed, "ts.mono_ns: not a plain decimal number");
  }
  return out;
}

Result<std::optional<RunLink>> parse_run_link(const Json& record) {
  if (record.find("run") == nullptr) return std::optional<RunLink>();
  const std::string* text = record.find_string("run");
  auto run = RunId::from_text(text == nullptr ? std::string_view() : *text);
  if (!run) return Unexpected(std::move(run).error());
  auto seq = wanted_integer(record, "run_seq");
  if (!seq) return Unexpected(std::move(seq).error());
  auto prev = wanted_digest(record, "run_prev");
  if (!prev) return Unexpected(std::move(prev).error());
  return std::optional<RunLink>(RunLink{*run, static_cast<std::uint64_t>(*seq), *prev});
}

void append_writer(std::string& out, const Writer& writer) {
  out.append(R"(,"writer":{)");
  if (writer.has_service_cage) out.append(R"("cage":true,)");
  if (writer.exe) out.append(R"("exe":")").append(writer.exe->text()).append(R"(",)");
  out.append(R"("gid":)").append(std::to_string(writer.gid));
  out.append(R"(,"pid":)").append(std::to_string(writer.pid));
  out.append(R"(,"uid":)").append(std::to_string(writer.uid)).append("}");
}

Result<std::optional<Writer>> parse_writer(const Json& record) {
  const Json* json = record.find("writer");
  if (json == nullptr) return std::optional<Writer>();
  Writer out;
  std::size_t keys = 3;
  if (const Json* cage = json->find("cage"); cage != nullptr) {
    if (!cage->is(Json::Kind::boolean) || !cage->as_bool())
      return fail(Errc::malformed, "writer.cage: not true");
    out.has_service_cage = true;
    ++keys;
  }
  if (json->find("exe") != nullptr) {
    const std::string* exe = json->find_string("exe");
    auto digest = Digest::from_text(exe == nullptr ? std::string_view() : *exe);
    if (!digest) return fail(Errc::malformed, "writer.exe: not a digest");
    out.exe = *digest;
    ++keys;
  }
  for (const auto& [key, field] :
       {std::pair("gid", &out.gid), std::pair("pid", &out.pid), std::pair("uid", &out.uid)}) {
    auto value = wanted_integer(*json, key);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max())
      return fail(Errc::malformed, std::string("writer.") + key + ": not a number of 32 bits");
    *field = static_cast<std::uint32_t>(*value);
  }
  if (!json->is(Json::Kind::object) || json->members().size() != keys)
    return fail(Errc::malformed, "writer: unknown or missing key");
  return std::optional<Writer>(out);
}

Result<RecordHeader> parse_header(const Json& record) {
  const std::string* ledger = record.find_string("ledger");
  const std::string* type = record.find_string("type");
  if (ledger == nullptr || type == nullptr)
    return fail(Errc::malformed, "ledger, type: not strings");
  auto origin = Origin::from_text(*ledger);
  if (!origin) return Unexpected(std::move(origin).error());
  auto seq = wanted_integer(record, "seq");
  if (!seq) return Unexpected(std::move(seq).error());
  auto prev = wanted_digest(record, "prev");
  if (!prev) return Unexpected(std::move(prev).error());
  auto run = parse_run_link(record);
  if (!run) return Unexpected(std::move(run).error());
  auto ts = parse_ts(record);
  if (!ts) return Unexpected(std::move(ts).error());
  auto writer = parse_writer(record);
  if (!writer) return Unexpected(std::move(writer).error());
  // With these keys found, an equal count means there is no other.
  const std::size_t keys = (run->has_value() ? 10U : 7U) + (writer->has_value() ? 1U : 0U);
  if (record.members().size() != keys)
    return fail(Errc::malformed, "envelope: unknown or missing key");
  return RecordHeader{*origin, static_cast<std::uint64_t>(*seq), *prev, *type, *run, *ts, *writer};
}

// The envelope from its second key on. Nothing in it can hold a character that needs an escape.
std::string behind_body(const RecordHeader& header) {
  std::string rest;
  rest.reserve(800);
  rest.append(R"(,"ledger":")").append(header.ledger.text());
  rest.append(R"(","prev":")").append(header.prev.base64());
  if (header.run) {
    rest.append(R"(","run":")").append(header.run->run.text());
    rest.append(R"(","run_prev":")").append(header.run->prev.base64());
    rest.append(R"(","run_seq":)").append(std::to_string(header.run->seq));
    rest.append(R"(,"seq":)");
  } else {
    rest.append(R"(","seq":)");
  }
  rest.append(std::to_string(header.seq));
  rest.append(R"(,"ts":{"boot":")").append(base::encode_base32(header.ts.boot));
  rest.append(R"(","mono_ns":")").append(std::to_string(header.ts.mono_ns));
  rest.append(R"(","wall_ms":)").append(std::to_string(header.ts.wall_ms));
  rest.append(R"(},"type":")").append(header.type).append(R"(","v":1)");
  if (header.writer) append_writer(rest, *header.writer);
  return rest += '}';
}

}  // namespace

Result<std::string> encode_record(const RecordHeader& header, std::string_view body) {
  if (auto ok = check_level(header); !ok) return Unexpected(std::move(ok).error());
  if (header.seq > kMaxCount || (header.run && header.run->seq > kMaxCount)) {
    return fail(Errc::too_large, "sequence");
  }
  // The body alone first: text that closes the object early must not smuggle envelope keys in. It
  // stands one level below the outermost.
  constexpr CanonicalLimits kBodyLimits{kRecordLimits.bytes, kRecordLimits.depth - 1,
                                        kRecordLimits.members};
  if (auto ok = check_canonical(body, kBodyLimits); !ok)
    return Unexpected(std::move(ok).error().with_context(header.type));
  const std::string rest = behind_body(header);
  constexpr std::string_view kBegin = R"({"body":)";
  // A body that was checked is one value: what is canonical around an empty one is so around it.
  auto ok = check_canonical(std::string(kBegin) + "{}" + rest);
  if (!ok) return Unexpected(std::move(ok).error().with_context(header.type));
  std::string out;
  out.reserve(kBegin.size() + body.size() + rest.size());
  out.append(kBegin).append(body).append(rest);
  if (out.size() > kRecordLimits.bytes)
    return fail(Errc::too_large, header.type + ": more than 16384 bytes");
  if (header.ts.wall_ms < 0) return fail(Errc::malformed, "ts.wall_ms: before 1970");
  return out;
}

Result<Record> parse_record(std::string_view bytes) {
  auto json = parse_canonical(bytes);
  if (!json) return Unexpected(std::move(json).error().with_context("record"));
  const Json* version = json->find("v", Json::Kind::integer);
  if (version == nullptr) return fail(Errc::malformed, "record: no version");
  if (version->as_integer() != 1) return fail(Errc::unsupported, "record version");
  const Json* body = json->find("body", Json::Kind::object);
  if (body == nullptr) return fail(Errc::malformed, "record: no body");
  auto header = parse_header(*json);
  if (!header) return Unexpected(std::move(header).error().with_context("record"));
  if (auto ok = check_level(*header); !ok) {
    return Unexpected(std::move(ok).error().with_context("record"));
  }
  return Record{std::move(*header), *body};
}

Result<RecordHeader> parse_record_header(std::string_view bytes) {
  auto view = scan_envelope(bytes);
  if (!view) return Unexpected(std::move(view).error().with_context("record"));
  // Every byte is known to be ethos-json/1 now, so what is left of it with another body is so too.
  std::string rest(bytes);
  rest.replace(static_cast<std::size_t>(view->body.data() - bytes.data()), view->body.size(), "{}");
  auto record = parse_record(rest);
  if (!record) return Unexpected(std::move(record).error());
  return std::move(record->header);
}

std::optional<std::int64_t> clock_step_ms(const base::Timestamp& before,
                                          const base::Timestamp& after) {
  constexpr std::int64_t kTolerance = 2000;
  std::int64_t step = after.wall_ms - before.wall_ms;
  if (before.boot != after.boot) {
    // Time between two boots is unknown, but it never runs backwards.
    return step < -kTolerance ? std::optional(step) : std::nullopt;
  }
  const auto before_ms = static_cast<std::int64_t>(before.mono_ns / 1'000'000);
  const auto after_ms = static_cast<std::int64_t>(after.mono_ns / 1'000'000);
  step -= after_ms - before_ms;
  return step > kTolerance || step < -kTolerance ? std::optional(step) : std::nullopt;
}

}  // namespace ethos::record
