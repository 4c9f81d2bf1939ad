// SPDX-License-Identifier: Apache-2.0
#include "verify/schema.h"

#include <array>

#include "verify/checkpoint.h"
#include "verify/vkey.h"

namespace ethos::verify {
namespace {

bool origin_form(const Value& v) { return v.is_string() && is_origin(v.text()); }
bool vkey_form(const Value& v) { return v.is_string() && parse_vkey(v.text()).ok(); }
bool nonzero(const Value& v) { return v.is_integer() && v.number() != 0; }

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

bool ascending_hashes(const Value& v) {
  if (!v.is_array() || v.size() < 1 || v.size() > 300) return false;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!hash(v.items()[i])) return false;
    if (i > 0 && !(v.items()[i - 1].text() < v.items()[i].text())) return false;
  }
  return true;
}

constexpr std::array kErase{Field{"authority", text<1, 200>}, Field{"reason", text<1, 200>},
                            Field{"targets", ascending_hashes}};

BodyFault from(const FieldFault& fault) {
  if (fault.bad_key) return {BodyFault::Kind::key, fault.key};
  if (fault.bad_value) return {BodyFault::Kind::type, fault.key};
  return {};
}

BodyFault check_genesis(const Value& body, std::string_view origin) {
  // Another format is another version, whatever else it holds.
  if (body.at("format").is_integer() && body.at("format").number() != 1) {
    return {BodyFault::Kind::version, "format"};
  }
  const BodyFault fault = from(check_fields(body, kGenesis));
  if (fault.any()) return fault;
  const std::string whole(origin);
  if (body.text_at("name") + "/ethos/" != whole.substr(0, whole.size() - 26)) {
    return {BodyFault::Kind::type, "name"};
  }
  if (parse_vkey(body.text_at("vkey"))->name != whole) return {BodyFault::Kind::type, "vkey"};
  if (parse_vkey(body.text_at("root_vkey"))->name != whole + "/root") {
    return {BodyFault::Kind::type, "root_vkey"};
  }
  return {};
}

}  // namespace

BodyFault check_body(RecordType type, const Value& body, std::string_view origin) {
  FieldFault run_fault;
  if (check_run_body(type, body, run_fault)) return from(run_fault);
  switch (type) {
    case RecordType::ledger_genesis:
      if (!is_origin(origin)) return {};  // the envelope check names this
      return check_genesis(body, origin);
    case RecordType::ledger_resume: return from(check_fields(body, kResume));
    case RecordType::key_revoke: return from(check_fields(body, kRevoke));
    case RecordType::data_erase: return from(check_fields(body, kErase));
    case RecordType::key_epoch: {
      const BodyFault fault = from(check_fields(body, kEpoch));
      if (fault.any()) return fault;
      if (parse_vkey(body.text_at("vkey"))->name != origin) return {BodyFault::Kind::type, "vkey"};
      return {};
    }
    default: return {};
  }
}

}  // namespace ethos::verify
