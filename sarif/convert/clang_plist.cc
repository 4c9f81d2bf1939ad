// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "sarif/convert/converters.h"
#include "sarif/convert/input.h"
#include "sarif/convert/xml.h"
#include "sarif/rules/known.h"
#include "sarif/rules/rule_book.h"

namespace ethos::sarif {
namespace {

// Nodes that a property list may have: several hundred bytes each.
constexpr std::size_t kMaxNodes = 4'000'000;

// A value of a property list: dict, array, or the text of a scalar.
struct Node {
  std::string key;
  std::string kind;
  std::string text;
  std::vector<Node> children;

  [[nodiscard]] const Node* find(std::string_view name) const {
    for (const Node& child : children) {
      if (child.key == name) return &child;
    }
    return nullptr;
  }
  [[nodiscard]] std::string text_of(std::string_view name) const {
    const Node* found = find(name);
    return found == nullptr ? std::string() : found->text;
  }
};

class PlistXml {
 public:
  base::Result<void> begin(std::string_view name) {
    text_.clear();
    if (depth_++ == 0) {
      if (name != "plist") return base::fail(base::Errc::malformed, "not a property list");
      return {};
    }
    if (++count_ > kMaxNodes) return base::fail(base::Errc::too_large, "too many values");
    if (name == "key") return {};
    Node node;
    node.key = std::move(key_);
    key_.clear();
    node.kind = name;
    open_.push_back(std::move(node));
    return {};
  }

  void text(std::string_view text) { text_ += text; }

  base::Result<void> end(std::string_view name) {
    if (--depth_ == 0) return {};
    if (name == "key") {
      key_ = std::move(text_);
      text_.clear();
      return {};
    }
    Node node = std::move(open_.back());
    open_.pop_back();
    if (node.kind != "dict" && node.kind != "array") node.text = std::move(text_);
    text_.clear();
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().children.push_back(std::move(node));
    }
    return {};
  }

  [[nodiscard]] const Node& root() const { return root_; }

 private:
  int depth_ = 0;
  std::size_t count_ = 0;
  std::string key_;
  std::string text_;
  std::vector<Node> open_;
  Node root_;
};

class PlistRun {
 public:
  PlistRun(ConvertedRun& run, const Node& root) : run_(run), rules_(run), root_(root) {}

  base::Result<void> convert() {
    const Node* diagnostics = root_.find("diagnostics");
    files_ = root_.find("files");
    if (diagnostics == nullptr || files_ == nullptr) {
      return base::fail(base::Errc::malformed, "not a property list of the clang analyzer");
    }
    for (const Node& diagnostic : diagnostics->children) {
      auto done = add(diagnostic);
      if (!done) return done;
    }
    return {};
  }

 private:
  [[nodiscard]] Location location_of(const Node* place) const {
    Location location;
    if (place == nullptr) return location;
    const std::string file = place->text_of("file");
    const auto index = file == "0" ? std::optional<std::int64_t>(0) : parse_position(file);
    if (index && static_cast<std::size_t>(*index) < files_->children.size()) {
      location.path = files_->children[static_cast<std::size_t>(*index)].text;
    }
    location.region = make_region(parse_position(place->text_of("line")),
                                  parse_position(place->text_of("col")), {}, {});
    return location;
  }

  void add_path(Finding& finding, const Node& diagnostic) const {
    const Node* path = diagnostic.find("path");
    if (path == nullptr) return;
    for (const Node& step : path->children) {
      if (step.text_of("kind") != "event" || finding.path.size() >= kMaxRelated) continue;
      Location location = location_of(step.find("location"));
      if (location.path.empty()) continue;
      location.message = clean_message(step.text_of("message"));
      finding.path.push_back(std::move(location));
    }
    if (finding.path.size() < 2) finding.path.clear();
  }

  base::Result<void> add(const Node& diagnostic) {
    Finding finding;
    finding.location = location_of(diagnostic.find("location"));
    const std::string check = diagnostic.text_of("check_name");
    if (finding.location.path.empty() || check.empty()) {
      return base::fail(base::Errc::malformed, "a diagnostic without a place or check");
    }
    finding.rule = rules_.index_of(check, [&](const std::string& id) {
      Rule rule = plain_rule(id, "Clang Static Analyzer",
                             "https://clang.llvm.org/docs/analyzer/checkers.html");
      const std::string category = diagnostic.text_of("category");
      if (!category.empty()) rule.tags.push_back(clean_message(category));
      return rule;
    });
    finding.message = clean_message(diagnostic.text_of("description"));
    const std::string hash = diagnostic.text_of("issue_hash_content_of_line_in_context");
    if (!hash.empty()) finding.fingerprints.emplace_back("clangIssueHash/v1", clean_message(hash));
    add_path(finding, diagnostic);
    return add_finding(run_, std::move(finding));
  }

  ConvertedRun& run_;
  RuleBook rules_;
  const Node& root_;
  const Node* files_ = nullptr;
};

}  // namespace

base::Result<ConvertedRun> convert_clang_plist(ByteSource& source) {
  ConvertedRun run;
  run.tool = {"Clang Static Analyzer", "", "https://clang-analyzer.llvm.org"};
  run.column_unit = ColumnUnit::utf8_bytes;
  PlistXml xml;
  auto done = read_xml(
      source, {[&](std::string_view name, const XmlAttributes&) { return xml.begin(name); },
               [&](std::string_view name) { return xml.end(name); },
               [&](std::string_view text) { xml.text(text); }});
  if (done) done = PlistRun(run, xml.root()).convert();
  if (!done) return base::Unexpected(std::move(done).error());
  const std::string version = xml.root().text_of("clang_version");
  if (!version.empty()) run.tool.version = clean_message(version).substr(0, 128);
  return run;
}

}  // namespace ethos::sarif
