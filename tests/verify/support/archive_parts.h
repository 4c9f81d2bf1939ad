// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "tests/verify/support/verify_run.h"
#include "verify/archive.h"
#include "verify/encoding.h"

namespace ethos::support {

// An archive taken apart and put together again in the one form.
inline std::map<std::string, std::string> members_of(const std::string& bytes) {
  const TempDir dir;
  save(dir.file("a"), bytes);
  auto archive = verify::Archive::open(dir.file("a"));
  if (!archive) throw std::runtime_error(archive.error().what);
  std::map<std::string, std::string> out;
  for (const auto& [name, member] : archive->members()) out[name] = *archive->read(member);
  return out;
}

inline std::string archive_of(const std::map<std::string, std::string>& members) {
  std::string out;
  for (const auto& [name, bytes] : members) {
    out += verify::ustar_header(name, bytes.size()) + bytes;
    out.append((512 - bytes.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

inline std::string base32_of(const std::string& bytes) { return verify::encode_base32(bytes); }

}  // namespace ethos::support
