// SPDX-License-Identifier: Apache-2.0
#include "verify/session_outputs.h"

#include <sys/stat.h>

#include <tuple>
#include <utility>

#include "verify/commands.h"
#include "verify/earlier_output.h"
#include "verify/junit.h"
#include "verify/output_file.h"
#include "verify/transcript.h"

namespace ethos::verify {
namespace {

int failed(const char* option, const Error& error, std::ostream& err) { return complain(err, exit_unverifiable, std::string(option) + ": " + error.what); }

// A result that does not hold is no result to sign: only a summary may say FAILED.
int write_statement(const SessionOptions& options, const SessionInputs& inputs, const AttestationPlan& plan, const AuditReport& report,
                    const ReportContext& context, std::ostream& err) {
  if (plan.type == StatementType::svr && context.exit != exit_verified) {
    return complain(err, context.exit, "--attest: not written, because not everything passed (--attest-type vsa can say FAILED; --at an earlier signed state speaks of that one only)");
  }
  if (!report.checkpoint) return complain(err, context.exit, "--attest: not written, because there is no checkpoint to speak of");
  const bool is_ledgers = plan.key && (plan.key->vkey().name == report.origin || plan.key->vkey().name.starts_with(report.origin + "/"));
  if (is_ledgers) return complain(err, exit_usage, "--attest-key: a key of the ledger itself; make one of your own");
  const std::string statement = verification_statement(plan.type, report, context, inputs, options.now_ms);
  const auto done = replace_file(options.attest, (plan.key ? sign_statement(statement, *plan.key) : statement) + "\n");
  return done ? 0 : failed("--attest", done.error(), err);
}

}  // namespace

int prepare_outputs(const SessionOptions& options, AttestationPlan& plan, std::ostream& err) {
  for (const auto& [option, file] : {std::pair{"--memory", &options.memory}, {"--junit", &options.junit}, {"--transcript", &options.transcript}, {"--attest", &options.attest}}) {
    const auto slash = file->rfind('/');
    if (file->empty() || slash == std::string::npos) continue;
    const std::string folder = file->substr(0, slash + 1);
    struct stat st {};
    if (::stat(folder.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return complain(err, exit_usage, std::string(option) + " " + *file + ": there is no directory " + folder);
  }
  for (const auto& [option, file, kind] : {std::tuple{"--junit", &options.junit, OutputKind::junit}, {"--transcript", &options.transcript, OutputKind::transcript}, {"--attest", &options.attest, options.attest_key.empty() ? OutputKind::statement : OutputKind::signed_statement}}) {
    const auto other = file->empty() ? std::nullopt : other_file(kind, *file);
    if (other) return complain(err, exit_usage, std::string(option) + " " + *other);
  }
  if (options.attest.empty() && !options.attest_key.empty()) return complain(err, exit_usage, "--attest-key needs --attest FILE");
  if (options.attest_type != "svr" && options.attest_type != "vsa") return complain(err, exit_usage, "--attest-type is svr or vsa");
  plan.type = options.attest_type == "vsa" ? StatementType::vsa : StatementType::svr;
  if (options.attest_key.empty()) return 0;
  auto key = StatementKey::read(options.attest_key);
  if (!key) return complain(err, exit_usage, "--attest-key: " + key.error().what);
  plan.key.emplace(*std::move(key));
  return 0;
}

int write_outputs(const SessionOptions& options, const SessionInputs& inputs, const AttestationPlan& plan, const AuditReport& report,
                  const ReportContext& context, Spool& runs, std::ostream& err) {
  if (!options.junit.empty()) {
    const auto done = replace_file(options.junit, [&](std::ostream& out) { return write_junit(out, report, context); });
    if (!done) return failed("--junit", done.error(), err);
  }
  if (!options.transcript.empty()) {
    const auto done = replace_file(options.transcript, [&](std::ostream& out) { return write_transcript(out, options, report, context, runs); });
    if (!done) return failed("--transcript", done.error(), err);
  }
  return options.attest.empty() ? 0 : write_statement(options, inputs, plan, report, context, err);
}

}  // namespace ethos::verify
