// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/validate.h"

#include <optional>

#include "sarif/validate/checks.h"
#include "sarif/validate/source_checks.h"
#include "sarif/validate/upload_size.h"
#include "sarif/validate/walker.h"

namespace ethos::sarif::validation {
namespace {

// Hands each object that has ended to the checks that are about it.
class Checks final : public Listener {
 public:
  explicit Checks(Context& context) : context_(context) {}

  void begin_run() override { context_.run = RunState(context_.hasher); }

  void end(const Value& object) override {
    check_parts(context_, object);
    switch (object.type()) {
      case Type::result:
        check_result(context_, object);
        break;
      case Type::reporting_descriptor:
        check_descriptor(context_, object);
        break;
      case Type::tool_component:
        check_component(context_, object);
        break;
      case Type::invocation:
        check_invocation(context_, object);
        break;
      case Type::notification:
        note_notification(context_, object);
        break;
      case Type::run:
        check_run(context_, object);
        break;
      case Type::sarif_log:
        check_log(context_, object);
        break;
      default:
        count_entry(object);
        break;
    }
  }

 private:
  // An element of one of the run's own arrays.
  void count_entry(const Value& object) {
    const bool is_element = object.has_parent() && object.parent().is_array() &&
                            object.parent().parent().type() == Type::run;
    if (!is_element) return;
    switch (object.type()) {
      case Type::artifact:
      case Type::logical_location:
      case Type::address:
        check_table_entry(context_, object);
        break;
      case Type::graph:
        add(ClaimKind::graph);
        break;
      case Type::thread_flow_location:
        add(ClaimKind::step);
        break;
      case Type::web_request:
        add(ClaimKind::web_request);
        break;
      case Type::web_response:
        add(ClaimKind::web_response);
        break;
      default:
        break;
    }
  }
  void add(ClaimKind kind) { ++context_.run.counts[static_cast<std::size_t>(kind)]; }

  Context& context_;
};

void report_size(Reporter& reporter, const std::string& message) {
  reporter.add(
      Check::file_too_large, {0, 1, 1}, [] { return std::string(); },
      [&message] { return message; });
}

}  // namespace

Report validate(ByteSource& source, const Options& options) {
  Report report;
  Reporter reporter(options, report);
  const ItemHasher hasher;
  Context context(reporter, hasher, report);
  std::optional<SourceChecks> sources;
  if (!options.root.empty()) {
    auto opened = SourceChecks::open(options.root);
    if (opened) {
      sources.emplace(std::move(*opened));
      context.sources = &*sources;
    } else {
      report.root_failure = opened.error().message();
    }
  }
  Checks checks(context);
  std::optional<UploadSize> upload;
  if (options.profile == Profile::github) upload.emplace(source, kGithubMostGzip);
  ByteSource& bytes = upload ? static_cast<ByteSource&>(*upload) : source;
  Walker walker(bytes, options, reporter, report, checks);
  walker.walk();
  if (upload && report.is_readable() && upload->is_too_large()) {
    report_size(reporter, "The file is larger than 10 MB behind gzip.");
  }
  if (options.profile == Profile::gitlab && report.bytes > kGitlabMostBytes) {
    report_size(reporter,
                "The file has " + std::to_string(report.bytes) + " bytes; the limit is 10 MiB.");
  }
  reporter.finish();
  return report;
}

}  // namespace ethos::sarif::validation
