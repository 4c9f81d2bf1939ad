// SPDX-License-Identifier: Apache-2.0
#include "reports/controls.h"

#include <set>

#include "reports/control_judge.h"
#include "reports/controls_default.h"
#include "reports/json_tape.h"
#include "reports/sha256.h"

namespace ethos::reports {
namespace {

using base::Errc;
using base::fail;

constexpr std::size_t kMaxMapBytes = 1048576;
constexpr std::size_t kMaxKinds = 64;
constexpr std::size_t kMaxControls = 64;
constexpr std::size_t kMaxText = 500;

bool read_text(JsonValue value, std::string& out, bool required) {
  const auto text = value.text();
  if (!text) return !required && !value.exists();
  if (text->size() > kMaxText || (required && text->empty())) return false;
  out = std::string(*text);
  return true;
}

bool read_kind(JsonValue value, ControlKind& out) {
  if (!read_text(value["kind"], out.kind, true) || !read_text(value["title"], out.title, true) ||
      !read_text(value["shows"], out.shows, true) ||
      !read_text(value["does_not_show"], out.does_not_show, true)) {
    return false;
  }
  const JsonValue controls = value["controls"];
  if (!controls.is_array() || controls.size() > kMaxControls) return false;
  for (JsonValue one = controls.first(); one.exists(); one = controls.after(one)) {
    ControlId& control = out.controls.emplace_back();
    if (!read_text(one["framework"], control.framework, true) ||
        !read_text(one["id"], control.id, true) ||
        !read_text(one["condition"], control.condition, false)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string_view default_controls() { return kDefaultControls; }

base::Result<ControlMap> parse_controls(std::string_view json) {
  JsonTape tape;
  if (json.size() > kMaxMapBytes || !tape.parse(json))
    return fail(Errc::malformed, "not a JSON document of at most 1 MiB");
  const JsonValue root = tape.root();
  if (root["format"].text_or("") != "ethos-controls/1")
    return fail(Errc::unsupported, "not of format ethos-controls/1");
  ControlMap out;
  out.digest = sha256_text(json);
  const JsonValue kinds = root["kinds"];
  if (!read_text(root["id"], out.id, true) || !read_text(root["version"], out.version, true) ||
      !kinds.is_array() || kinds.size() > kMaxKinds) {
    return fail(Errc::malformed, "needs id, version and at most 64 kinds");
  }
  std::set<std::string> seen;
  for (JsonValue one = kinds.first(); one.exists(); one = kinds.after(one)) {
    ControlKind kind;
    if (!read_kind(one, kind)) {
      return fail(Errc::malformed,
                  "kind " + std::to_string(out.kinds.size() + 1) +
                      ": needs kind, title, shows, does_not_show and controls of framework and id");
    }
    if (!is_known_kind(kind.kind))
      return fail(Errc::malformed, "\"" + kind.kind + "\" is no kind of evidence of this program");
    if (!seen.insert(kind.kind).second)
      return fail(Errc::malformed, "\"" + kind.kind + "\" is there twice");
    out.kinds.push_back(std::move(kind));
  }
  return out;
}

void judge_controls(Model& model) {
  model.controls.clear();
  for (std::size_t i = 0; i < model.control_map.kinds.size(); ++i) {
    ControlState state = judge_kind(model, model.control_map.kinds[i].kind);
    state.kind = i;
    model.controls.push_back(std::move(state));
  }
}

}  // namespace ethos::reports
