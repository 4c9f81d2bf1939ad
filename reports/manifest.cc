// SPDX-License-Identifier: Apache-2.0
#include "reports/manifest.h"

#include "reports/json_out.h"
#include "reports/redaction.h"
#include "reports/redo.h"
#include "reports/words.h"

namespace ethos::reports {

void write_files(const std::vector<WrittenFile>& files, JsonOut& out) {
  out.key("files").open_list();
  for (const WrittenFile& file : files) {
    out.line().open_object().member("name", file.name).member("bytes", file.size);
    out.member("sha256", file.digest).close_object();
  }
  out.line().close_list();
}

void write_manifest(const Model& model, const Options& options, const OutputPlan& plan,
                    const std::vector<WrittenFile>& files, Sink& sink) {
  JsonOut out(sink);
  out.open_object()
      .member("format", "ethos-report-manifest/1")
      .member("generator", model.generator);
  out.line().member("verified", model.verified).member("origin", model.source.origin);
  out.member("evidence", options.bundle.empty() ? "ledger" : "bundle");
  out.member("size", model.source.size).member("root", model.source.root);
  out.line().member("checkpoint", model.source.checkpoint);
  out.line().member("pin", model.verdict.pin_fingerprint);
  out.member("freshness", model.verdict.result_of("freshness"));
  out.member("verifier", model.verdict.verifier);
  out.member("verifier_sha256", model.verifier_digest);
  out.member("generator_sha256", model.generator_digest);
  out.line().member("period", model.period.text()).member("zone", model.zone.name());
  out.member("zone_digest", model.zone.digest()).member("tzdata", model.tzdata);
  out.line().key("options").open_object().member("title", options.title);
  out.member("organisation", options.organisation).member("csv_raw", options.csv_raw);
  out.member("arguments", options.arguments);
  out.member("unverified", options.unverified).member("sample", options.sample);
  out.member("controls", model.control_map.digest);
  out.member("baseline", options.baseline).member("against", options.against);
  out.member("baseline_ledger", model.comparison.from.ledger);
  out.member("seed", options.seed).key("formats").open_list();
  for (const std::string& format : options.formats) out.text(format);
  out.close_list().close_object();
  if (plan.pdf) out.member("pdf_engine", plan.pdf->version);
  if (model.redaction) {
    out.line().key("redaction").open_object().member("applied", model.redaction->is_applied);
    out.member("digest", model.redaction->digest).member("content", content_digest(model));
    out.member("counterpart", model.redaction->counterpart).close_object();
  }
  out.member("head", utc_ms_text(model.source.head_ms));
  out.line();
  write_files(files, out);
  out.line().key("redo").open_list();
  for (const std::string& command : redo_commands(model)) out.line().text(command);
  out.line().close_list().close_object();
  out.flush();
  sink.write("\n");
}

void write_sums(const std::vector<WrittenFile>& files, Sink& sink) {
  for (const WrittenFile& file : files) sink.write(file.digest + "  " + file.name + "\n");
}

}  // namespace ethos::reports
