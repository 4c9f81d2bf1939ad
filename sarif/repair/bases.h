// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/result.h"
#include "sarif/json/byte_source.h"

namespace ethos::sarif {

// originalUriBaseIds of one run: what its relative URIs are relative to. SARIF 2.1.0
// section 3.14.14.
class Bases {
 public:
  void add(std::string name, std::string uri, std::string parent);
  // The base as a file: URI of this machine that ends in "/"; empty when it is not known, is none,
  // or leads round in a circle.
  [[nodiscard]] std::string resolve(std::string_view name) const;

 private:
  struct Base {
    std::string uri;
    std::string parent;
  };
  std::map<std::string, Base, std::less<>> bases_;
};

// The bases of each run. They may stand behind the results, so a log is read for them first.
[[nodiscard]] base::Result<std::vector<Bases>> read_bases(ByteSource& source);

}  // namespace ethos::sarif
