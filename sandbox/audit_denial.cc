// SPDX-License-Identifier: Apache-2.0
#include "sandbox/audit_denial.h"

#include <utility>

#include "sandbox/based_path.h"

namespace ethos::sandbox {

Denial describe(AuditDenial heard, const Plan& plan) {
  Denial out;
  out.source = DenialSource::landlock_audit;
  out.operation = "landlock";
  out.object = std::move(heard.object);
  out.object_kind = heard.object_kind;
  out.object_mark = Mark::kernel;
  out.error = heard.error;
  out.rule = std::move(heard.blockers);
  out.reason = "the kernel's Landlock";
  if (heard.object_kind == "path") {
    out.object = fitting_path(plain_path(out.object));
    out.where = based_path(out.object, plan.workspace);
  }
  return out;
}

}  // namespace ethos::sandbox
