// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

constexpr std::uint64_t kMaxSeconds = std::uint64_t{366} * 86'400;

}  // namespace

void define_service(CLI::App& app, Parsed& parsed) {
  CLI::App* serve = add_command(
      app, parsed, "serve",
      "Write this ledger for many producers, in group commits, over a unix socket; until SIGTERM");
  add_passphrase(*serve, parsed);
  auto o = std::make_shared<ServeCommand>();
  serve->add_option("--socket", o->socket,
                    "Its path (default: <ledger>.sock; ignored when a socket is passed in)");
  serve->add_option("--socket-group", o->socket_group, "The socket's group; its mode is 0660");
  serve->add_option("--allow-user", o->users,
                    "A user who may hand in records (default: the service's own); may be repeated");
  serve->add_option("--allow-group", o->groups, "A group whose members may; may be repeated");
  serve->add_option("--cage-user", o->cage_users,
                    "A user for whom the service builds cages too (ethos-run --by-service); may be "
                    "repeated; needs root");
  serve->add_option("--cage-group", o->cage_groups,
                    "A group for whose members it does; may be repeated; needs root");
  serve->add_option("--cage-ceiling", o->cage_ceiling,
                    "Their ceiling (default: /etc/ethos/ceiling.json)");
  base::whole_number(
      serve->add_option("--absence", o->absence_seconds,
                        "Seconds that a run waits for its producer to come back (default 10)"),
      0, kMaxSeconds);
  base::whole_number(
      serve->add_option("--idle-exit", o->idle_exit_seconds,
                        "End after so many seconds without producers, for socket activation"),
      0, kMaxSeconds);
  set_action(*serve, parsed, [o](const LedgerFiles& files, const Console& console) {
    o->files = files;
    return ledger::serve(*o, console);
  });
}

}  // namespace ethos::ledger
