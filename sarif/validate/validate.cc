// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/validate.h"

#include "sarif/validate/checks.h"
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

}  // namespace

Report validate(ByteSource& source, const Options& options) {
  Report report;
  Reporter reporter(options, report);
  const ItemHasher hasher;
  Context context(reporter, hasher, report);
  Checks checks(context);
  Walker walker(source, options, reporter, report, checks);
  walker.walk();
  reporter.finish();
  return report;
}

}  // namespace ethos::sarif::validation
