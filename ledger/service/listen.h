// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

namespace ethos::ledger::service {

struct SocketPlace {
  std::string path;
  mode_t mode = 0660;
  std::optional<gid_t> group;  // the socket's group; the process's own when absent
};

// A listening unix socket under a name of its own: made with its final mode, then renamed, so that
// nobody can connect before. A socket that nobody answers is replaced; Errc::busy when somebody
// does; Errc::exists for anything else under the name.
base::Result<base::UniqueFd> listen_at(const SocketPlace& place);

// The one socket that the service manager passes ($LISTEN_PID, $LISTEN_FDS): descriptor 3. Empty
// when none is passed; Errc::refused for more than one, or for anything but a listening unix stream
// socket.
base::Result<std::optional<base::UniqueFd>> inherited_socket();

// Connects to the service; Errc::not_found when there is no socket, Errc::busy when nobody answers.
base::Result<base::UniqueFd> connect_to(const std::string& path);

}  // namespace ethos::ledger::service
