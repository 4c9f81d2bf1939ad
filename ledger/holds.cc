// SPDX-License-Identifier: Apache-2.0
#include "ledger/holds.h"

#include <algorithm>

#include "ledger/record/canonical_json.h"
#include "ledger/record/utf8.h"
#include "ledger/store.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Json;

constexpr std::size_t kMaxRuns = 300;
constexpr std::size_t kMaxOrderBytes = 200;

bool is_about_holds(std::string_view type) {
  return type == "ledger.hold" || type == "ledger.release";
}

// One record about a hold, checked against those in force while the ledger is locked.
Result<Committed> write(Appender& appender, const char* type, const std::string& name, Json body) {
  auto reader = LedgerReader::open(appender.files());
  if (!reader) return Unexpected(std::move(reader).error());
  auto holds = read_holds(*reader);
  if (!holds) return Unexpected(std::move(holds).error());
  auto text = record::encode_canonical(body);
  if (!text) return Unexpected(std::move(text).error());
  Operation operation;
  operation.records.push_back({type, nullptr, *text, std::nullopt});
  operation.check = [&, from = reader->size()](Store& store, const Tail& tail) -> Result<void> {
    if (auto ok = follow_holds(*holds, from, store, tail); !ok) return ok;
    const bool sets = std::string_view(type) == "ledger.hold";
    if (sets && holds->has(name)) return fail(Errc::exists, "hold " + name + ": is in force");
    if (!sets && !holds->has(name)) return fail(Errc::not_found, "hold " + name);
    return {};
  };
  return appender.operate(operation);
}

}  // namespace

bool is_hold_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), is_plain) &&
         name[0] != '.' && name[0] != '_' && name[0] != '-';
}

Result<void> Holds::on_record(std::string_view type, std::string_view body) {
  if (!is_about_holds(type)) return {};
  auto json = record::parse_canonical(body);
  if (!json) return Unexpected(std::move(json).error());
  const std::string* name = json->find_string("name");
  if (name == nullptr) return fail(Errc::mismatch, std::string(type) + ": no name");
  if (type == "ledger.release") {
    if (by_name_.erase(*name) == 1) return {};
    return fail(Errc::mismatch, "hold " + *name + ": released without being set");
  }
  std::set<std::string> runs;
  if (const Json* list = json->find("runs", Json::Kind::array)) {
    for (const Json& run : list->items())
      if (run.is(Json::Kind::string)) runs.insert(run.as_string());
  }
  if (by_name_.emplace(*name, std::move(runs)).second) return {};
  return fail(Errc::mismatch, "hold " + *name + ": set twice");
}

std::optional<std::string> Holds::covering(const std::string& run) const {
  for (const auto& [name, runs] : by_name_) {
    if (runs.empty() || runs.contains(run)) return name;
  }
  return std::nullopt;
}

Result<Holds> read_holds(const LedgerReader& reader) {
  Holds holds;
  Result<void> result;
  auto ok = reader.read(0, reader.size(), [&](const StoredRecord& stored) {
    result = holds.on_record(stored.view.type, stored.view.body);
    return result.has_value();
  });
  if (ok) ok = std::move(result);
  if (!ok) return Unexpected(std::move(ok).error());
  return holds;
}

Result<void> follow_holds(Holds& holds, std::uint64_t from, Store& store, const Tail& tail) {
  for (std::uint64_t seq = from; seq < tail.last.checkpoint.size; ++seq) {
    auto bytes = store.leaf_bytes(seq);
    if (!bytes) return Unexpected(std::move(bytes).error());
    auto view = record::scan_envelope(*bytes);
    if (!view) return Unexpected(std::move(view).error());
    if (auto ok = holds.on_record(view->type, view->body); !ok) return ok;
  }
  return {};
}

Result<void> check_order(const Order& order) {
  const auto is_good = [](const std::string& text) {
    return !text.empty() && text.size() <= kMaxOrderBytes && record::is_record_text(text);
  };
  if (!is_good(order.reason)) return fail(Errc::usage, "--reason: 1 to 200 bytes of UTF-8");
  if (!is_good(order.authority)) return fail(Errc::usage, "--authority: 1 to 200 bytes of UTF-8");
  return {};
}

Result<Committed> set_hold(Appender& appender, const std::string& name,
                           const std::set<std::string>& runs, const Order& order) {
  if (auto ok = check_order(order); !ok) return Unexpected(std::move(ok).error());
  if (!is_hold_name(name)) return fail(Errc::usage, "--name: [a-z0-9][a-z0-9._-]{0,63}");
  if (runs.size() > kMaxRuns) return fail(Errc::usage, "--run: more than 300; set several holds");
  Json body = Json::object()
                  .set("authority", order.authority)
                  .set("name", name)
                  .set("reason", order.reason);
  if (!runs.empty()) {
    Json list = Json::array();
    for (const std::string& run : runs) list.push(run);
    body.set("runs", std::move(list));
  }
  return write(appender, "ledger.hold", name, std::move(body));
}

Result<Committed> release_hold(Appender& appender, const std::string& name, const Order& order) {
  if (auto ok = check_order(order); !ok) return Unexpected(std::move(ok).error());
  return write(appender, "ledger.release", name,
               Json::object()
                   .set("authority", order.authority)
                   .set("name", name)
                   .set("reason", order.reason));
}

}  // namespace ethos::ledger
