// SPDX-License-Identifier: Apache-2.0
#include "verify/bundle.h"

#include <algorithm>
#include <array>
#include <utility>

#include "verify/archive.h"
#include "verify/bundle_names.h"
#include "verify/encoding.h"
#include "verify/tile_reader.h"

namespace ethos::verify {
namespace {

using Kind = BundleName::Kind;
constexpr std::size_t kHashBytes = 32;

// events.md E-4 and E-6, and where a kind is named in its own place.
constexpr std::array<std::string_view, 17> kDisclosedKinds{
    "actor", "argv", "decision", "denials", "env", "execs", "facts", "list", "mounts",
    "normal", "output", "path", "plan", "sarif", "source", "task", "workspace"};

class BundleSource final : public EvidenceSource {
 public:
  BundleSource(Archive archive, BundleManifest manifest)
      : archive_(std::move(archive)), manifest_(std::move(manifest)),
        tiles_({.size = manifest_.size, .from = manifest_.from}, [this](const std::string& name) { return archive_.read(name); }) {
    next_member_ = archive_.members().begin();
    disclosure_at_ = blob_at_ = archive_.members().begin();
  }

  // Names, limits and tiles; false when nothing can be read from the bundle.
  bool check_layout(Findings& findings) {
    for (const auto& [name, member] : archive_.members()) {
      const auto parsed = parse_bundle_name(name);
      if (!parsed || !belongs(*parsed)) return refuse(findings, "a member that a bundle of this kind does not have", name);
      if (member.size > bundle_member_limit(parsed->kind)) return refuse(findings, "a member over its limit", name);
      ++present_[static_cast<std::size_t>(parsed->kind)];
      if (parsed->kind == Kind::key_checkpoint) sizes_.push_back(parsed->a);
      if (parsed->kind == Kind::consistency) extra_ = sorted_in(parsed->a) ? extra_ : parsed->a;
    }
    sizes_.push_back(manifest_.size);
    return manifest_.is_run || tiles_.check(findings);
  }

  [[nodiscard]] const char* kind() const override { return "bundle"; }
  [[nodiscard]] Coverage coverage() const override {
    return manifest_.is_run ? Coverage::run : manifest_.from > 0 ? Coverage::tail : Coverage::whole;
  }
  [[nodiscard]] bool may_withhold(std::string_view kind) const override {
    return kind == "output" || !std::binary_search(manifest_.disclosed.begin(), manifest_.disclosed.end(), kind, std::less<>{});
  }
  [[nodiscard]] std::uint64_t estimate() const override { return manifest_.is_run ? 0 : manifest_.size; }
  [[nodiscard]] std::string how() const override {
    if (manifest_.is_run) return "the records of one run, each proved to be in the ledger";
    if (manifest_.from == 0) return "the whole ledger up to record " + std::to_string(manifest_.size - 1);
    return "records from " + std::to_string(manifest_.from) + " to " + std::to_string(manifest_.size - 1) + ", of the earlier ones the hashes";
  }
  std::optional<std::string> highwater() override { return std::nullopt; }

  bool next_records(RecordBatch& out, Findings& findings) override {
    out.clear();
    return manifest_.is_run ? next_of_run(out, findings) : next_of_ledger(out, findings);
  }

  bool next_checkpoint(StoredCheckpoint& out, Findings& findings) override {
    if (size_at_ == sizes_.size()) return false;
    out.size = static_cast<std::int64_t>(sizes_[size_at_++]);
    return read_checkpoint(out.size, out.note, findings);
  }

  bool head(StoredCheckpoint& out, Findings& findings) override {
    out.size = static_cast<std::int64_t>(manifest_.size);
    return read_checkpoint(out.size, out.note, findings);
  }

  std::optional<std::string> checkpoint(std::int64_t size) override {
    Findings ignored;
    std::string note;
    if (!read_checkpoint(size, note, ignored)) return std::nullopt;
    return note;
  }

  bool proof(std::int64_t seq, std::uint64_t size, std::vector<Digest>& out, Findings& findings) override {
    return read_proof(numbered("proof", static_cast<std::uint64_t>(seq), size), seq, out, findings);
  }
  bool consistency(std::uint64_t from, std::uint64_t to, std::vector<Digest>& out, Findings& findings) override {
    return read_proof(numbered("consistency", from, to), -1, out, findings);
  }

  // B-16: the one that belongs to no checkpoint here.
  bool extra_consistency(std::uint64_t from, std::uint64_t to, std::vector<Digest>& out) override {
    Findings ignored;
    if (!manifest_.is_run || extra_ == 0 || from != extra_ || to != manifest_.size) return false;
    return read_lines(numbered("consistency", from, to), out, ignored);
  }

  std::optional<StoredDisclosure> disclosure(const Digest& c) override {
    return parse_disclosure(c, "disclosure/" + encode_hex(c.view()));
  }
  std::optional<std::string> blob(const Digest& sha256) override {
    auto bytes = archive_.read("blob/sha256/" + encode_hex(sha256.view()));
    if (!bytes) return std::nullopt;
    return *std::move(bytes);
  }

