// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/yaml.h"

#include <algorithm>
#include <optional>

#include "sarif/json/string_codec.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostNodes = 100'000;  // of one item

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  base::Result<void> document(
      std::string_view list, const YamlHandler& item,
      const std::function<base::Result<void>(const std::string&, const YamlNode&)>& other) {
    while (find_line()) {
      const auto key = take_key();
      if (indent_ != 0 || !key) return fail("no key at the start of a line");
      nodes_ = 0;
      if (*key == list && is_line_empty() && find_line_from_next() && is_item()) {
        auto done = items(indent_, item);
        if (!done) return done;
        continue;
      }
      YamlNode node;
      auto done = value(0, node, 0);
      if (!done) return done;
      done = other(*key, node);
      if (!done) return done;
    }
    return {};
  }

 private:
  base::Unexpected fail(std::string_view why) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return base::fail(base::Errc::malformed,
                      "line " + std::to_string(line + 1) + ": " + std::string(why));
  }

  [[nodiscard]] bool is_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line_end() const {
    return std::min(text_.find('\n', at_), text_.size());
  }

  // Goes to the first line, from where it stands, that holds something, and to its first character.
  // False at the end.
  bool find_line() {
    if (at_ == found_) return !is_end();
    while (!is_end()) {
      const std::size_t begin = at_;
      std::size_t first = begin;
      while (first < text_.size() && text_[first] == ' ') ++first;
      const std::string_view line = text_.substr(first, text_.find('\n', first) - first);
      const bool is_mark = first == begin && (line.starts_with("---") || line.starts_with("..."));
      if (!line.empty() && line != "\r" && line[0] != '#' && !is_mark) {
        indent_ = first - begin;
        at_ = found_ = first;
        return true;
      }
      at_ = std::min(text_.find('\n', first), text_.size() - 1) + 1;
    }
    return false;
  }

  bool find_line_from_next() {
    at_ = std::min(line_end() + 1, text_.size());
    return find_line();
  }

  // "- " or "-" alone.
  [[nodiscard]] bool is_item() const {
    return !is_end() && text_[at_] == '-' &&
           (at_ + 1 >= text_.size() || text_[at_ + 1] == ' ' || text_[at_ + 1] == '\n' ||
            text_[at_ + 1] == '\r');
  }

  // "word:" and what stands behind it; the key's characters are read over.
  std::optional<std::string> take_key() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == at_ || end >= text_.size() || text_[end] != ':') return std::nullopt;
    if (end + 1 < text_.size() &&
        std::string_view(" \r\n").find(text_[end + 1]) == std::string_view::npos) {
      return std::nullopt;
    }
    std::string key(text_.substr(at_, end - at_));
    at_ = end + 1;
    while (!is_end() && text_[at_] == ' ') ++at_;
    return key;
  }

  [[nodiscard]] bool is_line_empty() const {
    const std::string_view rest = text_.substr(at_, line_end() - at_);
    return rest.empty() || rest == "\r" || rest[0] == '#';
  }

  base::Result<void> items(std::size_t indent, const YamlHandler& use) {
    while (!is_end() && indent_ == indent && is_item()) {
      nodes_ = 0;
      YamlNode node;
      auto done = one_item(indent, node, 1);
      if (!done) return done;
      done = use(node);
      if (!done) return done;
      if (!find_line()) break;
    }
    return {};
  }

  // Behind "- ": what follows stands as deep as its first character.
  base::Result<void> one_item(std::size_t indent, YamlNode& node, std::size_t depth) {
    ++at_;
    std::size_t column = indent + 1;
    while (!is_end() && text_[at_] == ' ') {
      ++at_;
      ++column;
    }
    if (is_line_empty()) {
      if (!find_line_from_next() || indent_ <= indent) return {};
      return block(indent_, node, depth);
    }
    indent_ = column;
    return block(column, node, depth);
  }

  base::Result<void> block(std::size_t indent, YamlNode& node, std::size_t depth) {
    if (depth > kDeepest) return fail("nested too deep");
    if (++nodes_ > kMostNodes) return fail("one item is too large");
    if (is_item()) {
      node.kind = YamlNode::Kind::list;
      while (!is_end() && indent_ == indent && is_item()) {
        node.items.emplace_back();
        auto done = one_item(indent, node.items.back(), depth + 1);
        if (!done) return done;
        if (!find_line()) break;
      }
      return {};
    }
    auto key = take_key();
    if (!key) return scalar(indent, node);
    node.kind = YamlNode::Kind::map;
    while (key) {
      node.items.emplace_back().name = std::move(*key);
      auto done = value(indent, node.items.back(), depth + 1);
      if (!done) return done;
      if (!find_line() || indent_ != indent || is_item()) break;
      key = take_key();
      if (!key) return fail("no key");
    }
    return {};
  }

  // Behind "key: ".
  base::Result<void> value(std::size_t indent, YamlNode& node, std::size_t depth) {
    if (!is_line_empty()) return scalar(indent, node);
    if (!find_line_from_next()) return {};
    // A list may stand as deep as its key.
    if (indent_ > indent || (indent_ == indent && is_item())) return block(indent_, node, depth);
    return {};
  }

  base::Result<void> scalar(std::size_t indent, YamlNode& node) {
    if (++nodes_ > kMostNodes) return fail("one item is too large");
    node.kind = YamlNode::Kind::scalar;
    const char first = text_[at_];
    if (first == '\'' || first == '"') return quoted(first, node);
    const std::size_t end = line_end();
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    at_ = std::min(end + 1, text_.size());
    if (line == "[]") {
      node.kind = YamlNode::Kind::list;
    } else if (line == "{}") {
      node.kind = YamlNode::Kind::map;
    } else if (line.starts_with('|') || line.starts_with('>')) {
      literal(indent, line.starts_with('>'), node);
    } else if (std::string_view("&*!%@`[{").find(first) != std::string_view::npos) {
      return fail("a kind of YAML that is not read");
    } else {
      node.text = line;
    }
    return {};
  }

  // Over several lines: one line end is a blank, each further one a line end.
  base::Result<void> quoted(char quote, YamlNode& node) {
    std::string raw;
    for (++at_;; ++at_) {
      if (is_end()) return fail("a quote is not closed");
      const char c = text_[at_];
      if (c == quote) {
        const bool is_doubled = quote == '\'' && at_ + 1 < text_.size() && text_[at_ + 1] == '\'';
        if (!is_doubled) break;
        ++at_;
        raw.push_back('\'');
      } else if (c == '\n') {
        fold(raw);
      } else if (c == '\\' && quote == '"' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] == '\n') {  // the line goes on
          ++at_;
          while (at_ + 1 < text_.size() && (text_[at_ + 1] == ' ' || text_[at_ + 1] == '\t')) ++at_;
          continue;
        }
        raw.push_back(c);
        raw.push_back(text_[++at_]);
      } else {
        raw.push_back(c);
      }
    }
    ++at_;
    if (quote == '\'') {
      node.text = std::move(raw);
    } else if (check_escapes(raw, LoneSurrogates::as_bytes) == EscapeFault::none) {
      append_unescaped(node.text, raw, LoneSurrogates::as_bytes);  // JSON's escapes are YAML's
    } else {
      node.text = std::move(raw);
    }
    at_ = std::min(line_end() + 1, text_.size());
    return {};
  }

  // Stands on a line end inside quotes; goes to the last blank before what follows.
  void fold(std::string& raw) {
    while (!raw.empty() && (raw.back() == ' ' || raw.back() == '\t' || raw.back() == '\r'))
      raw.pop_back();
    std::size_t ends = 0;
    while (!is_end() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      if (text_[at_] == '\n') ++ends;
      ++at_;
    }
    --at_;
    raw.append(ends == 1 ? 1 : ends - 1, ends == 1 ? ' ' : '\n');
  }

  void literal(std::size_t indent, bool is_folded, YamlNode& node) {
    std::size_t own = 0;
    while (!is_end()) {
      const std::size_t end = line_end();
      std::string_view line = text_.substr(at_, end - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      if (first < line.size() && first <= indent) break;
      if (own == 0 && first < line.size()) own = first;
      if (!node.text.empty()) node.text.push_back(is_folded ? ' ' : '\n');
      node.text += line.substr(std::min(own, line.size()));
      at_ = std::min(end + 1, text_.size());
    }
    while (node.text.ends_with('\n')) node.text.pop_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t found_ = std::string_view::npos;  // where the last line that was found begins
  std::size_t indent_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  if (kind != Kind::map) return nullptr;
  for (const YamlNode& node : items) {
    if (node.name == key) return &node;
  }
  return nullptr;
}

std::string YamlNode::text_of(std::string_view key) const {
  const YamlNode* node = find(key);
  return node != nullptr && node->kind == Kind::scalar ? node->text : std::string();
}

base::Result<void> read_yaml(
    std::string_view text, std::string_view list, const YamlHandler& item,
    const std::function<base::Result<void>(const std::string& key, const YamlNode&)>& other) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return Parser(text).document(list, item, other);
}

}  // namespace ethos::sarif
