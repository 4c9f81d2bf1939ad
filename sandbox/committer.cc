// SPDX-License-Identifier: Apache-2.0
#include "sandbox/committer.h"

#include <cassert>

#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "sandbox/path_text.h"

namespace ethos::sandbox {
namespace {

bool is_list_key(std::string_view key) {
  return key == "patterns" || key == "fixed" || key == "pass";
}

// The Path that an object {base, path} or {base, path_b64} stands for.
BasedPath decode_host_path(const Json::Object& object) {
  BasedPath out{Base::host, {}};
  if (const auto it = object.find("path"); it != object.end()) {
    out.path = *it->second.text();
  } else if (const auto b64 = object.find("path_b64"); b64 != object.end()) {
    const auto bytes = ethos::base::decode_base64(*b64->second.text());
    assert(bytes);
    out.path = ethos::base::to_string(*bytes);
  }
  return out;
}

}  // namespace

Json Committer::commit(std::string_view kind, std::string bytes) {
  auto made = record::commit_to(kind, std::move(bytes));
  assert(made);
  Json out;
  out["c"] = made->commitment.c.base64();
  out["kind"] = made->commitment.kind;
  out["n"] = static_cast<std::int64_t>(made->commitment.size);
  disclosures_.push_back(std::move(*made));
  return out;
}

Json Committer::path(const BasedPath& path) {
  if (!is_private_place(path)) return encode_path(path);
  Json out;
  out["base"] = base_text(path.base);
  out["commit"] = commit("path", path.path);
  return out;
}

Json Committer::grant(const Json& body) {
  Json out = body;
  for (const auto& [key, value] : *body.object()) {
    if (is_list_key(key)) {
      std::string bytes = value.encode();
      if (bytes.size() > kMaxListBytes) out[key] = commit("list", std::move(bytes));
    } else if (const Json::Object* object = value.object();
               object != nullptr && object->contains("base")) {
      if (*object->at("base").text() == base_text(Base::host))
        out[key] = path(decode_host_path(*object));
    }
  }
  return out;
}

bool is_private_place(const BasedPath& path) {
  if (path.base != Base::host) return false;
  const std::string_view p = path.path;
  constexpr std::string_view kHome = "home/";
  return p == "root" || p.starts_with("root/") || (p.starts_with(kHome) && p.size() > kHome.size());
}

}  // namespace ethos::sandbox
