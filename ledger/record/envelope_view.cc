// SPDX-License-Identifier: Apache-2.0
#include "ledger/record/envelope_view.h"

#include "ledger/record/canonical_scan.h"

namespace ethos::record {
namespace {

// Notes the members of the outermost object as the scan passes them.
class EnvelopeSink {
 public:
  explicit EnvelopeSink(std::string_view bytes) : bytes_(bytes) {}

  void begin_object() { open(); }
  void begin_array() { open(); }
  void end_object() { --depth_; }
  void end_array() { --depth_; }
  void key(std::string_view name) {
    if (depth_ != 1) return;
    // `body` is the first key, if it is there: it ends where the comma before the second one
    // stands.
    if (has_body_ && view.body.empty())
      view.body = bytes_.substr(kBodyAt, offset_of(name) - 2 - kBodyAt);
    key_ = name;
  }
  void boolean(bool) {}
  void integer(std::int64_t value) {
    if (depth_ != 1 || value < 0) return;
    if (key_ == "seq") {
      view.seq = static_cast<std::uint64_t>(value);
      has_seq = true;
    }
    if (key_ == "run_seq") view.run_seq = static_cast<std::uint64_t>(value);
  }
  void string(std::string_view raw, bool) {
    if (depth_ != 1) return;
    if (key_ == "prev") view.prev = raw;
    if (key_ == "run") view.run = raw;
    if (key_ == "run_prev") view.run_prev = raw;
    if (key_ == "type") view.type = raw;
  }

  EnvelopeView view;
  bool has_seq = false;

 private:
  static constexpr std::size_t kBodyAt = 8;  // behind {"body":

  void open() {
    if (depth_ == 1 && key_ == "body") has_body_ = true;
    ++depth_;
  }
  [[nodiscard]] std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - bytes_.data());
  }

  std::string_view bytes_;
  std::string_view key_;
  int depth_ = 0;
  bool has_body_ = false;
};

}  // namespace

base::Result<EnvelopeView> scan_envelope(std::string_view bytes) {
  EnvelopeSink sink(bytes);
  auto scanned = detail::CanonicalScan<EnvelopeSink>(bytes, kRecordLimits, sink).run();
  if (!scanned) return base::Unexpected(std::move(scanned).error());
  const EnvelopeView& view = sink.view;
  if (!sink.has_seq || view.body.empty() || view.prev.empty() || view.type.empty()) {
    return base::fail(base::Errc::malformed, "record: body, prev, seq or type is missing");
  }
  return view;
}

}  // namespace ethos::record
