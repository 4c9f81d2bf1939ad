// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <set>
#include <sstream>

#include "ledger/bundle_writer.h"
#include "ledger/commands/actions.h"
#include "ledger/commands/find_run.h"
#include "ledger/printable.h"
#include "ledger/reader.h"
#include "ledger/record/canonical_json.h"
#include "ledger/record/commitment.h"

namespace ethos::ledger {
namespace {

using base::Errc;
using base::fail;
using base::Result;
using base::Unexpected;

// "evidence", "none", "all" or kinds with commas between; empty means all.
Result<std::optional<std::set<std::string>>> disclosed_kinds(const std::string& text) {
  using Kinds = std::optional<std::set<std::string>>;
  if (text == "all") return Kinds();
  if (text == "none") return Kinds(std::set<std::string>());
  if (text.empty() || text == "evidence") return Kinds(evidence_kinds());
  std::set<std::string> kinds;
  std::istringstream in(text);
  for (std::string kind; std::getline(in, kind, ',');) {
    if (!record::is_commitment_kind(kind)) {
      return fail(Errc::usage, "--disclose: " + printable(kind) + " is no kind");
    }
    kinds.insert(kind);
  }
  return Kinds(std::move(kinds));
}

}  // namespace

Result<void> bundle(const BundleCommand& command, const Console& console) {
  if (!command.run.empty() && (command.from != 0 || command.to)) {
    return fail(Errc::usage, "--run and --from/--to exclude each other");
  }
  if (command.since && command.run.empty()) return fail(Errc::usage, "--since needs --run");
  auto reader = LedgerReader::open(command.files);
  if (!reader) return Unexpected(std::move(reader).error());
  if (auto ok = reader->check_not_behind(); !ok) return ok;
  BundleOptions options;
  options.from = command.from;
  options.to = command.to;
  options.since = command.since;
  options.is_cosigned = command.is_cosigned;
  auto kinds = disclosed_kinds(command.disclose);
  if (!kinds) return Unexpected(std::move(kinds).error());
  options.disclosed = std::move(*kinds);
  if (!command.run.empty()) {
    auto run = find_run(*reader, command.run);
    if (!run) return Unexpected(std::move(run).error());
    options.run = *run;
  }
  const bool to_stdout = command.out == "-";
  if (to_stdout && command.as_json) return fail(Errc::usage, "--json needs a file as output");
  const auto print = [&](base::ByteSpan bytes) -> Result<void> {
    const std::string_view text = base::as_text(bytes);
    console.out.write(text.data(), static_cast<std::streamsize>(text.size()));
    return console.out.good() ? Result<void>() : fail(Errc::io, "standard output");
  };
  auto summary = to_stdout ? write_bundle(*reader, options, print)
                           : write_bundle(*reader, options, command.out);
  if (!summary) return Unexpected(std::move(summary).error());
  if (command.as_json) {
    auto text = record::encode_canonical(record::Json::object()
                                             .set("blobs", summary->blobs)
                                             .set("disclosures", summary->disclosures)
                                             .set("records", summary->records)
                                             .set("size", summary->size));
    if (!text) return Unexpected(std::move(text).error());
    console.out << *text << "\n";
  }
  console.say("wrote " + (to_stdout ? "standard output" : command.out) + ": " +
              std::to_string(summary->records) + " records of " + std::to_string(summary->size) +
              ", " + std::to_string(summary->disclosures) + " disclosures, " +
              std::to_string(summary->blobs) + " blobs");
  return {};
}

}  // namespace ethos::ledger
