// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/merge.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "sarif/json/fragment.h"
#include "sarif/log/walk.h"
#include "sarif/log_writer.h"

namespace ethos::sarif {
namespace {

constexpr std::string_view kRunReference = "sarif:/runs/";

// A member kept as its compact tokens.
std::string tokens_of(const JsonView& value) {
  StringSink sink;
  JsonWriter writer(sink, JsonLayout::compact);
  value.write(writer);
  return sink.text();
}

// `text` with the number behind each "sarif:/runs/" raised by `offset`.
std::string move_references(std::string_view text, std::size_t offset) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(kRunReference);
    if (at == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, at + kRunReference.size());
    text.remove_prefix(at + kRunReference.size());
    std::size_t number = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
    if (done.ec != std::errc{} || number > 1'000'000) continue;
    out += std::to_string(number + offset);
    text.remove_prefix(static_cast<std::size_t>(done.ptr - text.data()));
  }
}

// What the inputs have beside their runs.
struct Rest {
  std::vector<std::string> external;                     // tokens of inlineExternalProperties
  std::vector<std::pair<std::string, std::string>> bag;  // properties: name, tokens
  std::vector<std::pair<std::string, std::string>> others;
};

class InputWalk : LogWalk {
 public:
  InputWalk(JsonReader& reader, JsonWriter& writer, std::size_t first_run, std::size_t number)
      : LogWalk(reader), writer_(writer), first_run_(first_run), number_(number) {}

  base::Result<void> log(Rest& rest) {
    return walk_log(
        [&](std::string_view key, JsonEvent value) { return top_level(key, value, rest); },
        [&](std::size_t, JsonEvent value) {
          identities.emplace_back();
          return value == JsonEvent::begin_object ? run() : copy(value);
        });
  }

  using Identity = std::tuple<std::string, std::string, std::string>;
  std::vector<Identity> identities;  // tool, full name and version, category
  std::size_t results = 0;

 private:
  base::Result<void> capture(JsonEvent value) {
    if (!fragment_.capture(reader_, value, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    return {};
  }

  base::Result<void> top_level(std::string_view key, JsonEvent value, Rest& rest) {
    if (key == "$schema") return skip(value);  // the merged log names the one it is written by
    auto done = capture(value);
    if (!done) return done;
    const JsonView root = fragment_.root();
    if (key == "inlineExternalProperties" && root.is_array()) {
      for (const JsonView one : root) rest.external.push_back(tokens_of(one));
      return {};
    }
    if (key == "properties" && root.is_object()) {
      for (const JsonView one : root) add_property(one.key(), tokens_of(one), rest);
      return {};
    }
    return add_other(std::string(key), tokens_of(root), rest);
  }

  void add_property(std::string name, std::string tokens, Rest& rest) const {
    for (const auto& [known, value] : rest.bag) {
      if (known != name) continue;
      if (value == tokens) return;
      name += "@" + std::to_string(number_);
      break;
    }
    rest.bag.emplace_back(std::move(name), std::move(tokens));
  }

  static base::Result<void> add_other(std::string name, std::string tokens, Rest& rest) {
    for (const auto& [known, value] : rest.others) {
      if (known != name) continue;
      if (value == tokens) return {};
      return base::fail(base::Errc::mismatch, "the logs disagree on \"" + name + "\"");
    }
    rest.others.emplace_back(std::move(name), std::move(tokens));
    return {};
  }

  // Copies a value and moves its references to runs.
  base::Result<void> copy(JsonEvent event) {
    const bool opens = event == JsonEvent::begin_object || event == JsonEvent::begin_array;
    const std::size_t outside = opens ? reader_.depth() - 1 : reader_.depth();
    while (true) {
      if (event == JsonEvent::error || event == JsonEvent::end) return reader_failure(reader_);
      if (event == JsonEvent::string && first_run_ > 0 &&
          reader_.text().find(kRunReference) != std::string_view::npos) {
        writer_.string(move_references(reader_.text(), first_run_));
      } else {
        copy_token(event);
      }
      if (reader_.depth() <= outside) return {};
      event = reader_.next();
    }
  }

  void copy_token(JsonEvent event) {
    switch (event) {
      case JsonEvent::begin_object:
        return writer_.begin_object();
      case JsonEvent::end_object:
        return writer_.end_object();
      case JsonEvent::begin_array:
        return writer_.begin_array();
      case JsonEvent::end_array:
        return writer_.end_array();
      case JsonEvent::key:
        return writer_.raw_key(reader_.raw());
      default:
        return writer_.raw_scalar(reader_.raw());
    }
  }

  // Members of an object that is copied, each key written before `use` copies the value.
  template <typename Use>
  base::Result<void> copy_members(Use use) {
    writer_.begin_object();
    for (JsonEvent event = reader_.next(); event != JsonEvent::end_object; event = reader_.next()) {
      if (event != JsonEvent::key) return reader_failure(reader_);
      const std::string key(reader_.text());
      writer_.raw_key(reader_.raw());
      auto done = use(key, reader_.next());
      if (!done) return done;
    }
    writer_.end_object();
    return {};
  }

  base::Result<void> run() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      const bool is_object = value == JsonEvent::begin_object;
      if (key == "tool" && is_object) return tool();
      if (key == "automationDetails" && is_object) return automation();
      if (key == "results" && value == JsonEvent::begin_array) return count_results();
      return copy(value);
    });
  }

  base::Result<void> count_results() {
    writer_.begin_array();
    auto done = elements([this](JsonEvent value) {
      ++results;
      return copy(value);
    });
    writer_.end_array();
    return done;
  }

  base::Result<void> automation() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      if (key == "id" && value == JsonEvent::string) {
        const std::string id(reader_.text());
        std::get<2>(identities.back()) = id.substr(0, std::min(id.rfind('/'), id.size()));
        if (id.find('/') == std::string::npos) std::get<2>(identities.back()).clear();
      }
      return copy(value);
    });
  }

  base::Result<void> tool() {
    return copy_members([this](std::string_view key, JsonEvent value) {
      if (key != "driver" || value != JsonEvent::begin_object) return copy(value);
      return copy_members([this](std::string_view name, JsonEvent inner) {
        if (inner == JsonEvent::string) {
          if (name == "name") std::get<0>(identities.back()) = reader_.text();
          for (const std::string_view part : {"fullName", "version", "semanticVersion", "guid"}) {
            if (name == part) std::get<1>(identities.back()) += std::string(reader_.text()) + '\0';
          }
        }
        return copy(inner);
      });
    });
  }

  JsonWriter& writer_;
  std::size_t first_run_;
  std::size_t number_;
  JsonFragment fragment_;
};

