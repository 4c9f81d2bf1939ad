// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "verify/view.h"

namespace ethos::verify {

// The columns of a report's matrix, in its order.
enum class ReportColumn : std::uint8_t {
  read,
  write,
  execute,
  files,
  hidden,
  network,
  git,
  environment,
  syscalls,
  limits,
};
inline constexpr std::size_t kReportColumns = 10;
std::string_view column_name(ReportColumn column);
ReportColumn column_of_grant(std::string_view cap);

// What a refused call was for, as far as its record tells (docs/report-model.md, C-7 and C-16).
struct ReportAct {
  // `is_on_the_way`: the object is a directory above something that the run was given.
  ReportAct(const View& denial, std::string_view observe, bool is_on_the_way);

  ReportColumn column = ReportColumn::syscalls;
  std::string_view words;  // of `act`
};
// Any of the words that reports have for it.
bool is_act_word(std::string_view words);

// Of a record of a limit: whether a refusal is presumed (C-14), and the words for how it ended.
bool is_presumed_limit(const View& limit);
std::string_view limit_outcome_words(const View& limit);
bool is_limit_outcome_word(std::string_view words);

// Whether reaching a limit in that form leaves a record (C-14).
std::string_view limit_form_seen(std::string_view limit, std::string_view enforced_by);

}  // namespace ethos::verify
