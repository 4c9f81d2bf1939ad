// SPDX-License-Identifier: Apache-2.0
// A ledger file with some bytes changed. The input is a list of changes (offset, new byte) to one good
// ledger, so that every run of the fuzzer reaches beyond the first page. What still verifies against a
// pin with a minimum has the same history.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/fuzz/property.h"
#include "tests/verify/support/ledger_maker.h"
#include "tests/verify/support/shared.h"
#include "tests/verify/support/verify_run.h"

namespace {

using namespace ethos::support;

struct Base {
  TempDir dir;
  std::string bytes;
  std::string root;

  Base() {
    LedgerMaker ledger;
    RunChoices choices;
    choices.denials = 1;
    add_run(ledger, choices);
    ledger.rotate();
    ledger.write(dir.file("l.db"));
    bytes = slurp(dir.file("l.db"));
    save(dir.file("pin"), ledger.pin(static_cast<std::int64_t>(ledger.records.size())));
    root = base64(ledger.root_of(ledger.records.size()));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto base = std::make_unique<Base>();
  std::string bytes = base->bytes;
  for (std::size_t i = 0; i + 3 < size; i += 4) {
    const std::size_t at = (std::size_t{data[i]} << 16U) | (std::size_t{data[i + 1]} << 8U) | data[i + 2];
    bytes[at % bytes.size()] = static_cast<char>(data[i + 3]);
  }
  if (size % 4 == 1) bytes.resize(bytes.size() / 256 * data[size - 1]);  // cut as well
  const std::string path = base->dir.file("changed.db");
  save(path, bytes);
  const Outcome r = verify_with({"--json", "--pin", base->dir.file("pin"), path});
  ethos::fuzz::require(r.status == 0 || r.status == 1 || r.status == 3 || r.status == 4);
  if (r.status == 0) {
    ethos::fuzz::require(r.json.is_object() && r.json.at("checkpoint").at("root") == base->root);
    ethos::fuzz::require(r.verdict("policy") == "pass");
  } else if (r.json.is_discarded()) {
    ethos::fuzz::require(!r.err.empty() && r.err.find('\n') == r.err.size() - 1);
  }
  return 0;
}
