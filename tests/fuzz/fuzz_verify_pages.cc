// SPDX-License-Identifier: Apache-2.0
// The verifier's reader of database pages against SQLite. The input chooses one of a few good
// databases and changes it, page by page and number by number; whenever the reader says yes,
// SQLite's integrity check says ok of the same file, and its rows are those of SQLite.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/property.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/page_oracle.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

namespace {

using namespace ethos::support;

constexpr std::size_t kPage = 4096;

// The same bytes in every process, so that a found input stays one.
std::string numbers(int n) {
  return "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<" +
         std::to_string(n) + ") INSERT INTO ";
}
std::string rows(int n, const std::string& length) {
  return numbers(n) + "leaf SELECT i, zeroblob(" + length +
         "), CAST(printf('%032d', i) AS BLOB) FROM n";
}
std::string values(int n) {
  const std::string key = "CAST(printf('%032d', (i * 7919) % 10007) AS BLOB)";
  return numbers(n) + "disclosure SELECT " + key + ", 'argv', " + key + ", zeroblob(i*90) FROM n";
}

struct Shapes {
  std::vector<std::string> files;
  TempDir dir;
  std::string path = dir.file("changed.db");

  Shapes() {
    const std::string notes = numbers(40) + "checkpoint SELECT i+1, zeroblob(300) FROM n";
    make({rows(3, "600")}, 2);
    make({rows(99, "500 + i*7"), notes}, 2);
    make({rows(20, "i*800"), values(30)}, 2);
    make({rows(20, "i*800"), values(60)}, 1);
    make({rows(40, "900"), values(40), "DELETE FROM disclosure WHERE length(bytes)%4=0",
          "DELETE FROM checkpoint", "UPDATE leaf SET bytes=x'' WHERE seq BETWEEN 5 AND 20"},
         2);
    make({rows(60, "300"), "UPDATE leaf SET bytes=substr(bytes, 1, 100 + seq) WHERE seq%2=0"}, 2);
    make({rows(700, "1900")}, 2);  // inner pages below an inner page
  }
  void make(const std::vector<std::string>& sql, int version) {
    LedgerMaker empty;
    empty.records.clear();
    empty.checkpoints.clear();
    empty.disclosures.clear();
    empty.blobs.clear();
    empty.store_version = version;
    std::string all = "DELETE FROM tail; DELETE FROM leaf";
    for (const std::string& one : sql) all += ";" + one;
    empty.write(dir.file("l.db"), all);
    files.push_back(slurp(dir.file("l.db")));
  }
};

std::size_t number_at(const std::uint8_t* at, int bytes) {
  std::size_t out = 0;
  for (int i = 0; i < bytes; ++i) out = out << 8U | at[i];
  return out;
}

// Five bytes each: what, page, place in the page, value.
void change(std::string& file, const std::uint8_t* op) {
  const std::size_t pages = file.size() / kPage;
  const std::size_t page = op[1] % pages;
  const std::size_t place = number_at(op + 2, 2) % kPage;
  const std::size_t at = page * kPage + place;
  const auto put = [&](std::size_t n, std::size_t value) {
    for (std::size_t i = 0; i < n && at + i < file.size(); ++i)
      file[at + i] = static_cast<char>(value >> (8 * (n - 1 - i)));
  };
  switch (op[0] % 6) {
    case 0:
      put(1, op[4]);
      break;
    case 1:
      put(2, std::size_t{op[4]} * 16);
      break;  // a place of a cell
    case 2:
      put(4, op[4]);
      break;  // the number of a page
    case 3:
      file.replace(page * kPage, kPage, std::string(file, op[4] % pages * kPage, kPage));
      break;
    case 4:
      file[at] = static_cast<char>(static_cast<unsigned char>(file[at]) ^ (1U << op[4] % 8));
      break;
    default: {
      // Two neighbours of a list of places change places.
      const std::size_t other = std::min(at + 2, file.size() - 2);
      std::swap_ranges(
          file.begin() + static_cast<std::ptrdiff_t>(std::min(at, file.size() - 2)),
          file.begin() + static_cast<std::ptrdiff_t>(std::min(at, file.size() - 2)) + 2,
          file.begin() + static_cast<std::ptrdiff_t>(other));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto shapes = std::make_unique<Shapes>();
  if (size == 0) return 0;
  std::string file = shapes->files[data[0] % shapes->files.size()];
  for (std::size_t i = 1; i + 5 <= size && i < 400; i += 5) change(file, data + i);
  if (size % 5 == 2)
    file.resize(std::max<std::size_t>(1, data[size - 1] % (file.size() / kPage)) * kPage);
  save(shapes->path, file);
  const auto quick = read_quickly(shapes->path);
  // What was not changed is no matter of doubt.
  ethos::fuzz::require(quick.has_value() || size > 1);
  if (!quick) return 0;
  const auto slow = read_by_sqlite(shapes->path);
  ethos::fuzz::require(slow.has_value());
  ethos::fuzz::require(*quick == *slow);
  return 0;
}
