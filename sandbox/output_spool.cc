// SPDX-License-Identifier: Apache-2.0
#include "sandbox/output_spool.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "ledger/base/random.h"
#include "ledger/bulk_hash.h"

namespace ethos::sandbox {
namespace {

using base::Result;

record::Digest digest_with(const record::Salt& salt, std::string_view bytes) {
  ledger::BulkSha256 hash(bytes.size());
  hash.update(record::commitment_prefix(salt, bytes.size()));
  hash.update(base::as_bytes(bytes));
  return hash.finish();
}

}  // namespace

Result<OutputSpool> OutputSpool::create(const char* name) {
  base::UniqueFd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd.is_open()) return base::fail_errno("output buffer", errno);
  return OutputSpool(std::move(fd));
}

OutputSpool::OutputSpool(OutputSpool&& other) noexcept
    : fd_(std::move(other.fd_)),
      map_(std::exchange(other.map_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

OutputSpool::~OutputSpool() {
  if (map_ != nullptr) ::munmap(map_, size_);
}

Result<std::string_view> OutputSpool::bytes() {
  struct stat st {};
  if (::fstat(fd_.get(), &st) != 0) return base::fail_errno("output buffer", errno);
  const auto size = static_cast<std::size_t>(st.st_size);
  if (map_ == nullptr && size > 0) {
    void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_.get(), 0);
    if (map == MAP_FAILED) return base::fail_errno("output buffer", errno);
    map_ = map;
    size_ = size;
  }
  return std::string_view(static_cast<const char*>(map_), size_);
}

Result<OutputFact> capture(const char* stream, const StreamResult& result, OutputSpool& spool,
                           bool keeps, std::vector<record::Disclosure>& disclosures) {
  auto bytes = spool.bytes();
  if (!bytes) return base::Unexpected(std::move(bytes).error());
  if (bytes->size() > record::kMaxDisclosureBytes)
    return base::fail(base::Errc::too_large,
                      std::string(stream) + " is longer than a commitment may cover");
  record::Disclosure disclosure;
  disclosure.salt = base::random_bytes<32>();
  disclosure.commitment = {digest_with(disclosure.salt, *bytes), "output", bytes->size()};
  OutputFact out;
  out.stream = stream;
  out.bytes = result.bytes;
  out.is_truncated = result.is_truncated || bytes->size() != result.bytes;
  out.data["c"] = disclosure.commitment.c.base64();
  out.data["kind"] = disclosure.commitment.kind;
  out.data["n"] = static_cast<std::int64_t>(bytes->size());
  if (keeps) {
    disclosure.bytes = *bytes;
    disclosures.push_back(std::move(disclosure));
  }
  return out;
}

}  // namespace ethos::sandbox
