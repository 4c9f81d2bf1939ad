// SPDX-License-Identifier: Apache-2.0
#include "reports/coverage.h"

#include <algorithm>

#include "reports/period.h"
#include "reports/text.h"
#include "reports/words.h"

namespace ethos::reports {
namespace {

bool is_fleet(const Model& model) { return model.source.kind == "fleet"; }

std::string fleet_text(Coverage::State state) {
  if (state == Coverage::State::whole)
    return "Whole: the records of each verified ledger begin before it and reach beyond its end.";
  if (state == Coverage::State::none) return "Nothing of it, by any verified ledger.";
  return "In part: not each verified ledger has records before its beginning and after its end; "
         "the table of ledgers says which.";
}

}  // namespace

std::string_view name_of(Coverage::State state) {
  switch (state) {
    case Coverage::State::whole:
      return "whole";
    case Coverage::State::part:
      return "part";
    case Coverage::State::none:
      return "none";
  }
  return "";
}

namespace {

Coverage coverage_between(std::int64_t from, std::int64_t until, const Source& source) {
  Coverage out;
  out.begins_earlier = from < source.first_ms;
  // A record of the last millisecond does not show that the period is over.
  out.ends_later = until > source.head_ms;
  out.from_ms = std::clamp(source.first_ms, from, until);
  out.until_ms = std::clamp(source.head_ms, out.from_ms, until);
  const bool is_outside = until <= source.first_ms || from > source.head_ms;
  out.state = is_outside                             ? Coverage::State::none
              : out.begins_earlier || out.ends_later ? Coverage::State::part
                                                     : Coverage::State::whole;
  return out;
}

// "1 min 13 s of 48 h, 0.042 %": of a part that is small, the percentage still says how small.
std::string share_text(const Coverage& covered, const Period& period) {
  const std::int64_t part = covered.until_ms - covered.from_ms;
  const std::int64_t whole = (period.until - period.from) * 1000;
  return "From the first to the last record: " + human_duration(part) + " of " +
         human_duration(whole) + ", " + percent_text(part, whole) + ".";
}

}  // namespace

std::string percent_text(std::int64_t part, std::int64_t whole) {
  // Thousandths of a percent, never rounded up to all of it or down to nothing.
  if (whole <= 0 || part <= 0) return "0 %";
  if (part >= whole) return "100 %";
  const std::int64_t thousandths = std::max<std::int64_t>(1, part * 1000 / (whole / 100));
  const std::int64_t units = thousandths / 1000;
  if (units >= 1) return std::to_string(std::min<std::int64_t>(units, 99)) + " %";
  const std::string digits = std::to_string(thousandths + 1000).substr(1);
  return "0." + digits + " %";
}

Coverage coverage_of(const Period& period, const Source& source) {
  return coverage_between(period.from * 1000, period.until * 1000, source);
}

Coverage coverage_of(const Bucket& bucket, const Source& source) {
  return coverage_between(bucket.from * 1000, bucket.until * 1000, source);
}

std::string covered_share(const Model& model) {
  if (is_fleet(model) || model.covered.state != Coverage::State::part) return {};
  return human_duration(model.covered.until_ms - model.covered.from_ms) + " of " +
         human_duration((model.period.until - model.period.from) * 1000) + " covered (" +
         percent_text(model.covered.until_ms - model.covered.from_ms,
                      (model.period.until - model.period.from) * 1000) +
         ")";
}

StraddlingWords straddling_words(const Model& model) {
  const auto runs = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " run was" : " runs were");
  };
  StraddlingWords out;
  if (knows_start(model)) {
    out.start = runs(model.open_at_start) + " open when the period began (counted before it)";
  } else {
    out.start =
        "which runs were open when the period began is not known: no record covers that "
        "moment";
  }
  if (knows_end(model)) {
    out.end = runs(model.open_at_end) + " open when it ended (counted in it)";
  } else {
    out.end = "which were open when it ended is not known; at the last record " +
              runs(model.open_at_end) + " open";
  }
  return out;
}

bool knows_start(const Model& model) {
  if (is_fleet(model)) return model.covered.state == Coverage::State::whole;
  return model.open_at_start != 0 || !model.covered.begins_earlier;
}

bool knows_end(const Model& model) {
  if (is_fleet(model)) return model.covered.state == Coverage::State::whole;
  return !model.covered.ends_later;
}

void set_coverage(Model& model) {
  model.covered = coverage_of(model.period, model.source);
  model.covered_before = coverage_of(model.period.before(model.zone), model.source);
}

std::string coverage_text(const Model& model) {
  const Period& period = model.period;
  if (is_fleet(model)) return fleet_text(model.covered.state);
  const std::string first = local_text(model.source.first_ms / 1000, model.zone);
  const std::string last = local_text(model.source.head_ms / 1000, model.zone);
  if (model.covered.state == Coverage::State::whole)
    return "Whole: the ledger's records begin before it and reach beyond its end.";
  if (period.until * 1000 <= model.source.first_ms) {
    return "Nothing of it: it ends before the ledger's first record, which is of " + first +
           ". That no run is listed says nothing about that time.";
  }
  if (period.from * 1000 > model.source.head_ms) {
    return "Nothing of it: it begins after the last record, which is of " + last +
           ". What was recorded later, if anything, is not in this report.";
  }
  std::string out = "In part. " + share_text(model.covered, period);
  if (model.covered.begins_earlier) {
    out += " It begins before the ledger's first record, which is of " + first +
           ": nothing is known of the time before that.";
  }
  if (model.covered.ends_later) {
    out += " It is not known to be over: the last record is of " + last +
           ", before its end. What was recorded later, if anything, is not in this report; make it "
           "again when the period is over.";
  }
  return out;
}

std::string comparison_text(const Model& model) {
  const Period before = model.period.before(model.zone);
  const Coverage& now = model.covered;
  const Coverage& then = model.covered_before;
  std::string out = "The period before is " + before.text() + ". ";
  if (is_fleet(model)) {
    if (then.state == Coverage::State::whole && now.state == then.state)
      return out + "Both are covered as a whole by each verified ledger.";
    return out + (then.state == Coverage::State::none
                      ? "No ledger covers it: there is nothing to compare this period with."
                      : "Not each ledger covers both as a whole: the figures cannot simply be "
                        "compared.");
  }
  if (then.state == Coverage::State::none) {
    out += "It is not covered";
    out += before.until * 1000 <= model.source.first_ms ? ": the ledger's first record is later. "
                                                        : ": the ledger's last record is earlier. ";
    return out + "There is nothing to compare this period with.";
  }
  if (then.state == Coverage::State::whole && now.state == Coverage::State::whole)
    return out + "Both are covered as a whole.";
  if (then.state == Coverage::State::part) {
    out += "It is covered in part only, from " + local_text(then.from_ms / 1000, model.zone) +
           " to " + local_text(then.until_ms / 1000, model.zone) + ". ";
  }
  if (now.state != Coverage::State::whole) {
    out += now.state == Coverage::State::part ? "This period is covered in part only"
                                              : "This period is not covered";
    out += then.state == Coverage::State::whole ? ", the one before as a whole. " : " too. ";
  }
  return out + "The figures are of stretches of different length and cannot simply be compared.";
}

std::string_view previous_label(Coverage::State state) {
  switch (state) {
    case Coverage::State::whole:
      return "Period before";
    case Coverage::State::part:
      return "Period before (in part)";
    case Coverage::State::none:
      return "Period before (not covered)";
  }
  return "";
}

}  // namespace ethos::reports
