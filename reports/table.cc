// SPDX-License-Identifier: Apache-2.0
#include "reports/table.h"

#include "reports/text.h"
#include "reports/words.h"
#include "reports/zone.h"

namespace ethos::reports {

// A table that nobody vouches for says so in each row: rows are copied without their file name.
void Table::start_cell() {
  if (in_row_) return;
  in_row_ = true;
  if (!model_.verified) put_word("NOT VERIFIED");
}

void Table::header(std::initializer_list<std::string_view> names) {
  start_cell();
  for (const std::string_view name : names) put_heading(name);
  end();
}

Table& Table::text(std::string_view value) {
  start_cell();
  put_text(value);
  return *this;
}

Table& Table::plain(std::string_view value) {
  start_cell();
  put_word(value);
  return *this;
}

Table& Table::digits(std::string_view value) {
  start_cell();
  put_digits(value);
  return *this;
}

Table& Table::figure(std::string_view value) {
  return parse_decimal(value) ? digits(value) : text(value);
}

Table& Table::number_if(const std::optional<std::int64_t>& value) {
  return value ? number(*value) : empty();
}

Table& Table::ref(const Ref& ref) { return number(ref.seq).plain(leaf_text(ref)); }

Table& Table::time(std::int64_t wall_ms) {
  return text(local_text(wall_ms / 1000, model_.zone)).plain(utc_ms_text(wall_ms));
}

void Table::end() {
  end_row();
  in_row_ = false;
}

}  // namespace ethos::reports
