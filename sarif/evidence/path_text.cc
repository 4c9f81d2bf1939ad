// SPDX-License-Identifier: Apache-2.0
#include "sarif/evidence/path_text.h"

#include "ledger/base/base64.h"

namespace ethos::sarif {

std::string path_text(const JsonView& path) {
  if (path.find("commit")) return "(withheld)";
  if (path.find("path_b64")) return "base64:" + text_of(path, "path_b64");
  const std::string base = text_of(path, "base");
  const std::string plain = text_of(path, "path");
  if (base == "workspace") return plain;
  const std::string root = base == "scratch" ? "/tmp" : "";
  if (plain == ".") return root.empty() ? "/" : root;
  return root + "/" + plain;
}

std::optional<std::string> workspace_path(const JsonView& path) {
  if (text_of(path, "base") != "workspace") return std::nullopt;
  if (const auto encoded = path.find("path_b64")) {
    const auto bytes = base::decode_base64(encoded->text());
    if (!bytes) return std::nullopt;
    return base::to_string(*bytes);
  }
  const auto plain = path.find("path");
  if (!plain || !plain->is_string()) return std::nullopt;
  return plain->text();
}

}  // namespace ethos::sarif