void write_tokens(JsonWriter& writer, const std::string& tokens) {
  MemorySource source(tokens);
  JsonReader reader(source);
  static_cast<void>(copy_value(reader, reader.next(), writer));
}

void write_rest(JsonWriter& writer, const Rest& rest) {
  if (!rest.external.empty()) {
    writer.key("inlineExternalProperties");
    writer.begin_array();
    for (const std::string& one : rest.external) write_tokens(writer, one);
    writer.end_array();
  }
  if (!rest.bag.empty()) {
    writer.key("properties");
    writer.begin_object();
    for (const auto& [name, tokens] : rest.bag) {
      writer.key(name);
      write_tokens(writer, tokens);
    }
    writer.end_object();
  }
  for (const auto& [name, tokens] : rest.others) {
    writer.key(name);
    write_tokens(writer, tokens);
  }
}

std::vector<std::string> clashes_of(const std::vector<InputWalk::Identity>& identities) {
  std::vector<std::string> clashes;
  std::map<InputWalk::Identity, std::size_t> seen;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    const auto [at, is_new] = seen.try_emplace(identities[i], i);
    if (is_new) continue;
    const auto& [tool, version, category] = identities[i];
    clashes.push_back("runs " + std::to_string(at->second) + " and " + std::to_string(i) + ": " +
                      tool +
                      (category.empty() ? " without a category" : " in category " + category));
  }
  return clashes;
}

}  // namespace

base::Result<MergeSummary> merge_logs(std::size_t count, const OpenInput& open,
                                      JsonWriter& writer) {
  MergeSummary summary;
  Rest rest;
  std::vector<InputWalk::Identity> identities;
  writer.begin_object();
  writer.member("$schema", kSchemaUri);
  writer.member("version", "2.1.0");
  writer.key("runs");
  writer.begin_array();
  for (std::size_t i = 0; i < count; ++i) {
    auto source = open(i);
    if (!source) return base::Unexpected(std::move(source).error());
    JsonReader reader(**source);
    InputWalk walk(reader, writer, identities.size(), i + 1);
    auto done = walk.log(rest);
    if (!done) {
      return base::Unexpected(
          std::move(done).error().with_context("input " + std::to_string(i + 1)));
    }
    identities.insert(identities.end(), walk.identities.begin(), walk.identities.end());
    summary.results += walk.results;
  }
  writer.end_array();
  write_rest(writer, rest);
  writer.end_object();
  writer.finish();
  summary.runs = identities.size();
  summary.clashes = clashes_of(identities);
  return summary;
}

}  // namespace ethos::sarif
