// SPDX-License-Identifier: Apache-2.0
#include "verify/holds.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "verify/encoding.h"

namespace ethos::verify {

void HoldBook::on_hold(std::int64_t seq, const Value& body, Findings& findings) {
  const std::string& name = body.text_at("name");
  if (covers_all_.try_emplace(name, !body.has("runs")).second) {
    for (const Value& run : body.at("runs").items()) runs_[name].push_back(run.text());
    return;
  }
  findings.add({.code = Code::hold_broken, .seq = seq, .found = printable(name, 70), .text = "a hold of this name is in force already"});
}

void HoldBook::on_release(std::int64_t seq, const Value& body, bool may_be_older, Findings& findings) {
  const std::string& name = body.text_at("name");
  runs_.erase(name);
  if (covers_all_.erase(name) > 0 || may_be_older) return;
  findings.add({.code = Code::hold_broken, .seq = seq, .found = printable(name, 70), .text = "no hold of this name is in force"});
}

void HoldBook::on_destruction(std::int64_t seq, const char* what, Findings& findings) const {
  for (const auto& [name, covers_all] : covers_all_) {
    if (!covers_all) continue;
    findings.add({.code = Code::hold_broken, .seq = seq, .found = "hold " + printable(name, 70),
                  .text = std::string(what) + " while a hold of the whole ledger was in force"});
    return;
  }
}

void HoldBook::on_prune(const std::function<bool(const std::string& run)>& is_there) {
  for (const auto& held : runs_) {
    for (const std::string& run : held.second) {
      const auto is_same = [&](const HeldRun& known) {
        return known.hold == held.first && known.run == run;
      };
      if (is_there(run) || std::any_of(unseen_.begin(), unseen_.end(), is_same)) continue;
      if (unseen_.size() == kMaxUnseen) return;
      unseen_.push_back({held.first, run});
    }
  }
}

std::set<std::size_t> HoldBook::held_runs() const {
  std::set<std::size_t> out;
  for (const auto& [name, runs] : runs_) {
    for (const std::string& run : runs) out.insert(std::hash<std::string_view>{}(run));
  }
  return out;
}

}  // namespace ethos::verify
