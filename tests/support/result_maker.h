// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "ledger/base/result.h"

// A failed REQUIRE(result) shows the error.
namespace Catch {
template <typename T>
struct StringMaker<ethos::base::Result<T>> {
  static std::string convert(const ethos::base::Result<T>& result) {
    return result ? std::string("(a value)") : "error: " + result.error().message();
  }
};
}  // namespace Catch

namespace ethos::support {

// The code of a result that must have failed; the test fails when it did not.
template <typename T>
base::Errc code_of(const base::Result<T>& result) {
  REQUIRE_FALSE(result);
  return result.error().code;
}

}  // namespace ethos::support
