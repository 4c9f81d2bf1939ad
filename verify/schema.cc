// SPDX-License-Identifier: Apache-2.0
#include "verify/schema.h"

#include <array>

#include "verify/checkpoint.h"
#include "verify/encoding.h"
#include "verify/vkey.h"

namespace ethos::verify {
namespace {

bool origin_form(const View& v) { return v.is_string() && is_origin(v.raw()); }
bool vkey_form(const View& v) { return v.with_text([](std::string_view t) { return parse_vkey(t).ok(); }); }
bool nonzero(const View& v) { return v.is_integer() && v.number() != 0; }

constexpr std::array kPrevious{Field{"origin", origin_form}, Field{"root", hash},
                               Field{"size", integer_from<1>}};

constexpr std::array kGenesis{Field{"format", integer},          Field{"name", text<1, 128>},
                              Field{"previous", object<kPrevious>, false}, Field{"product", text<1, 64>},
                              Field{"root_vkey", vkey_form},     Field{"vkey", vkey_form}};

constexpr std::array kResume{Field{"reason", one_of<"clock_step">}, Field{"step_ms", nonzero}};

constexpr std::array kEpoch{Field{"epoch", integer_from<1>},
                            Field{"reason", one_of<"age", "count", "command", "serve", "revoked">},
                            Field{"vkey", vkey_form}};

constexpr std::array kRevoke{Field{"note", text<1, 16384>}};

bool ascending_hashes(const View& v) {
  std::size_t n = 0;
  std::string_view last;
  return v.each_element([&](const View& item) {
    const bool good = hash(item) && (n == 0 || last < item.raw());
    last = item.raw();
    return good && ++n <= 300;
  }) && n >= 1;
}

constexpr std::array kErase{Field{"authority", text<1, 200>}, Field{"reason", text<1, 200>},
                            Field{"targets", ascending_hashes}};

bool hold_name(const View& v) {
  return v.with_text([](std::string_view t) {
    constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyz0123456789";
    return !t.empty() && t.size() <= 64 && first.find(t[0]) != std::string_view::npos &&
           t.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string_view::npos;
  });
}

bool held_runs(const View& v) {
  std::size_t n = 0;
  std::string_view last;
  return v.each_element([&](const View& item) {
    const bool good = item.is_string() && is_id128(item.raw()) && (n == 0 || last < item.raw());
    last = item.raw();
    return good && ++n <= 300;
  }) && n >= 1;
}

constexpr std::array kHold{Field{"authority", text<1, 200>}, Field{"name", hold_name},
                           Field{"reason", text<1, 200>}, Field{"runs", held_runs, false}};
constexpr std::array kRelease{Field{"authority", text<1, 200>}, Field{"name", hold_name},
                              Field{"reason", text<1, 200>}};
constexpr std::array kSeal{Field{"authority", text<1, 200>}, Field{"closed", count},
                           Field{"open", count}, Field{"reason", text<1, 200>}};
constexpr std::array kAnchor{Field{"at_ms", count}, Field{"imprint", digest}, Field{"kind", one_of<"rfc3161">},
                             Field{"policy", text<1, 100>}, Field{"size", integer_from<1>},
                             Field{"token", digest}};

constexpr std::array kPrune{Field{"authority", text<1, 200>}, Field{"below", integer_from<1>}, Field{"from_ms", integer},
                            Field{"list", digest}, Field{"reason", text<1, 200>}, Field{"records", integer_from<1>},
                            Field{"runs", integer_from<1>}, Field{"total", integer_from<1>}, Field{"until_ms", integer}};

BodyFault from(const FieldFault& fault) {
  if (fault.bad_key) return {BodyFault::Kind::key, fault.key};
  if (fault.bad_value) return {BodyFault::Kind::type, fault.key};
  return {};
}

BodyFault check_genesis(const View& body, std::string_view origin) {
  // Another format is another version, whatever else it holds.
  if (body.at("format").is_integer() && body.at("format").number() != 1) {
    return {BodyFault::Kind::version, "format"};
  }
  const BodyFault fault = from(check_table<kGenesis>(body));
  if (fault.any()) return fault;
  const std::string whole(origin);
  if (body.at("name").text() + "/ethos/" != whole.substr(0, whole.size() - 26)) {
    return {BodyFault::Kind::type, "name"};
  }
  if (parse_vkey(body.at("vkey").text())->name != whole) return {BodyFault::Kind::type, "vkey"};
  if (parse_vkey(body.at("root_vkey").text())->name != whole + "/root") {
    return {BodyFault::Kind::type, "root_vkey"};
  }
  return {};
}

}  // namespace

BodyFault check_body(RecordType type, const View& body, std::string_view origin) {
  FieldFault run_fault;
  if (check_run_body(type, body, run_fault)) return from(run_fault);
  switch (type) {
    case RecordType::ledger_genesis:
      if (!is_origin(origin)) return {};  // the envelope check names this
      return check_genesis(body, origin);
    case RecordType::ledger_resume: return from(check_table<kResume>(body));
    case RecordType::key_revoke: return from(check_table<kRevoke>(body));
    case RecordType::data_erase: return from(check_table<kErase>(body));
    case RecordType::ledger_hold: return from(check_table<kHold>(body));
    case RecordType::ledger_release: return from(check_table<kRelease>(body));
    case RecordType::ledger_seal: return from(check_table<kSeal>(body));
    case RecordType::ledger_anchor: return from(check_table<kAnchor>(body));
    case RecordType::ledger_prune: return from(check_table<kPrune>(body));
    case RecordType::key_epoch: {
      const BodyFault fault = from(check_table<kEpoch>(body));
      if (fault.any()) return fault;
      if (parse_vkey(body.at("vkey").text())->name != origin) return {BodyFault::Kind::type, "vkey"};
      return {};
    }
    default: return {};
  }
}

}  // namespace ethos::verify
