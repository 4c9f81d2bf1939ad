// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"
#include "sarif/json/fragment.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {

// The largest evidence document that is read.
inline constexpr std::size_t kMaxEvidenceBytes = std::size_t{64} << 20U;

// An "ethos-evidence" document of version 1 (docs/formats/sarif-property.md): the records of one
// run, as the ledger holds them, and where its declaration stands. Everything below is read from
// the records; nothing from a request.
class Evidence {
 public:
  // Errc::malformed for anything that the format does not allow, Errc::unsupported for another
  // version, Errc::too_large.
  static base::Result<Evidence> read(ByteSource& source);

  struct Record {
    std::int64_t seq;
    std::string type;
    JsonView body;
  };

  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  // The first record of that type.
  [[nodiscard]] const Record* first(std::string_view type) const;
  // The body of the first grant of that capability, e.g. "network".
  [[nodiscard]] std::optional<JsonView> grant(std::string_view capability) const;
  // The value of a limit's grant, e.g. "wall_ms", as the decimal text recorded.
  [[nodiscard]] std::string limit(std::string_view name) const;
  [[nodiscard]] std::string tool() const;
  [[nodiscard]] std::string run_id() const;
  // The "ledger" object of the document.
  [[nodiscard]] JsonView ledger() const;
  // Place of the tool's declaration, when the document names one.
  struct DeclarationPlace {
    std::string uri;
    std::int64_t line;
  };
  [[nodiscard]] std::optional<DeclarationPlace> declaration() const;
  // Exit and times of the run, from run.open and run.close.
  [[nodiscard]] Invocation invocation() const;

 private:
  Evidence() = default;
  base::Result<void> check_ledger() const;
  base::Result<void> take_records();
  base::Result<void> take_record(const JsonView& record);

  // Behind a pointer: the records are views into it, and an Evidence may be moved.
  std::unique_ptr<JsonFragment> document_;
  std::vector<Record> records_;
  std::vector<std::int64_t> wall_ms_;
};

}  // namespace ethos::sarif
