// SPDX-License-Identifier: Apache-2.0
#include "verify/holds.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "verify/encoding.h"

namespace ethos::verify {

void HoldBook::on_hold(std::int64_t seq, const Value& body, Findings& findings) {
  const std::string& name = body.text_at("name");
  const bool covers_all = !body.has("runs");
  if (!covers_all_.try_emplace(name, covers_all).second) {
    findings.add({.code = Code::hold_broken,
                  .seq = seq,
                  .found = printable(name, 70),
                  .text = "a hold of this name is in force already"});
    return;
  }
  if (covers_all) {
    ++in_force_of_all_;
    return;
  }
  open_[name] = holds_.size();
  Hold& hold = holds_.emplace_back(Hold{.name = name, .from = seq, .runs = {}});
  for (const Value& run : body.at("runs").items()) {
    hold.runs.push_back(run.text());
    of_run_[std::hash<std::string_view>{}(run.text())].push_back(holds_.size() - 1);
  }
}

void HoldBook::on_release(std::int64_t seq, const Value& body, bool may_be_older, Findings& findings) {
  const std::string& name = body.text_at("name");
  const auto held = covers_all_.find(name);
  if (held == covers_all_.end()) {
    if (may_be_older) return;
    findings.add({.code = Code::hold_broken,
                  .seq = seq,
                  .found = printable(name, 70),
                  .text = "no hold of this name is in force"});
    return;
  }
  if (held->second) {
    --in_force_of_all_;
  } else {
    holds_[open_.at(name)].until = seq;
    open_.erase(name);
  }
  covers_all_.erase(held);
}

void HoldBook::on_destruction(std::int64_t seq, const char* what, Findings& findings) const {
  if (in_force_of_all_ == 0) return;
  const auto first = std::find_if(covers_all_.begin(), covers_all_.end(),
                                  [](const auto& one) { return one.second; });
  findings.add({.code = Code::hold_broken,
                .seq = seq,
                .found = "hold " + printable(first->first, 70),
                .text = std::string(what) + " while a hold of the whole ledger was in force"});
}

std::vector<HoldBook::HeldRun> HoldBook::unseen(
    const std::function<bool(const std::string& run)>& is_there) const {
  std::vector<HeldRun> out;
  for (const Hold& hold : holds_) {
    const auto order = std::lower_bound(prunes_.begin(), prunes_.end(), hold.from);
    if (order == prunes_.end() || *order > hold.until) continue;
    for (const std::string& run : hold.runs) {
      if (is_there(run)) continue;
      if (out.size() == kMaxUnseen) return out;
      out.push_back({hold.name, run});
    }
  }
  return out;
}

bool HoldBook::was_held(std::size_t run, std::int64_t seq) const {
  const auto found = of_run_.find(run);
  if (found == of_run_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](std::size_t i) { return holds_[i].from < seq && seq < holds_[i].until; });
}

}  // namespace ethos::verify
