// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "ledger/base/file_io.h"
#include "ledger/commands/actions.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/tile_tree.h"
#include "ledger/tlog_proof.h"

namespace ethos::ledger {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

Result<void> tiles(const TilesCommand& command, const Console& console) {
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = reader->check_not_behind(); !ok) return ok;
  auto source = tile_source(*reader);
  if (!source) return Unexpected(std::move(source).error());
  auto done = update_tiles(*source, command.directory,
                           command.drops_partials ? Partials::drop : Partials::keep);
  if (!done) return Unexpected(std::move(done).error());
  if (command.as_json) {
    auto text = record::encode_canonical(record::Json::object()
                                             .set("files", done->files)
                                             .set("old_size", done->old_size)
                                             .set("size", done->size));
    if (!text) return Unexpected(std::move(text).error());
    console.out << *text << "\n";
  }
  console.say("published " + std::to_string(done->size) + " records in " + command.directory +
              " (" + std::to_string(done->old_size) + " before), " + std::to_string(done->files) +
              " files");
  return {};
}

Result<void> proof(const ProofCommand& command, const Console& console) {
  if (!command.tiles.empty() && command.from_first)
    return fail(Errc::usage, "--tiles and --first exclude each other");
  auto made = [&]() -> Result<TlogProof> {
    if (!command.tiles.empty()) return prove_from_tiles(command.tiles, command.seq);
    auto reader = LedgerReader::open(command.files);
    if (!reader) return Unexpected(std::move(reader).error());
    if (auto ok = reader->check_not_behind(); !ok) return Unexpected(std::move(ok).error());
    return prove_record(*reader, command.seq,
                        command.from_first ? ProofHead::first : ProofHead::last);
  }();
  if (!made) return Unexpected(std::move(made).error());
  const std::string text = encode_tlog_proof(*made);
  if (command.out.empty() || command.out == "-") {
    console.out << text;
    return {};
  }
  if (auto ok = base::replace_file(command.out, base::as_bytes(text), {}); !ok) return ok;
  console.say("wrote " + command.out + ": record " + std::to_string(command.seq) + ", " +
              std::to_string(made->hashes.size()) + " hashes");
  return {};
}

}  // namespace ethos::ledger
