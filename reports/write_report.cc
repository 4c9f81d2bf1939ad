// SPDX-License-Identifier: Apache-2.0
#include "reports/write_report.h"

#include <algorithm>
#include <cassert>
#include <ostream>

#include "reports/attest.h"
#include "reports/manifest.h"
#include "reports/output_set.h"
#include "reports/trace.h"

namespace ethos::reports {
namespace {

// The first statement names every other file, the manifest included, and is itself in none of them;
// the second, where it is asked for, is about report.json.
base::Result<void> add_statement(const Model& model, const Options& options, bool with_trace,
                                 OutputSet& set) {
  auto key = read_signer(options.signer, model.source.origin);
  if (!key) return base::Unexpected(std::move(key).error());
  std::vector<Subject> subjects;
  for (const auto& file : set.files()) subjects.emplace_back(file->name(), file->digest());
  auto statement = verification_statement(model, subjects);
  if (!statement) return base::Unexpected(std::move(statement).error());
  std::string line = sign_envelope(*statement, *key);
  if (with_trace) {
    const auto report = std::find_if(subjects.begin(), subjects.end(),
                                     [](const Subject& one) { return one.first == "report.json"; });
    assert(report != subjects.end());  // the format brings it along
    const auto trace = trace_statement(model, *report);
    if (!trace) return base::Unexpected(trace.error());
    line += sign_envelope(*trace, *key);
  }
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
  write_manifest(model, options, plan, set->written(), manifest);
  StringSink sums;
  write_sums(set->written(), sums);
  if (auto added = set->add("SHA256SUMS", [&](Sink& sink) { sink.write(sums.text()); }); !added)
    return added;
  if (auto added = set->add("manifest.json", [&](Sink& sink) { sink.write(manifest.text()); });
      !added)
    return added;
  if (!options.signer.empty()) {
    if (auto added = add_statement(model, options, plan.has("intoto"), *set); !added) return added;
  }
  if (auto committed = set->commit(); !committed) return committed;
  if (out != nullptr) *out << manifest.text();
  return {};
}

}  // namespace ethos::reports
