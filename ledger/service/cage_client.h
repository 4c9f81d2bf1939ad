// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"
#include "ledger/service/wire.h"

namespace ethos::ledger::service {

// The side of a caller who has the service build the cage (docs/formats/service.md, "Cages").
class CageClient {
 public:
  // Errors as Client::connect.
  static base::Result<CageClient> connect(const std::string& path);

  // Asks once. `descriptors`: standard input, output, error and the current directory.
  base::Result<void> build(const BuildMessage& message,
                           const std::array<int, kBuildDescriptors>& descriptors);
  // After the socket became readable: the exit status once the run is over. An error when the
  // service refuses, or is gone.
  base::Result<std::optional<int>> read_some();
  base::Result<void> cancel(int signal);
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  explicit CageClient(base::UniqueFd socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}
  base::Result<void> send(const std::string& message);
  base::Result<void> receive();
  // The next whole message, length stripped.
  base::Result<std::optional<std::string>> take();
  base::UniqueFd socket_;
  std::string path_;
  std::string in_;
};

}  // namespace ethos::ledger::service