  bool next_disclosure(StoredDisclosure& out, Findings& findings) override {
    for (; disclosure_at_ != archive_.members().end(); ++disclosure_at_) {
      const auto name = parse_bundle_name(disclosure_at_->first);
      if (!name || name->kind != Kind::disclosure) continue;
      auto parsed = parse_disclosure(*Digest::from_bytes(name->digest), disclosure_at_->first);
      if (!parsed) {
        refuse(findings, "a disclosure is not kind, salt and bytes", disclosure_at_->first);
        continue;
      }
      if (!std::binary_search(manifest_.disclosed.begin(), manifest_.disclosed.end(), parsed->kind)) {
        refuse(findings, "a disclosure of a kind that the manifest does not name", printable(parsed->kind));
      }
      out = *std::move(parsed);
      ++disclosure_at_;
      return true;
    }
    return false;
  }

  bool next_blob(Digest& key, std::string& bytes, Findings& findings) override {
    for (; blob_at_ != archive_.members().end(); ++blob_at_) {
      const auto name = parse_bundle_name(blob_at_->first);
      if (!name || name->kind != Kind::blob) continue;
      auto read = archive_.read(blob_at_->second);
      if (!read) {
        missing(findings, blob_at_->first);
        continue;
      }
      key = *Digest::from_bytes(name->digest);
      bytes = *std::move(read);
      ++blob_at_;
      return true;
    }
    return false;
  }

  std::optional<std::string> record(std::int64_t seq) override {
    if (auto bytes = archive_.read(numbered("record", static_cast<std::uint64_t>(seq)))) return *std::move(bytes);
    const auto index = static_cast<std::uint64_t>(seq);
    Findings ignored;
    if (manifest_.is_run || index < manifest_.from || index >= manifest_.size || !tiles_.load(index / kTileWidth, ignored)) return std::nullopt;
    return std::string(tiles_.entry(index));
  }

  // Every member of a run's bundle was needed for something, or it has no place there.
  void check_tail(const std::string&, std::int64_t, std::int64_t, Findings& findings) override {
    if (!manifest_.is_run) return;
    for (const Kind kind : {Kind::proof, Kind::consistency}) {
      const auto index = static_cast<std::size_t>(kind);
      const std::uint64_t extra = kind == Kind::consistency && extra_ > 0 ? 1 : 0;
      if (present_[index] != used_[index] + extra) refuse(findings, "a proof that belongs to nothing in the bundle", "");
    }
  }

  // B-6: the manifest is only a table of contents.
  void check_names(const std::string& origin, const std::vector<std::string>& runs, Findings& findings) override {
    if (origin != manifest_.origin) refuse(findings, "the records are of another ledger than the manifest says", manifest_.origin);
    if (!manifest_.is_run) return;
    if (runs.size() != 1 || runs[0] != manifest_.run) {
      refuse(findings, "the records are not those of the one run that the manifest names", manifest_.run);
    }
  }

 private:
  // Whether a checkpoint of that size is carried. Their names come before those of consistency proofs.
  [[nodiscard]] bool sorted_in(std::uint64_t size) const { return std::binary_search(sizes_.begin(), sizes_.end(), size); }
  static bool refuse(Findings& findings, const char* why, const std::string& name) {
    findings.add({.code = Code::bundle, .found = printable(name), .text = why});
    return false;
  }
  static bool missing(Findings& findings, const std::string& name) {
    findings.add({.code = Code::bundle_missing, .expected = name, .text = "the bundle lacks a member that it must have"});
    return false;
  }

  // B-7 to B-13: may a bundle of this kind have a member of that name?
  bool belongs(const BundleName& name) const {
    switch (name.kind) {
      case Kind::manifest: case Kind::checkpoint: case Kind::blob: case Kind::disclosure: return true;
      case Kind::key_checkpoint: return name.a < manifest_.size && name.a > 0;
      case Kind::record: return name.a < (manifest_.is_run ? manifest_.size : manifest_.from);
      case Kind::proof: return manifest_.is_run && name.a < name.b && name.b <= manifest_.size;
      case Kind::consistency: return manifest_.is_run && name.a < name.b && name.b == manifest_.size;
      case Kind::entries: return !manifest_.is_run && name.a >= manifest_.from / kTileWidth && tiles_.has(0, name.a, name.width);
      case Kind::tile: return !manifest_.is_run && tiles_.has(name.level, name.a, name.width);
    }
    return false;
  }

  bool read_checkpoint(std::int64_t size, std::string& out, Findings& findings) const {
    const auto wanted = static_cast<std::uint64_t>(size);
    const std::string name = wanted == manifest_.size ? "checkpoint" : numbered("checkpoint.d", wanted);
    auto note = archive_.read(name);
    if (!note) return missing(findings, name);
    out = *std::move(note);
    return true;
  }

  // Base64 of 32 bytes and a line feed for each hash.
  bool read_proof(const std::string& name, std::int64_t seq, std::vector<Digest>& out, Findings& findings) {
    out.clear();
    if (archive_.find(name) == nullptr) return missing(findings, name);
    ++used_[static_cast<std::size_t>(seq < 0 ? Kind::consistency : Kind::proof)];
    return read_lines(name, out, findings);
  }

