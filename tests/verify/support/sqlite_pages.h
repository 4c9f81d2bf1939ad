// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ethos::support {

// What each byte of an SQLite database file is for, read from the file format alone
// (https://www.sqlite.org/fileformat2.html), not from what any program makes of it.
enum class PageByte : unsigned char {
  used,        // header, pointer, cell or overflow content: something depends on it
  header,      // of the file, and nothing depends on it in a file that is only read
  row_number,  // the type of a first column that is the row number, which stands elsewhere
  schema_row,  // the row number of a line of the schema, which nothing refers to
  unallocated, // between the cell pointers and the cells of a page
  free_block,  // of a cell that was deleted, but for the four bytes that chain it
  tail,        // behind the end of an overflow chain
};

const char* name_of(PageByte kind);

// One entry a byte. Pages of 4,096 bytes without reserved space; throws on anything that this reader of
// good files does not know.
std::vector<PageByte> classify_pages(const std::string& file);

}  // namespace ethos::support
