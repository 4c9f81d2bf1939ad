// SPDX-License-Identifier: Apache-2.0
#include "sarif/log/artifact_uris.h"

#include "sarif/json/fragment.h"
#include "sarif/log/walk.h"

namespace ethos::sarif {
namespace {

class ArtifactWalk : private LogWalk {
 public:
  explicit ArtifactWalk(JsonReader& reader) : LogWalk(reader) {}

  base::Result<ArtifactUris> read() {
    auto done = walk_log([this](std::string_view, JsonEvent value) { return skip(value); },
                         [this](std::size_t, JsonEvent value) { return run(value); });
    if (!done) return base::Unexpected(std::move(done).error());
    return std::move(uris_);
  }

 private:
  base::Result<void> run(JsonEvent event) {
    uris_.emplace_back();
    if (event != JsonEvent::begin_object) return skip(event);
    return members([this](std::string_view key, JsonEvent value) -> base::Result<void> {
      if (key != "artifacts" || value != JsonEvent::begin_array) return skip(value);
      return elements([this](JsonEvent artifact) { return add(artifact); });
    });
  }

  base::Result<void> add(JsonEvent event) {
    if (!fragment_.capture(reader_, event, kMaxElementBytes)) {
      return capture_failure(reader_, fragment_);
    }
    const JsonView artifact = fragment_.root();
    const auto uri = artifact.is_object() ? artifact.find_path({"location", "uri"}) : std::nullopt;
    uris_.back().push_back(uri && uri->is_string() ? uri->text() : std::string());
    return {};
  }

  ArtifactUris uris_;
  JsonFragment fragment_;
};

}  // namespace

base::Result<ArtifactUris> read_artifact_uris(ByteSource& source) {
  JsonReader reader(source);
  return ArtifactWalk(reader).read();
}

}  // namespace ethos::sarif
