// SPDX-License-Identifier: Apache-2.0
// An archive that somebody handed over: what is read of it is in it, in order, and a limit only
// shortens it.
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "ledger/base/unique_fd.h"
#include "reports/bundle_file.h"
#include "reports/disclosure_file.h"
#include "tests/fuzz/property.h"

namespace {

using namespace ethos::reports;
using ethos::fuzz::require;

struct Read {
  bool is_good = false;
  std::int64_t count = 0;
  std::vector<std::string> records;  // a dropped one as its hash
  std::size_t bytes = 0;
};

Read read(const std::string& path, std::int64_t limit) {
  Read out;
  const auto add = [&out](std::uint64_t seq, std::string_view bytes) {
    require(seq == out.records.size());
    out.records.emplace_back(bytes);
    out.bytes += bytes.size();
  };
  const auto dropped = [&add](std::uint64_t seq, std::string_view hash) {
    require(hash.size() == 32);
    add(seq, hash);
  };
  const auto count = read_bundle(path, limit, add, dropped);
  out.is_good = static_cast<bool>(count);
  if (count) out.count = *count;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ethos::base::UniqueFd fd(::memfd_create("bundle", MFD_CLOEXEC));
  require(fd.is_open());
  require(::write(fd.get(), data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(fd.get());
  const Read all = read(path, 0);
  if (all.is_good) {
    require(all.count == static_cast<std::int64_t>(all.records.size()));
    // A hash may stand for many dropped records, each of which takes two bytes; nothing else is
    // read twice.
    require(all.bytes <= size + 32 * all.records.size());
    const std::int64_t limit = all.count / 2;
    const Read part = read(path, limit);
    require(part.is_good && (limit == 0 || part.count == limit));
    for (std::size_t i = 0; i < part.records.size(); ++i)
      require(part.records[i] == all.records[i]);
  }
  const std::vector<std::string> wanted = {std::string(32, 'w'), std::string(32, '\0')};
  const auto opened =
      read_bundle_disclosures(path, wanted, [&](std::size_t index, const Disclosed& value) {
        require(index < wanted.size());
        require(value.salt.size() == 32);
      });
  require(opened || !all.is_good);
  return 0;
}
