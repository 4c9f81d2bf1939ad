// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/options.h"
#include "reports/output_set.h"
#include "reports/outputs.h"

namespace ethos::reports {

struct Remade {
  bool is_same = false;
  // A PDF needs the program that made it: without that, it cannot be said to be the same.
  bool is_undecided = false;
  std::vector<std::string> lines;  // one a file: "report.html: same"
  Refusal refusal;                 // text empty when the comparison could be made
};

// Compares files in `directory` with their digests in a manifest and with what was made again.
// `no_pdf`: why report.pdf or fleet.pdf was not made again; empty when it was, or there is none.
// Returns what was made, in order, for the manifest; the PDF that was not made as it lies there.
struct StatedFiles {
  std::map<std::string, std::string> digests;  // name -> 64 hex digits
  std::vector<std::string> names;              // in the order of the manifest
};
std::vector<WrittenFile> compare_files(const std::string& directory, const StatedFiles& files,
                                       const std::vector<Output>& made, const std::string& no_pdf,
                                       Remade& out);

// Compares manifest.json and SHA256SUMS with what was made again, and names files of the directory
// that are none of the report's.
void compare_directory(const std::string& directory, const std::string& manifest,
                       const std::string& manifest_again, const std::vector<WrittenFile>& files,
                       Remade& out);

// Says so when another build made a report than makes it again.
void say_builder(const std::string& own, const std::string& stated, Remade& out);

// The outputs that a manifest asks for; without the PDF, with the reason in `no_pdf`, where the
// program that made it (`engine`) is not here.
OutputPlan plan_again(Options options, const std::string& engine, std::string& no_pdf);

// The same for a manifest, which names the program that made the PDF also where it is not here.
OutputPlan plan_named(OutputPlan plan, const std::string& engine);

// Reads DIR/manifest.json, makes the same report again from the ledger and pin of `options`, and
// compares each file in DIR, its digest in the manifest, and what was made, byte for byte. Nothing
// in DIR is trusted or changed.
Remade remake(const std::string& directory, Options options);

}  // namespace ethos::reports