  bool read_lines(const std::string& name, std::vector<Digest>& out, Findings& findings) const {
    const auto bytes = archive_.read(name);
    if (!bytes) return missing(findings, name);
    for (std::string_view rest = *bytes; !rest.empty(); rest.remove_prefix(45)) {
      const auto digest = rest.size() >= 45 && rest[44] == '\n' ? Digest::from_base64(rest.substr(0, 44)) : std::nullopt;
      if (!digest) return refuse(findings, "a proof is not lines of hashes", name);
      out.push_back(*digest);
    }
    return true;
  }

  std::optional<StoredDisclosure> parse_disclosure(const Digest& c, const std::string& name) const {
    const auto bytes = archive_.read(name);
    if (!bytes) return std::nullopt;
    const auto line = bytes->find('\n');
    if (line == std::string::npos || bytes->size() < line + 1 + kHashBytes) return std::nullopt;
    return StoredDisclosure{c, bytes->substr(0, line), bytes->substr(line + 1, kHashBytes), bytes->substr(line + 1 + kHashBytes)};
  }

  bool next_of_ledger(RecordBatch& out, Findings& findings) {
    while (index_ < manifest_.size && out.rows.size() < kTileWidth) {
      if (!tiles_.load(index_ / kTileWidth, findings)) {
        index_ = manifest_.size;
        break;
      }
      RecordBatch::Row row;
      row.seq = static_cast<std::int64_t>(index_);
      row.begin = out.bytes.size();
      row.stored_hash = tiles_.leaf(index_);
      if (index_ >= manifest_.from) {
        out.bytes += tiles_.entry(index_);
        row.is_absent = row.is_dropped = tiles_.entry(index_).empty();
      } else if (auto bytes = archive_.read(numbered("record", index_))) {
        out.bytes += *bytes;
      } else {
        row.is_absent = true;
      }
      row.size = out.bytes.size() - row.begin;
      out.rows.push_back(row);
      ++index_;
    }
    return !out.rows.empty();
  }

  bool next_of_run(RecordBatch& out, Findings& findings) {
    for (; next_member_ != archive_.members().end() && out.rows.size() < kTileWidth; ++next_member_) {
      const auto name = parse_bundle_name(next_member_->first);
      if (!name || name->kind != Kind::record) continue;
      const auto bytes = archive_.read(next_member_->second);
      if (!bytes) {
        missing(findings, next_member_->first);
        continue;
      }
      RecordBatch::Row row;
      row.seq = static_cast<std::int64_t>(name->a);
      row.begin = out.bytes.size();
      row.size = bytes->size();
      row.stored_hash = hash_.leaf(*bytes);  // nothing is stored beside it: the proof says what it must be
      out.bytes += *bytes;
      out.rows.push_back(row);
    }
    return !out.rows.empty();
  }

  Archive archive_;
  BundleManifest manifest_;
  TileReader tiles_;
  Sha256 hash_;
  std::array<std::uint64_t, 10> present_{};
  std::array<std::uint64_t, 10> used_{};
  std::vector<std::uint64_t> sizes_;  // of checkpoints, ascending
  std::size_t size_at_ = 0;
  std::uint64_t extra_ = 0;           // old size of the consistency proof that was asked for
  std::uint64_t index_ = 0;
  std::map<std::string, Archive::Member, std::less<>>::const_iterator next_member_;
  std::map<std::string, Archive::Member, std::less<>>::const_iterator disclosure_at_;
  std::map<std::string, Archive::Member, std::less<>>::const_iterator blob_at_;
};

}  // namespace

Result<std::unique_ptr<EvidenceSource>> open_bundle(const std::string& path, Findings& findings) {
  std::unique_ptr<EvidenceSource> nothing;
  auto archive = Archive::open(path);
  if (!archive) {
    if (archive.error().code == Errc::io) return std::move(archive).error();
    findings.add({.code = Code::bundle, .offset = archive.error().offset, .text = archive.error().what});
    return nothing;
  }
  const auto manifest_bytes = archive->read("manifest.json");
  if (!manifest_bytes) {
    findings.add({.code = Code::bundle_missing, .expected = "manifest.json", .text = "the bundle has no manifest"});
    return nothing;
  }
  auto manifest = parse_manifest(*manifest_bytes);
  if (!manifest) {
    const bool other = manifest.error().code == Errc::unsupported;
    findings.add({.code = other ? Code::unknown_version : Code::bundle, .text = manifest.error().what});
    return nothing;
  }
  for (const std::string& kind : manifest->disclosed) {
    if (std::find(kDisclosedKinds.begin(), kDisclosedKinds.end(), kind) != kDisclosedKinds.end()) continue;
    findings.add({.code = Code::unknown_version, .found = printable(kind),
                  .text = "the bundle discloses a kind of value that this verifier does not know"});
  }
  auto source = std::make_unique<BundleSource>(*std::move(archive), *std::move(manifest));
  if (!source->check_layout(findings)) return nothing;
  return std::unique_ptr<EvidenceSource>(std::move(source));
}

}  // namespace ethos::verify
