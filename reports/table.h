// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "reports/model.h"

namespace ethos::reports {

// Where the rows of one table go, cell by cell: a CSV file, a sheet of a workbook. The tables
// themselves (tables.h) are written once and know no format, so that no format counts otherwise.
class Table {
 public:
  explicit Table(const Model& model) : model_(model) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  virtual ~Table() = default;

  void header(std::initializer_list<std::string_view> names);
  // Words that somebody else chose.
  Table& text(std::string_view value);
  Table& text(NameId id) { return text(model_.text(id)); }
  // Words of this program.
  Table& plain(std::string_view value);
  template <std::integral Number>
  Table& number(Number value) {
    return digits(std::to_string(value));
  }
  // A figure that is decimal digits already.
  Table& digits(std::string_view value);
  // Digits where it is nothing else: a figure that may be withheld.
  Table& figure(std::string_view value);
  Table& number_if(const std::optional<std::int64_t>& value);
  Table& empty() { return plain(""); }
  // Record number and the start of its leaf hash: two cells.
  Table& ref(const Ref& ref);
  Table& ref_if(const std::optional<Ref>& one) { return one ? ref(*one) : empty().empty(); }
  // The local time a person reads, and UTC: two cells.
  Table& time(std::int64_t wall_ms);
  void end();

 protected:
  virtual void put_heading(std::string_view name) = 0;
  virtual void put_text(std::string_view value) = 0;
  virtual void put_word(std::string_view value) = 0;
  virtual void put_digits(std::string_view value) = 0;
  virtual void end_row() = 0;
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  void start_cell();
  const Model& model_;
  bool in_row_ = false;
};

}  // namespace ethos::reports
