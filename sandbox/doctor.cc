// SPDX-License-Identifier: Apache-2.0
#include "sandbox/doctor.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "sandbox/exit_status.h"

namespace ethos::sandbox {
namespace {

// Our own words and host paths; quotes, backslashes and control characters escaped.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[byte / 16];
      out += kDigits[byte % 16];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_complete(const std::vector<Feature>& features) {
  return std::all_of(features.begin(), features.end(),
                     [](const Feature& f) { return f.is_ok || f.is_extra; });
}

}  // namespace

std::string doctor_text(const std::vector<Feature>& features, bool is_quiet) {
  std::string out;
  for (const Feature& f : features) {
    if (is_quiet && (f.is_ok || f.is_extra)) continue;
    std::string line = f.is_ok         ? "ok       "
                       : f.is_required ? "MISSING  "
                       : f.is_extra    ? "optional "
                                       : "missing  ";
    line += f.name;
    if (!f.detail.empty())
      line += std::string(f.name.size() < 20 ? 20 - f.name.size() : 1, ' ') + f.detail;
    out += line + "\n";
    if (f.is_ok) continue;
    out += "           why: " + f.cause;
    if (f.error != 0) out += std::string(" (") + std::strerror(f.error) + ")";
    out += "\n           fix: " + f.fix + "\n";
  }
  const bool can_run = std::all_of(features.begin(), features.end(),
                                   [](const Feature& f) { return f.is_ok || !f.is_required; });
  const bool lacks_proc_only = std::all_of(features.begin(), features.end(), [](const Feature& f) {
    return f.is_ok || !f.is_required || f.name == "proc_mount";
  });
  if (!can_run && lacks_proc_only) {
    out +=
        "No cage can be built here but those of the weaker profile no-proc: every other run is "
        "refused.\n";
  } else if (!can_run) {
    out += "No cage can be built here: every run is refused.\n";
  } else if (!is_complete(features)) {
    out +=
        "Cages can be built; what is missing is refused, or weaker where a declaration says so.\n";
  } else if (!is_quiet) {
    out += "Everything is there.\n";
  }
  return out;
}

std::string doctor_json(const std::vector<Feature>& features) {
  std::string out = "{\"features\":[";
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Feature& f = features[i];
    out += i == 0 ? "" : ",";
    out += "{\"cause\":" + quoted(f.cause) + ",\"detail\":" + quoted(f.detail) +
           ",\"errno\":" + std::to_string(f.error) + ",\"fix\":" + quoted(f.fix) +
           ",\"name\":" + quoted(f.name) + ",\"ok\":" + (f.is_ok ? "true" : "false") +
           ",\"required\":" + (f.is_required ? "true" : "false") + "}";
  }
  return out + std::string("],\"ok\":") + (is_complete(features) ? "true" : "false") +
         ",\"v\":1}\n";
}

int run_doctor(const DoctorOptions& options, std::ostream& out) {
  const std::vector<Feature> features = probe_features(options.cgroup_parent);
  out << (options.is_json ? doctor_json(features) : doctor_text(features, options.is_quiet));
  return code(is_complete(features) ? ExitStatus::ok : ExitStatus::finding);
}

}  // namespace ethos::sandbox
