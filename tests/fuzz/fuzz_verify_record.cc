// SPDX-License-Identifier: Apache-2.0
// The verifier's scanner and the writer's are two programs by two rules of the same page: they accept
// the same bytes. What ours accepts, it writes back byte for byte, and views and trees read alike.
#include "ledger/record/canonical_json.h"
#include "ledger/record/record.h"
#include "tests/fuzz/property.h"
#include "verify/checkpoint.h"
#include "verify/json.h"
#include "verify/quick_record.h"
#include "verify/record.h"
#include "verify/schema.h"
#include "verify/view.h"

namespace {

namespace ours = ethos::verify;
namespace theirs = ethos::record;
using ethos::fuzz::require;

bool same(const ours::View& view, const ours::Value& value) {
  if (view.is_object()) {
    std::size_t at = 0;
    const bool walked = view.each_member([&](std::string_view key, const ours::View& member) {
      if (at == value.size() || value.keys()[at] != key) return false;
      return same(member, value.items()[at++]);
    });
    return value.is_object() && walked && at == value.size() && view.count() == at;
  }
  if (view.is_array()) {
    std::size_t at = 0;
    const bool walked = view.each_element([&](const ours::View& item) {
      return at < value.size() && same(item, value.items()[at++]);
    });
    return value.is_array() && walked && at == value.size();
  }
  if (view.is_string()) return value.is_string() && view.text() == value.text();
  if (view.is_integer()) return value.is_integer() && view.number() == value.number();
  return view.is_boolean() && value.is_boolean() && (view.source() == "true") == value.flag();
}

bool same(const ours::Envelope& a, const ours::Envelope& b) {
  return a.body == b.body && a.ledger == b.ledger && a.prev == b.prev && a.run == b.run && a.run_prev == b.run_prev &&
         a.boot == b.boot && a.type_name == b.type_name && a.seq == b.seq && a.run_seq == b.run_seq &&
         a.wall_ms == b.wall_ms && a.mono_ns == b.mono_ns && a.type == b.type && a.writer == b.writer;
}

// The envelope's rules that the verifier checks outside its scanner.
bool envelope_holds(const ours::Envelope& e) {
  using enum ours::RecordType;
  if (e.type == unknown || e.type == reserved || !ours::is_origin(e.ledger)) return false;
  const bool ledger_level = e.type == ledger_genesis || e.type == ledger_resume || e.type == key_epoch || e.type == key_revoke;
  if (e.type != data_erase && e.has_run() == ledger_level) return false;
  if ((e.type == ledger_genesis) != (e.seq == 0)) return false;
  return !e.has_run() || (e.type == run_open) == (e.run_seq == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = ethos::fuzz::text_of(data, size);
  const bool accepted = bytes.starts_with('{') && ours::Scanner(bytes, ours::kRecordLimits).whole_value();
  require(accepted == theirs::check_canonical(bytes).has_value());
  const auto tree = ours::parse_canonical(bytes, ours::kRecordLimits);
  if (!accepted) {
    require(!tree.ok() || !bytes.starts_with('{'));
    require(ours::scan_record(bytes).fault != ours::RecordFault::none);
    ours::Envelope quick;
    ours::BodyFacts facts;
    require(!ours::quick_record(bytes, {}, quick, facts));
    return 0;
  }
  require(tree.ok() && ours::encode_canonical(*tree) == bytes);
  require(same(ours::View(bytes), *tree));
  const ours::RecordScan scan = ours::scan_record(bytes);
  const bool good = scan.fault == ours::RecordFault::none && envelope_holds(scan.envelope);
  // The short cut may be unsure, never wrong.
  ours::Envelope quick;
  ours::BodyFacts facts;
  if (ours::quick_record(bytes, {}, quick, facts)) {
    require(scan.fault == ours::RecordFault::none && same(quick, scan.envelope));
    require(!ours::check_body(quick.type, ours::View(quick.body), quick.ledger).any());
    // Knowing what it saw before changes nothing.
    ours::Envelope again;
    require(ours::quick_record(bytes, quick, again, facts) && same(quick, again));
  }
  // Nor does knowing what it may not have seen, the writer above all.
  if (scan.fault == ours::RecordFault::none && ours::quick_record(bytes, scan.envelope, quick, facts)) {
    require(same(quick, scan.envelope));
    require(!ours::check_body(quick.type, ours::View(quick.body), quick.ledger).any());
  }
  // Any body can be judged.
  if (good) (void)ours::check_body(scan.envelope.type, ours::View(scan.envelope.body), scan.envelope.ledger);
  require(good == theirs::parse_record(bytes).has_value());
  return 0;
}
