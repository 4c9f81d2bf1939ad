// SPDX-License-Identifier: Apache-2.0
#include "verify/prefix.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "verify/checkpoint.h"
#include "verify/note.h"
#include "verify/snapshot.h"

namespace ethos::verify {
namespace {


class PrefixSource final : public EvidenceSource {
 public:
  PrefixSource(std::unique_ptr<EvidenceSource> whole, Prefix prefix)
      : whole_(std::move(whole)), size_(prefix.size), note_(std::move(prefix.note)) {}

  [[nodiscard]] const char* kind() const override { return whole_->kind(); }
  [[nodiscard]] bool is_prefix() const override { return true; }
  [[nodiscard]] bool is_beyond() const override { return is_beyond_; }
  [[nodiscard]] bool has_key_checkpoints() const override { return whole_->has_key_checkpoints(); }
  [[nodiscard]] bool has_blobs() const override { return whole_->has_blobs(); }
  [[nodiscard]] bool may_withhold(std::string_view kind) const override { return whole_->may_withhold(kind); }
  [[nodiscard]] std::uint64_t estimate() const override {
    return std::min(whole_->estimate(), static_cast<std::uint64_t>(size_));
  }
  [[nodiscard]] std::string how() const override {
    if (is_beyond_) return whole_->how() + "; the state of " + std::to_string(size_) + " records that --at names is later than all of it, and was not judged";
    return whole_->how() + "; only the first " + std::to_string(size_) + " records were judged";
  }

  bool next_records(RecordBatch& out, Findings& findings) override {
    if (is_done_ || !whole_->next_records(out, findings)) return false;
    const auto later = std::find_if(out.rows.begin(), out.rows.end(), [this](const auto& row) { return row.seq >= size_; });
    is_done_ = later != out.rows.end();
    if (is_done_) {
      later_ = out;
      later_.rows.erase(later_.rows.begin(), later_.rows.begin() + (later - out.rows.begin()));
    }
    out.rows.erase(later, out.rows.end());
    return !out.rows.empty();
  }

  bool next_checkpoint(StoredCheckpoint& out, Findings& findings) override {
    if (is_signed_) return false;
    if (whole_->next_checkpoint(out, findings)) {
      if (out.size < size_) return true;
      if (out.size > size_) after_ = out;
    } else {
      is_beyond_ = true;  // unless there are records without a checkpoint of their own
    }
    is_signed_ = true;
    out.size = size_;
    out.note = note_;
    return true;
  }

  std::optional<StoredDisclosure> disclosure(const Digest& c) override { return whole_->disclosure(c); }
  std::optional<DisclosureSize> disclosure_size(const Digest& c) override { return whole_->disclosure_size(c); }
  std::optional<std::string> blob(const Digest& sha256) override { return whole_->blob(sha256); }
  bool next_disclosure(StoredDisclosure& out, Findings& findings) override { return whole_->next_disclosure(out, findings); }
  bool next_blob(Digest& key, std::string& bytes, Findings& findings) override { return whole_->next_blob(key, bytes, findings); }
  std::optional<std::string> record(std::int64_t seq) override {
    return seq < size_ ? whole_->record(seq) : std::nullopt;
  }
  std::optional<std::string> checkpoint(std::int64_t size) override {
    return size == size_ ? note_ : size < size_ ? whole_->checkpoint(size) : std::nullopt;
  }
  // The tail and the high-water file speak of the whole ledger.
  void check_tail(const std::string&, std::int64_t, std::int64_t, Findings&) override {}
  std::optional<std::string> highwater() override { return std::nullopt; }
  void check_names(const std::string& origin, const std::vector<std::string>& runs, Findings& findings) override {
    whole_->check_names(origin, runs, findings);
  }
  std::function<void(Findings&)> whole_check() override { return whole_->whole_check(); }

  bool next_later(RecordBatch& out, Findings& findings) override {
    if (!later_.rows.empty()) {
      out = std::exchange(later_, {});
      return true;
    }
    return whole_->next_records(out, findings);
  }
  bool next_later_checkpoint(StoredCheckpoint& out, Findings& findings) override {
    if (after_) {
      out = *std::exchange(after_, std::nullopt);
      return true;
    }
    return whole_->next_checkpoint(out, findings);
  }

 private:
  std::unique_ptr<EvidenceSource> whole_;
  std::int64_t size_;
  std::string note_;
  RecordBatch later_;                      // rows after the prefix that came with its last ones
  std::optional<StoredCheckpoint> after_;  // a checkpoint after it that was read already
  bool is_done_ = false;
  bool is_signed_ = false;
  bool is_beyond_ = false;  // no checkpoint of the evidence itself reaches as far
};

}  // namespace

Result<Prefix> read_prefix(const std::string& text) {
  Prefix out;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, out.size);
  if (fault == std::errc() && rest == end) {
    if (out.size < 1 || out.size > static_cast<std::int64_t>(kMaxSize)) return Error{Errc::malformed, "not a number of records"};
    return out;
  }
  auto note = read_file(text, kMaxNote);
  if (!note) return Error{Errc::malformed, "neither a number of records nor a checkpoint: " + note.error().what};
  const auto parsed = parse_note(*note);
  const auto checkpoint = parsed ? parse_checkpoint_text(parsed->text) : Result<Checkpoint>(parsed.error());
  if (!checkpoint || checkpoint->size < 1 || checkpoint->size > kMaxSize) {
    return Error{Errc::malformed, text + " does not hold a signed checkpoint (that of a bundle is the member `checkpoint`: tar xOf BUNDLE checkpoint > FILE)"};
  }
  out.size = static_cast<std::int64_t>(checkpoint->size);
  out.note = *std::move(note);
  return out;
}

Result<std::unique_ptr<EvidenceSource>> open_prefix(std::unique_ptr<EvidenceSource> whole, Prefix prefix) {
  if (whole->coverage() != EvidenceSource::Coverage::whole) {
    return Error{Errc::unsupported, "it is no whole ledger, so no earlier state of it can be judged"};
  }
  if (prefix.note.empty()) {
    auto kept = whole->checkpoint(prefix.size);
    if (!kept) {
      return Error{Errc::unsupported, "no checkpoint of size " + std::to_string(prefix.size) +
                                        " is in it" + (whole->kind() == std::string_view("bundle") ? ": a bundle carries its last one only. Give the file of the checkpoint that you hold (`checkpoint` in the bundle of that time)"
                                                                                                                      : ": only states that were signed can be judged")};
    }
    prefix.note = *std::move(kept);
  }
  std::unique_ptr<EvidenceSource> out = std::make_unique<PrefixSource>(std::move(whole), std::move(prefix));
  return out;
}

}  // namespace ethos::verify
