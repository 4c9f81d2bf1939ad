// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/test_failure.h"
#include "sarif/convert/xml.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kMaxText = std::size_t{64} << 10U;

std::string attribute(const XmlAttributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

// A test case is reported when it holds a failure or an error and is not skipped or expected to
// fail. Names are not unique and the place is not part of the format: where a file is named it is
// taken, else the first "(path:line:column)" of the failure's text.
class JunitXml {
 public:
  explicit JunitXml(ConvertedRun& run) : failures_(run) {}

  base::Result<void> begin(std::string_view name, const XmlAttributes& attributes) {
    if (depth_++ == 0 && name != "testsuites" && name != "testsuite") {
      return base::fail(base::Errc::malformed, "not JUnit XML");
    }
    if (name == "testsuite") suite_file_ = attribute(attributes, "file");
    if (name == "testcase") {
      case_ = {};
      case_.name = attribute(attributes, "name");
      const std::string group = attribute(attributes, "classname");
      if (!group.empty()) case_.name = group + ": " + case_.name;
      case_.file = attribute(attributes, "file");
      if (case_.file.empty()) case_.file = suite_file_;
      case_.line = attribute(attributes, "line");
      has_failed_ = false;
      is_skipped_ = false;
    }
    if (name == "skipped") is_skipped_ = true;
    if (name == "failure" || name == "error") {
      has_failed_ = true;
      in_failure_ = true;
      case_.is_error = name == "error";
      if (case_.message.empty()) case_.message = attribute(attributes, "message");
    }
    return {};
  }

  void text(std::string_view text) {
    if (in_failure_ && case_.text.size() + text.size() <= kMaxText) case_.text += text;
  }

  base::Result<void> end(std::string_view name) {
    --depth_;
    if (name == "failure" || name == "error") in_failure_ = false;
    if (name == "testsuite") suite_file_.clear();
    if (name != "testcase" || !has_failed_ || is_skipped_) return {};
    return failures_.add(case_);
  }

 private:
  TestFailures failures_;
  int depth_ = 0;
  std::string suite_file_;
  TestFailure case_;
  bool has_failed_ = false;
  bool is_skipped_ = false;
  bool in_failure_ = false;
};

}  // namespace

base::Result<ConvertedRun> convert_junit(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"JUnit", "", ""};
  JunitXml xml(run);
  auto done = read_xml(source, {[&](std::string_view name, const XmlAttributes& attributes) {
                                  return xml.begin(name, attributes);
                                },
                                [&](std::string_view name) { return xml.end(name); },
                                [&](std::string_view text) { xml.text(text); }});
  if (!done) return base::Unexpected(std::move(done).error());
  return run;
}

}  // namespace ethos::sarif
