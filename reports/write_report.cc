// SPDX-License-Identifier: Apache-2.0
#include "reports/write_report.h"

#include <ostream>

#include "reports/attest.h"
#include "reports/manifest.h"
#include "reports/output_set.h"

namespace ethos::reports {
namespace {

// The statement names every other file, the manifest included, and is itself in none of them.
base::Result<void> add_statement(const Model& model, const Options& options, OutputSet& set) {
  auto key = read_signer(options.signer, model.source.origin);
  if (!key) return base::Unexpected(std::move(key).error());
  std::vector<Subject> subjects;
  for (const auto& file : set.files()) subjects.emplace_back(file->name(), file->digest());
  auto statement = verification_statement(model, subjects);
  if (!statement) return base::Unexpected(std::move(statement).error());
  const std::string line = sign_envelope(*statement, *key);
  return set.add("report.intoto.jsonl", [&line](Sink& sink) { sink.write(line); });
}

}  // namespace

base::Result<void> write_report(const Model& model, const Options& options, const OutputPlan& plan,
                                const std::string& directory, std::ostream* out) {
  const auto outputs = outputs_of(model, plan);
  if (!outputs) return base::Unexpected(outputs.error());
  auto set = OutputSet::open(directory, kReportManifest);
  if (!set) return base::Unexpected(std::move(set).error());
  if (auto added = set->add_all(*outputs); !added) return added;
  StringSink manifest;
  write_manifest(model, options, plan, *set, manifest);
  StringSink sums;
  write_sums(*set, sums);
  if (auto added = set->add("SHA256SUMS", [&](Sink& sink) { sink.write(sums.text()); }); !added)
    return added;
  if (auto added = set->add("manifest.json", [&](Sink& sink) { sink.write(manifest.text()); });
      !added)
    return added;
  if (!options.signer.empty()) {
    if (auto added = add_statement(model, options, *set); !added) return added;
  }
  if (auto committed = set->commit(); !committed) return committed;
  if (out != nullptr) *out << manifest.text();
  return {};
}

}  // namespace ethos::reports
