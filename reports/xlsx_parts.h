// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/model.h"

// The fixed parts of a workbook (ECMA-376 part 1): pure, text in, XML out.
namespace ethos::reports {

struct SheetFacts {
  std::string name, title, last_column;
  std::size_t rows = 0, all_rows = 0;
};

std::string content_types(std::size_t sheets);
std::string package_relations();
std::string workbook_relations(std::size_t sheets);
// `sheets` are those after the first one.
std::string workbook(const std::string& first, const std::vector<SheetFacts>& sheets);
std::string styles();
std::string core_properties(const Model& model);
std::string app_properties();

// Up to the first row, and after the last one.
std::string sheet_start(const std::vector<std::size_t>& widths, bool is_first);
// Each printed page says what it belongs to, and whether anybody vouches for it.
std::string sheet_end(const Model& model);

}  // namespace ethos::reports
