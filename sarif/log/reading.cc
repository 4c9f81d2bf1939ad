// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/reading.h"

#include <cerrno>
#include <string>

#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

using Handler = std::function<base::Result<void>(std::size_t, const JsonView&)>;

class ResultWalk : LogWalk {
 public:
  ResultWalk(JsonReader& reader, const Handler& handle) : LogWalk(reader), handle_(handle) {}

  base::Result<void> log() {
    return walk_log([this](std::string_view, JsonEvent value) { return skip(value); },
                    [this](std::size_t index, JsonEvent value) {
                      return value == JsonEvent::begin_object ? run(index) : skip(value);
                    });
  }

 private:
  base::Result<void> run(std::size_t index) {
    return members([&](std::string_view key, JsonEvent value) {
      if (key != "results" || value != JsonEvent::begin_array) return skip(value);
      return elements([&](JsonEvent first) -> base::Result<void> {
        if (!fragment_.capture(reader_, first, kMaxElementBytes)) {
          return capture_failure(reader_, fragment_);
        }
        return handle_(index, fragment_.root());
      });
    });
  }

  const Handler& handle_;
  JsonFragment fragment_;
};

}  // namespace

base::Unexpected reader_failure(const JsonReader& reader) {
  const JsonFault& fault = reader.fault();
  Errc code = Errc::malformed;
  switch (fault.code) {
    case JsonFaultCode::io:
      code = fault.sys == EFBIG ? Errc::too_large : Errc::io;
      break;
    case JsonFaultCode::too_deep:
    case JsonFaultCode::token_too_long:
    case JsonFaultCode::too_many_members:
      code = Errc::too_large;
      break;
    default:
      break;
  }
  return fail(code, fault.message());
}

base::Unexpected capture_failure(const JsonReader& reader, const JsonFragment& fragment) {
  if (!fragment.was_too_large()) return reader_failure(reader);
  return fail(Errc::too_large,
              "line " + std::to_string(reader.line()) + ": one element is larger than " +
                  std::to_string(kMaxElementBytes) + " bytes (at " + reader.pointer() + ")");
}

base::Result<void> check_version(std::string_view version) {
  if (version == "2.1.0") return {};
  return fail(Errc::unsupported,
              "SARIF version \"" + std::string(version.substr(0, 64)) + "\"; only 2.1.0 is read");
}

base::Result<void> for_each_result(JsonReader& reader, const Handler& handle) {
  return ResultWalk(reader, handle).log();
}

}  // namespace ethos::sarif
