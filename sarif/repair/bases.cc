// SPDX-License-Identifier: Apache-2.0
#include "sarif/repair/bases.h"

#include <utility>

#include "sarif/json/copy.h"
#include "sarif/json/fragment.h"
#include "sarif/json/reader.h"
#include "sarif/log/walk.h"
#include "sarif/validate/uri_parts.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kLongestChain = 32;

std::string text_at(const JsonView& object, std::string_view key) {
  const auto value = object.is_object() ? object.find(key) : std::nullopt;
  return value && value->is_string() ? value->text() : std::string();
}

class BaseWalk : private LogWalk {
 public:
  explicit BaseWalk(JsonReader& reader) : LogWalk(reader) {}

  base::Result<std::vector<Bases>> read() {
    auto done = walk_log([this](std::string_view, JsonEvent value) { return skip(value); },
                         [this](std::size_t, JsonEvent value) { return run(value); });
    if (!done) return base::Unexpected(std::move(done).error());
    return std::move(runs_);
  }

 private:
  base::Result<void> run(JsonEvent event) {
    if (event != JsonEvent::begin_object) return skip(event);
    Bases& bases = runs_.emplace_back();
    return members([&](std::string_view key, JsonEvent value) -> base::Result<void> {
      if (key != "originalUriBaseIds") return skip(value);
      JsonFragment fragment;
      if (!fragment.capture(reader_, value, kMaxElementBytes)) {
        return capture_failure(reader_, fragment);
      }
      if (!fragment.root().is_object()) return {};
      for (const JsonView base : fragment.root()) {
        bases.add(base.key(), text_at(base, "uri"), text_at(base, "uriBaseId"));
      }
      return {};
    });
  }

  std::vector<Bases> runs_;
};

}  // namespace

void Bases::add(std::string name, std::string uri, std::string parent) {
  bases_[std::move(name)] = {std::move(uri), std::move(parent)};
}

std::string Bases::resolve(std::string_view name) const {
  std::string whole;
  for (std::size_t step = 0; step < kLongestChain; ++step) {
    const auto found = bases_.find(name);
    if (found == bases_.end() || found->second.uri.empty()) return {};
    const auto& [uri, parent] = found->second;
    const validation::UriParts parts = validation::split_uri(uri);
    if (parts.has_query || parts.has_fragment) return {};
    const bool ends_in_slash = uri.back() == '/';
    whole.insert(0, ends_in_slash ? uri : uri + "/");
    if (parts.is_absolute()) {
      const bool is_local = parts.authority.empty() || parts.authority == "localhost";
      return parts.is_file() && is_local ? whole : std::string();
    }
    if (parent.empty() || parts.is_rooted()) return {};
    name = parent;
  }
  return {};
}

base::Result<std::vector<Bases>> read_bases(ByteSource& source) {
  JsonReader reader(source);
  return BaseWalk(reader).read();
}

}  // namespace ethos::sarif
