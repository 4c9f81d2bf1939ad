// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/input.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <span>

#include "sarif/json/copy.h"
#include "sarif/json/utf8.h"

namespace ethos::sarif {
namespace {

constexpr std::int64_t kMaxPosition = 2147483647;

base::Unexpected json_failure(const JsonReader& reader, const JsonFragment& fragment) {
  using base::Errc;
  if (fragment.was_too_large()) return base::fail(Errc::too_large, "one finding is too large");
  const JsonFault& fault = reader.fault();
  const bool is_limit = fault.sys == EFBIG;
  const Errc code = fault.code != JsonFaultCode::io ? Errc::malformed
                    : is_limit                      ? Errc::too_large
                                                    : Errc::io;
  return base::fail(code, fault.message());
}

base::Unexpected io_failure(std::ptrdiff_t got) {
  const int sys = static_cast<int>(-got);
  if (sys == EFBIG) return base::fail(base::Errc::too_large, "the input is too large");
  return base::fail_errno("input", sys);
}

// Reads documents of the two shapes; holds the state that its steps share.
class DocumentReader {
 public:
  using Handlers = std::initializer_list<std::pair<std::string_view, JsonHandler>>;

  DocumentReader(ByteSource& source, Handlers handlers)
      : reader_(source, {.limits = {.depth = 64, .token_bytes = kMaxFindingBytes},
                         .lone_surrogates = LoneSurrogates::as_bytes}),
        handlers_(handlers) {}

  base::Result<void> read(std::string_view required) {
    const JsonEvent first = reader_.next();
    base::Result<void> done;
    if (first == JsonEvent::begin_array && handler("") != nullptr) {
      done = read_array(*handler(""));
    } else if (first == JsonEvent::begin_object) {
      done = read_object(required);
    } else if (first == JsonEvent::error) {
      return failure();
    } else {
      return base::fail(base::Errc::malformed, "not the JSON that this tool writes");
    }
    if (!done) return done;
    if (reader_.next() != JsonEvent::end) return failure();
    return {};
  }

 private:
  [[nodiscard]] const JsonHandler* handler(std::string_view name) const {
    for (const auto& [key, value] : handlers_) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  base::Unexpected failure() { return json_failure(reader_, fragment_); }

  base::Result<void> handle(JsonEvent first, const JsonHandler& use) {
    const std::uint64_t line = reader_.line();
    if (!fragment_.capture(reader_, first, kMaxFindingBytes)) return failure();
    auto done = use(fragment_.root());
    if (!done) {
      return base::Unexpected(std::move(done).error().with_context("line " + std::to_string(line)));
    }
    return {};
  }

  base::Result<void> read_array(const JsonHandler& use) {
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_array; event = reader_.next()) {
      auto done = handle(event, use);
      if (!done) return done;
    }
    return {};
  }

  base::Result<void> read_object(std::string_view required) {
    bool has_required = false;
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return failure();
      has_required = has_required || (!required.empty() && reader_.text() == required);
      const JsonHandler* use = handler(reader_.text());
      event = reader_.next();
      if (use == nullptr) {
        if (!skip_value(reader_, event)) return failure();
        continue;
      }
      auto done = event == JsonEvent::begin_array ? read_array(*use) : handle(event, *use);
      if (!done) return done;
    }
    if (!has_required) {
      return base::fail(base::Errc::malformed, "not the JSON that this tool writes: no member \"" +
                                                   std::string(required) + "\"");
    }
    return {};
  }

  JsonReader reader_;
  JsonFragment fragment_;
  Handlers handlers_;
};

}  // namespace

base::Result<void> read_json_document(
    ByteSource& source, std::string_view required,
    std::initializer_list<std::pair<std::string_view, JsonHandler>> handlers) {
  LimitedSource limited(source, kMaxNativeBytes);
  return DocumentReader(limited, handlers).read(required);
}

std::string strip_terminal_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c != '\x1b' || at + 1 >= text.size()) {
      out.push_back(c);
      ++at;
    } else if (text[at + 1] == '[') {
      at += 2;
      while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
      ++at;
    } else if (text[at + 1] == ']') {
      // Ends with BEL or ESC backslash.
      at += 2;
      while (at < text.size() && text[at] != '\a' && text[at] != '\x1b') ++at;
      at += std::size_t{at < text.size() && text[at] == '\x1b' ? 2U : 1U};
    } else {
      at += 2;
    }
  }
  return out;
}

base::Result<void> read_lines(ByteSource& source,
                              const std::function<base::Result<void>(std::string_view)>& handle) {
  LimitedSource limited(source, kMaxNativeBytes);
  std::string pending;
  std::array<char, 65536> chunk{};
  const auto give = [&](std::string_view line) -> base::Result<void> {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\x1b') == std::string_view::npos) return handle(line);
    return handle(strip_terminal_escapes(line));
  };
  while (true) {
    const std::ptrdiff_t got = limited.read(chunk);
    if (got < 0) return io_failure(got);
    pending.append(chunk.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos;
         end = pending.find('\n', begin)) {
      auto done = give(std::string_view(pending).substr(begin, end - begin));
      if (!done) return done;
      begin = end + 1;
    }
    pending.erase(0, begin);
    if (pending.size() > kMaxLineBytes)
      return base::fail(base::Errc::too_large, "a line is too long");
    if (got == 0) break;
  }
  return pending.empty() ? base::Result<void>() : give(pending);
}

base::Result<std::string> read_whole(ByteSource& source) {
  LimitedSource limited(source, kMaxNativeBytes);
  std::string text;
  std::array<char, 65536> chunk{};
  while (true) {
    const std::ptrdiff_t got = limited.read(chunk);
    if (got < 0) return io_failure(got);
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::optional<std::int64_t> position_of(const JsonView& object, std::string_view name) {
  const auto value = integer_of(object, name);
  if (!value || *value < 1 || *value > kMaxPosition) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_position(std::string_view digits) {
  std::int64_t value = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (done.ec != std::errc{} || done.ptr != digits.data() + digits.size()) return std::nullopt;
  if (value < 1 || value > kMaxPosition) return std::nullopt;
  return value;
}

Region make_region(std::optional<std::int64_t> line, std::optional<std::int64_t> column,
                   std::optional<std::int64_t> end_line, std::optional<std::int64_t> end_column) {
  Region region;
  if (!line) return region;
  region.start_line = *line;
  region.start_column = column;
  if (end_line && *end_line < *line) return region;
  const bool is_one_line = !end_line || *end_line == *line;
  if (is_one_line && column && end_column && *end_column < *column) return region;
  // SARIF 2.1.0 section 3.30.8: an end column without a start column would begin at column 1.
  if (is_one_line && !column) end_column.reset();
  if (end_line && *end_line != *line) region.end_line = end_line;
  region.end_column = end_column;
  return region;
}

std::string clean_message(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  if (text.empty()) return "(no message)";
  return replace_invalid_utf8(text);
}

base::Result<void> add_finding(ConvertedRun& run, Finding finding) {
  if (run.findings.size() >= kMaxFindings) {
    return base::fail(base::Errc::too_large,
                      "more than " + std::to_string(kMaxFindings) + " findings");
  }
  run.findings.push_back(std::move(finding));
  return {};
}

}  // namespace ethos::sarif
