// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/xml.h"
#include "sarif/rules/known.h"
#include "sarif/rules/naming.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

Level level_of(std::string_view severity) {
  if (severity == "error") return Level::error;
  if (severity == "warning") return Level::warning;
  return Level::note;  // style, performance, portability, information, debug
}

std::string attribute(const XmlAttributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

Location location_of(const XmlAttributes& attributes) {
  Location location;
  location.path = attribute(attributes, "file");
  // Column 0 stands for "no column", line 0 for "the whole file".
  location.region = make_region(parse_position(attribute(attributes, "line")),
                                parse_position(attribute(attributes, "column")), {}, {});
  location.message = attribute(attributes, "info");
  return location;
}

class CppcheckXml {
 public:
  explicit CppcheckXml(ConvertedRun& run) : run_(run), rules_(run) {}

  base::Result<void> begin(std::string_view name, const XmlAttributes& attributes) {
    if (depth_++ == 0) return begin_root(name, attributes);
    if (name == "cppcheck") run_.tool.version = clean(attribute(attributes, "version"));
    if (name == "error") return begin_error(attributes);
    if (name == "location" && is_in_error_) {
      if (locations_.size() < kMaxRelated) locations_.push_back(location_of(attributes));
    }
    return {};
  }

  base::Result<void> end(std::string_view name) {
    --depth_;
    if (name != "error" || !is_in_error_) return {};
    is_in_error_ = false;
    return add();
  }

 private:
  static std::string clean(const std::string& text) { return text.substr(0, 64); }

  base::Result<void> begin_root(std::string_view name, const XmlAttributes& attributes) {
    if (name != "results") return base::fail(base::Errc::malformed, "not cppcheck XML");
    const std::string version = attribute(attributes, "version");
    if (version != "2" && version != "3") {
      return base::fail(base::Errc::unsupported, "cppcheck XML of version '" + version + "'");
    }
    return {};
  }

  base::Result<void> begin_error(const XmlAttributes& attributes) {
    is_in_error_ = true;
    error_ = attributes;
    locations_.clear();
    if (attribute(error_, "id").empty()) {
      return base::fail(base::Errc::malformed, "an error without an id");
    }
    return {};
  }

  base::Result<void> add() {
    const std::string id = attribute(error_, "id");
    const Level level = level_of(attribute(error_, "severity"));
    const std::string message = clean_message(attribute(error_, "msg"));
    if (locations_.empty() || locations_.front().path.empty()) {
      // About the run as a whole ("which checkers were active"): there is no file to show it in.
      run_.notifications.push_back({level, id, message, std::nullopt});
      return {};
    }
    Finding finding;
    finding.level = level;
    finding.message = message;
    const std::string cwe = cwe_number(attribute(error_, "cwe"));
    finding.rule = rules_.index_of(id, [&](const std::string& key) {
      Rule rule = cppcheck_rule(key, cwe);
      rule.default_level = level;
      rule.tags.push_back(attribute(error_, "severity"));
      return rule;
    });
    set_locations(finding);
    const std::string verbose = attribute(error_, "verbose");
    if (!verbose.empty() && clean_message(verbose) != message) {
      finding.properties.emplace_back("verbose", clean_message(verbose));
    }
    if (attribute(error_, "inconclusive") == "true") {
      finding.properties.emplace_back("inconclusive", true);
    }
    const std::string file0 = attribute(error_, "file0");
    if (!file0.empty() && file0 != finding.location.path) {
      finding.properties.emplace_back("file0", clean_message(file0));
    }
    return add_finding(run_, std::move(finding));
  }

  // The first location is the finding's own; with more of them they are the way to it, written
  // from its end to its start.
  void set_locations(Finding& finding) {
    finding.location = locations_.front();
    finding.location.message.clear();
    if (locations_.size() < 2) return;
    std::reverse(locations_.begin(), locations_.end());
    finding.path = std::move(locations_);
    for (Location& step : finding.path) {
      if (step.message.empty()) step.message = finding.message;
    }
  }

  ConvertedRun& run_;
  RuleBook rules_;
  int depth_ = 0;
  bool is_in_error_ = false;
  XmlAttributes error_;
  std::vector<Location> locations_;
};

}  // namespace

base::Result<ConvertedRun> convert_cppcheck(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Cppcheck", "", "https://cppcheck.sourceforge.io"};
  run.column_unit = ColumnUnit::utf8_bytes;
  CppcheckXml xml(run);
  auto done = read_xml(source, {[&](std::string_view name, const XmlAttributes& attributes) {
                                  return xml.begin(name, attributes);
                                },
                                [&](std::string_view name) { return xml.end(name); },
                                {}});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
