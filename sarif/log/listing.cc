// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/listing.h"

#include <algorithm>
#include <vector>

#include "sarif/line_key.h"
#include "sarif/log/index.h"
#include "sarif/log/reading.h"
#include "sarif/log/result_view.h"

namespace ethos::sarif {
namespace {

std::int64_t number_at(const JsonView& region, std::string_view key) {
  const auto value = region.is_object() ? region.find(key) : std::nullopt;
  return value && value->is_number() ? std::max<std::int64_t>(value->integer().value_or(0), 0) : 0;
}

std::string lasting_key(const JsonView& result) {
  const auto prints = result.find("partialFingerprints");
  if (!prints || !prints->is_object()) return {};
  for (const std::string_view name : {kLineKeyName, std::string_view("primaryLocationLineHash")}) {
    std::string key = text_of(*prints, name);
    if (!key.empty()) return key;
  }
  return {};
}

ListedResult listed(const RunIndex& run, const JsonView& result) {
  ListedResult out;
  out.tool = run.tool;
  out.rule = run.rule_id_of(result);
  out.level = run.level_of(result);
  out.path = primary_path(result);
  const auto place = primary_location(result);
  if (const auto region = place ? place->find("region") : std::nullopt) {
    out.line = number_at(*region, "startLine");
    out.column = number_at(*region, "startColumn");
    out.end_line = number_at(*region, "endLine");
  }
  out.message = message_text(result);
  out.state = text_of(result, "baselineState");
  out.key = lasting_key(result);
  out.is_suppressed = is_suppressed(result);
  return out;
}

}  // namespace

base::Result<void> list_results(const Reopen& open,
                                const std::function<void(const ListedResult&)>& visit) {
  auto source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader first(**source);
  const auto runs = index_log(first);
  if (!runs) return base::Unexpected(base::Error(runs.error()));
  source = open();
  if (!source) return base::Unexpected(std::move(source).error());
  JsonReader second(**source);
  return for_each_result(second,
                         [&](std::size_t run, const JsonView& result) -> base::Result<void> {
                           if (run >= runs->size())
                             return base::fail(base::Errc::mismatch, "the file has changed");
                           if (result.is_object()) visit(listed((*runs)[run], result));
                           return {};
                         });
}

}  // namespace ethos::sarif
