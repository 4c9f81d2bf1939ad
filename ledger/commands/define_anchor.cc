// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

constexpr std::uint32_t kMaxTimeout = 600;

void define_time_stamp(CLI::App& app, Parsed& parsed) {
  CLI::App* anchor = add_command(app, parsed, "anchor",
                                 "Have the last checkpoint time-stamped (RFC 3161) and record it");
  add_passphrase(*anchor, parsed);
  auto o = std::make_shared<AnchorCommand>();
  anchor->add_option("--tsa", o->tsa, "URL of the time stamp authority, asked through curl");
  anchor->add_option("--prepare", o->prepare,
                     "Only write a request to this file, to be sent in another way");
  anchor->add_option("--request", o->request, "The request that --response answers");
  anchor->add_option("--response", o->response, "What the authority answered to --request");
  anchor->add_option("--ca", o->ca, "PEM file of the root certificates that may vouch for it");
  anchor->add_option("--intermediates", o->intermediates,
                     "PEM file of certificates that the answer does not bring along");
  base::whole_number(
      anchor->add_option("--timeout", o->timeout_seconds, "Seconds to wait for the authority"), 1,
      kMaxTimeout);
  set_action(*anchor, parsed, [o](const LedgerFiles& files, const Console& console) {
    o->files = files;
    return ledger::anchor(*o, console);
  });
}

void define_cosign(CLI::App& app, Parsed& parsed) {
  CLI::App* cosign = add_command(
      app, parsed, "cosign",
      "Have witnesses cosign the last checkpoint (C2SP tlog-witness); they refuse a fork");
  auto o = std::make_shared<CosignCommand>();
  cosign->add_option("--policy", o->policy, "Witnesses and quorum (a C2SP tlog-policy file)")
      ->required();
  base::whole_number(
      cosign->add_option("--timeout", o->timeout_seconds, "Seconds to wait for each witness"), 1,
      kMaxTimeout);
  set_action(*cosign, parsed, [o](const LedgerFiles& files, const Console& console) {
    o->files = files;
    return ledger::cosign(*o, console);
  });
}

}  // namespace

void define_anchors(CLI::App& app, Parsed& parsed) {
  define_time_stamp(app, parsed);
  define_cosign(app, parsed);
}

}  // namespace ethos::ledger
