// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ethos::reports {

// UUID version 5 (RFC 9562 section 5.5) of a name in this program's own namespace: the same name
// gives the same id on every host.
std::string uuid_of(std::string_view name);

}  // namespace ethos::reports
