// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ethos::support {

// The members of a ZIP archive by its directory at the end, as any reader finds them; each is
// unpacked and its checksum compared. Fails the test for anything that is not right.
std::map<std::string, std::string> read_zip(const std::string& bytes);

struct Cell {
  std::string value;
  bool is_number = false;
};
struct Sheet {
  std::string title, xml;
  std::vector<std::vector<Cell>> rows;  // missing cells of a row are empty texts
};
// Sheets in the order of the workbook.
std::vector<Sheet> read_workbook(const std::string& bytes);

}  // namespace ethos::support
