// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/reading.h"

#include <cerrno>
#include <string>

#include "sarif/json/copy.h"

namespace ethos::sarif {
namespace {

using base::Errc;
using base::fail;

using Handler = std::function<base::Result<void>(std::size_t, const JsonView&)>;

class ResultWalk {
 public:
  ResultWalk(JsonReader& reader, const Handler& handle) : reader_(reader), handle_(handle) {}

  base::Result<void> log() {
    const JsonEvent first = reader_.next();
    if (first == JsonEvent::error) return reader_failure(reader_);
    if (first != JsonEvent::begin_object) return fail(Errc::malformed, "not a SARIF log");
    auto done = members([this](std::string_view key, JsonEvent event) {
      if (key == "version" && event == JsonEvent::string) return version();
      if (key == "runs" && event == JsonEvent::begin_array) return runs();
      has_runs_ = has_runs_ || key == "runs";  // null: a log without runs
      return skip(event);
    });
    if (!done) return done;
    if (reader_.next() != JsonEvent::end) return reader_failure(reader_);
    if (!has_version_ || !has_runs_) {
      return fail(Errc::malformed, "not a SARIF log: version or runs is missing");
    }
    return {};
  }

 private:
  // Calls `use(key, first event of the value)` for each member; `use` reads the value.
  template <typename Use>
  base::Result<void> members(Use use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string key(reader_.text());
      auto done = use(key, reader_.next());
      if (!done) return done;
    }
    return {};
  }

  // Calls `use(first event)` for each element.
  template <typename Use>
  base::Result<void> elements(Use use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_array; event = reader_.next()) {
      if (event == JsonEvent::error) return reader_failure(reader_);
      auto done = use(event);
      if (!done) return done;
    }
    return {};
  }

  base::Result<void> skip(JsonEvent event) {
    if (!skip_value(reader_, event)) return reader_failure(reader_);
    return {};
  }

  base::Result<void> version() {
    has_version_ = true;
    return check_version(reader_.text());
  }

  base::Result<void> runs() {
    has_runs_ = true;
    std::size_t index = 0;
    return elements([&](JsonEvent event) {
      const std::size_t run = index++;
      if (event != JsonEvent::begin_object) return skip(event);
      return members([&](std::string_view key, JsonEvent value) {
        if (key != "results" || value != JsonEvent::begin_array) return skip(value);
        return elements([&](JsonEvent first) -> base::Result<void> {
          if (!fragment_.capture(reader_, first, kMaxElementBytes)) {
            return capture_failure(reader_, fragment_);
          }
          return handle_(run, fragment_.root());
        });
      });
    });
  }

  JsonReader& reader_;
  const Handler& handle_;
  JsonFragment fragment_;
  bool has_version_ = false;
  bool has_runs_ = false;
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
