// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "ledger/base/result.h"
#include "ledger/base/unique_fd.h"

namespace ethos::sandbox {

// Gives a new file what the regular file `old` (an O_PATH descriptor will do) has beside owner and
// mode: its access list, or none where a directory's default list gave one, and its attributes of
// the name space `user`. Without the list, the mask that stands in the mode of a file with one
// would be the group's right. What the system itself puts on files (security, trusted) is not
// copied. The mode is to be set afterwards.
[[nodiscard]] base::Result<void> keep_attributes(const base::UniqueFd& to,
                                                 const base::UniqueFd& old,
                                                 const std::string& name);

// The mode for what comes out of a layer without the access list that `from` has there: in the mode
// of such a file stands the mask, and its own group may have less.
[[nodiscard]] base::Result<mode_t> mode_without_list(const base::UniqueFd& from, mode_t mode,
                                                     const std::string& name);
// Whether `file` has an access list, which a change of its mode then bounds.
[[nodiscard]] bool has_access_list(const base::UniqueFd& file);

}  // namespace ethos::sandbox
