// SPDX-License-Identifier: Apache-2.0
#include "ledger/tlog_proof.h"

#include "ledger/base/base64.h"
#include "ledger/record/checkpoint.h"
#include "ledger/record/merkle_tree.h"
#include "ledger/record/node_collector.h"
#include "ledger/record/signed_note.h"
#include "ledger/tile_files.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;
using record::Digest;

constexpr std::string_view kFirstLine = "c2sp.org/tlog-proof@v1\n";
constexpr std::size_t kMaxHashes = 63;  // a tree has at most 2^63 - 1 entries
constexpr std::size_t kMaxExtraBytes = 65'536;

// Takes one line off the front; empty optional without a line feed.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

Result<record::Checkpoint> checkpoint_of(const TlogProof& proof) {
  auto note = record::parse_note(proof.checkpoint);
  if (!note) return Unexpected(std::move(note).error());
  return record::parse_checkpoint(note->text);
}

Result<void> check_length(const TlogProof& proof, std::uint64_t size) {
  if (proof.index >= size) return fail(Errc::malformed, "tlog-proof: index beyond the tree");
  // Only the number of hashes matters here: RangeRoot need not be right.
  const auto wanted = record::inclusion_proof(
      record::RangeRoot([](std::uint64_t, std::uint64_t) { return Digest(); }), proof.index, size);
  if (wanted.size() == proof.hashes.size()) return {};
  return fail(Errc::malformed, "tlog-proof: " + std::to_string(proof.hashes.size()) +
                                   " hashes where the tree needs " + std::to_string(wanted.size()));
}

}  // namespace

std::string encode_tlog_proof(const TlogProof& proof) {
  std::string out(kFirstLine);
  if (proof.extra) out += "extra " + base::encode_base64(base::as_bytes(*proof.extra)) + "\n";
  out += "index " + std::to_string(proof.index) + "\n";
  for (const Digest& hash : proof.hashes) out += hash.base64() + "\n";
  return out + "\n" + proof.checkpoint;
}

Result<TlogProof> parse_tlog_proof(std::string_view text) {
  if (text.size() > record::kMaxNoteBytes) return fail(Errc::too_large, "tlog-proof");
  if (!text.starts_with(kFirstLine)) return fail(Errc::malformed, "tlog-proof: wrong first line");
  text.remove_prefix(kFirstLine.size());
  TlogProof out;
  auto line = take_line(text);
  if (line && line->starts_with("extra ")) {
    auto bytes = base::decode_base64(line->substr(6));
    if (!bytes) return Unexpected(std::move(bytes).error().with_context("tlog-proof: extra"));
    if (bytes->size() > kMaxExtraBytes) return fail(Errc::too_large, "tlog-proof: extra");
    out.extra = std::string(base::as_text(*bytes));
    line = take_line(text);
  }
  if (!line || !line->starts_with("index "))
    return fail(Errc::malformed, "tlog-proof: no line `index`");
  auto index = line->substr(6) == "0" ? Result<std::uint64_t>(std::uint64_t{0})
                                      : record::parse_size(line->substr(6));
  if (!index) return Unexpected(std::move(index).error().with_context("tlog-proof: index"));
  out.index = *index;
  for (line = take_line(text); line && !line->empty(); line = take_line(text)) {
    auto hash = Digest::from_base64(*line);
    if (!hash) return Unexpected(std::move(hash).error().with_context("tlog-proof: hash"));
    if (out.hashes.size() == kMaxHashes) return fail(Errc::malformed, "tlog-proof: too long");
    out.hashes.push_back(*hash);
  }
  if (!line) return fail(Errc::malformed, "tlog-proof: no checkpoint");
  out.checkpoint = text;
  auto checkpoint = checkpoint_of(out);
  if (!checkpoint) return Unexpected(std::move(checkpoint).error().with_context("tlog-proof"));
  if (auto ok = check_length(out, checkpoint->size); !ok) return Unexpected(std::move(ok).error());
  return out;
}

Result<void> check_tlog_proof(const TlogProof& proof, const record::LeafHash& leaf) {
  auto checkpoint = checkpoint_of(proof);
  if (!checkpoint) return Unexpected(std::move(checkpoint).error());
  return record::verify_inclusion(leaf, proof.index, checkpoint->size, proof.hashes,
                                  checkpoint->root);
}

Result<TlogProof> prove_record(const LedgerReader& reader, std::uint64_t seq, ProofHead which) {
  if (seq >= reader.size()) {
    return fail(Errc::usage, "no record " + std::to_string(seq) + ": the ledger has " +
                                 std::to_string(reader.size()));
  }
  StoredCheckpoint head = reader.tail();
  if (which == ProofHead::first) {
    auto first = reader.checkpoint_from(seq + 1);
    if (!first) return Unexpected(std::move(first).error());
    if (*first) head = std::move(**first);
  }
  const std::uint64_t size = head.checkpoint.size;
  record::NodeCollector nodes;
  nodes.want_inclusion(seq, size);
  record::MerkleFrontier tree;
  auto ok = reader.read_hashes(0, size, [&](const StoredRecord& stored) {
    nodes.append(stored.leaf_hash);
    tree.append(stored.leaf_hash);
    return true;
  });
  if (!ok) return Unexpected(std::move(ok).error());
  if (tree.root() != head.checkpoint.root) {
    return fail(Errc::mismatch,
                "the records do not give the root of checkpoint " + std::to_string(size));
  }
  return TlogProof{std::nullopt, seq, nodes.inclusion(seq, size), std::move(head.note)};
}

Result<TlogProof> prove_from_tiles(const std::string& directory, std::uint64_t index) {
  auto files = TileFiles::open(directory);
  if (!files) return Unexpected(std::move(files).error());
  auto note = files->checkpoint();
  if (!note) return Unexpected(std::move(note).error());
  if (note->empty()) return fail(Errc::not_found, directory + "/checkpoint");
  TlogProof out{std::nullopt, index, {}, std::move(*note)};
  auto head = checkpoint_of(out);
  if (!head) return Unexpected(std::move(head).error().with_context(directory + "/checkpoint"));
  if (index >= head->size) {
    return fail(Errc::usage, "no entry " + std::to_string(index) + ": " + directory + " shows " +
                                 std::to_string(head->size));
  }
  TileRoots roots(*files, head->size);
  out.hashes =
      record::inclusion_proof(record::RangeRoot([&](std::uint64_t first, std::uint64_t count) {
                                return roots.root_of(first, count);
                              }),
                              index, head->size);
  const Digest leaf = roots.root_of(index, 1);
  if (!roots.result()) return Unexpected(base::Error(roots.result().error()));
  auto ok = check_tlog_proof(out, leaf);
  if (!ok) return Unexpected(std::move(ok).error().with_context(directory));
  return out;
}

}  // namespace ethos::ledger
