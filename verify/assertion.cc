// SPDX-License-Identifier: Apache-2.0
#include "verify/assertion.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <variant>

#include "verify/asserted_path.h"
#include "verify/assertion_tree.h"
#include "verify/assertion_words.h"
#include "verify/encoding.h"

namespace ethos::verify {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kMaxDepth = 64;
constexpr std::uint64_t kMaxNumber = 9007199254740991;
constexpr std::string_view kLimitPrefix = "limit.";

struct Token {
  enum class Kind { word, string, number, sign, end };
  Kind kind = Kind::end;
  std::string text;
  std::int64_t number = 0;
};

bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/' || c == '@' || c == '*' || c == '+' || c == ':';
}

// Signs of other languages have words here; of a letter all of its bytes are shown.
std::string sign_fault(std::string_view rest) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOthers{
      {{"&", "and"}, {"|", "or"}, {"!", "not"}, {"=", "=="}, {"\xe2\x80\x9c", "\""}, {"\xe2\x80\x98", "'"}}};
  const unsigned bytes = utf8_sequence(rest.data(), rest.data() + rest.size());
  std::string out = "an unknown sign `" + printable(rest.substr(0, std::max(bytes, 1U))) + "`";
  for (const auto& [sign, ours] : kOthers) {
    if (rest.starts_with(sign)) out += ": here it is written `" + std::string(ours) + "`";
  }
  return out;
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n') {
      ++at;
    } else if (c == '"' || c == '\'') {
      const auto end = text.find(c, at + 1);
      if (end == std::string_view::npos) return malformed("a quoted text does not end", static_cast<std::ptrdiff_t>(at));
      out.push_back({Token::Kind::string, std::string(text.substr(at + 1, end - at - 1)), 0});
      at = end + 1;
    } else if (word_char(c)) {
      std::size_t end = at;
      while (end < text.size() && word_char(text[end])) ++end;
      const std::string word(text.substr(at, end - at));
      const auto number = parse_decimal(word, kMaxNumber);
      if (number) {
        out.push_back({Token::Kind::number, word, static_cast<std::int64_t>(*number)});
      } else {
        out.push_back({Token::Kind::word, word, 0});
      }
      at = end;
    } else {
      std::string sign(1, c);
      if (at + 1 < text.size() && text[at + 1] == '=' && (c == '=' || c == '!' || c == '<' || c == '>')) sign += '=';
      if (sign != "==" && sign != "!=" && sign != "<" && sign != "<=" && sign != ">" && sign != ">=" && sign != "(" &&
          sign != ")" && sign != ",") {
        return malformed(sign_fault(text.substr(at)), static_cast<std::ptrdiff_t>(at));
      }
      out.push_back({Token::Kind::sign, sign, 0});
      at += sign.size();
    }
  }
  out.push_back({});
  return out;
}

using Node = AssertionNode;

class AssertionParser {
 public:
  explicit AssertionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<std::shared_ptr<Node>> parse() {
    auto node = implication(0);
    if (node && now().kind != Token::Kind::end) fail(unexpected());
    if (!error_.empty()) return malformed(error_);
    return std::shared_ptr<Node>(std::move(node));
  }

 private:
  using Made = std::unique_ptr<Node>;

  const Token& now() const { return tokens_[at_]; }
  bool is_word(std::string_view word) const { return now().kind == Token::Kind::word && now().text == word; }
  bool is_sign(std::string_view sign) const { return now().kind == Token::Kind::sign && now().text == sign; }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    ++at_;
    return true;
  }
  Made fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return nullptr;
  }

  // What stands after a whole statement. A list without parentheses is the usual cause.
  [[nodiscard]] std::string unexpected() const {
    if (now().kind == Token::Kind::end) return "the statement ends too early";
    if (is_sign(",") && !last_list_.empty()) return "several values need parentheses, as in `" + last_list_ + "(a, b)`";
    return "`" + printable(now().text, 100) + "` is not expected here";
  }

  static Made pair(Node::Kind kind, Made left, Made right) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return node;
  }

  Made implication(std::size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    auto left = disjunction(depth);
    // `A where B` says the same the other way round.
    if (left && take_word("where")) {
      auto condition = disjunction(depth);
      return condition ? pair(Node::Kind::implies, std::move(condition), std::move(left)) : nullptr;
    }
    if (!left || !take_word("implies")) return left;
    auto right = implication(depth + 1);
    return right ? pair(Node::Kind::implies, std::move(left), std::move(right)) : nullptr;
  }

  Made disjunction(std::size_t depth) {
    auto left = conjunction(depth);
    while (left && take_word("or")) {
      auto right = conjunction(depth);
      if (!right) return nullptr;
      left = pair(Node::Kind::any, std::move(left), std::move(right));
    }
    return left;
  }

  Made conjunction(std::size_t depth) {
    auto left = negation(depth);
    while (left && take_word("and")) {
      auto right = negation(depth);
      if (!right) return nullptr;
      left = pair(Node::Kind::all, std::move(left), std::move(right));
    }
    return left;
  }

  Made negation(std::size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    if (take_word("not")) {
      auto inner = negation(depth + 1);
      if (!inner) return nullptr;
      auto node = std::make_unique<Node>();
      node->kind = Node::Kind::negation;
      node->children.push_back(std::move(inner));
      return node;
    }
    if (!is_sign("(")) return statement();
    ++at_;
    auto inner = implication(depth + 1);
    if (!inner) return nullptr;
    if (!is_sign(")")) return fail("a `)` is missing");
    ++at_;
    return inner;
  }

  // One or more values, in parentheses when there are several.
  bool values(Node& node) {
    const bool list = is_sign("(");
    if (list) ++at_;
    while (true) {
      if (now().kind == Token::Kind::end || now().kind == Token::Kind::sign) return false;
      node.values.push_back(now().text);
      ++at_;
      if (!list || is_sign(")")) break;
      if (!is_sign(",")) return false;
      ++at_;
    }
    if (list) ++at_;
    return true;
  }

  static std::string no_number(const std::string& name, const std::string& value) {
    const std::string hint = number_hint(name, value);
    return "`" + name + "` is a number, and `" + printable(value, 100) + "` is none" + (hint.empty() ? "" : "; " + hint);
  }
  static std::string limit_name_fault(const std::string& name) {
    return name.starts_with(kLimitPrefix) ? limit_fault(std::string_view(name).substr(kLimitPrefix.size())) : std::string();
  }

  // A statement whose words can all be meant.
  Made sound(Made node) {
    const bool is_number = node->kind != Node::Kind::rule && is_number_field(node->name);
    if (auto fault = is_number ? limit_name_fault(node->name) : std::string(); !fault.empty()) return fail(std::move(fault));
    for (const std::string& value : node->values) {
      if (is_number && !parse_decimal(value, kMaxNumber)) return fail(no_number(node->name, value));
      if (auto fault = value_fault(node->name, value); !fault.empty()) return fail(std::move(fault));
      if (node->name == "writes-within" || node->name == "reads-within") node->paths.push_back(*asserted_path(value));
    }
    return node;
  }

  Made statement() {
    if (now().kind == Token::Kind::end) return fail("a statement is missing at the end");
    if (now().kind != Token::Kind::word) return fail("a statement is expected before `" + printable(now().text, 100) + "`");
    auto node = std::make_unique<Node>();
    node->name = now().text;
    ++at_;
    const auto rule = find_rule(node->name);
    if (rule == RuleArguments::file) {
      node->kind = Node::Kind::rule;
      const bool good = take_word("subset") && take_word("of");
      if (!good || now().kind == Token::Kind::end || now().kind == Token::Kind::sign) return fail("`grants` is followed by `subset of FILE`");
      node->values.push_back(now().text);
      ++at_;
      return node;
    }
    if (rule == RuleArguments::none || rule == RuleArguments::some) {
      node->kind = Node::Kind::rule;
      if (rule == RuleArguments::some) {
        last_list_ = node->name + " ";
        if (!values(*node)) return fail("`" + node->name + "` needs a value, or several in parentheses: `" + last_list_ + "(a, b)`");
      }
      return sound(std::move(node));
    }
    if (!is_field(node->name)) {
      const std::string hint = hint_for(node->name);
      return fail("`" + node->name + "` is neither a rule nor a field (" + (hint.empty() ? "--explain assertions lists them" : "ask for " + hint) + ")");
    }
    if (take_word("in")) {
      node->kind = Node::Kind::membership;
      last_list_ = node->name + " in ";
      return values(*node) ? sound(std::move(node)) : fail("`in` needs values, as in `in (a, b)`");
    }
    node->kind = Node::Kind::comparison;
    if (now().kind != Token::Kind::sign || is_sign("(") || is_sign(")") || is_sign(",")) {
      return fail("a comparison is expected after `" + node->name + "`");
    }
    node->sign = now().text;
    ++at_;
    if (now().kind == Token::Kind::end || now().kind == Token::Kind::sign) return fail("a value is missing");
    node->values.push_back(now().text);
    node->number = now().number;
    const bool numeric = now().kind == Token::Kind::number;
    ++at_;
    if (is_number_field(node->name) && !numeric) {
      if (auto fault = limit_name_fault(node->name); !fault.empty()) return fail(std::move(fault));
      return fail(no_number(node->name, node->values[0]));
    }
    if (numeric && !is_number_field(node->name)) return fail("`" + node->name + "` is a text, and is compared with a word, not with a number");
    const bool ordered = node->sign != "==" && node->sign != "!=";
    if (ordered && !numeric) return fail("only numbers can be compared with `" + node->sign + "`");
    return sound(std::move(node));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::string last_list_;  // what the last values belong to
  std::string error_;
};

void collect_tools(const Node& node, std::set<std::string>& out) {
  if (node.name == "tool") out.insert(node.values.begin(), node.values.end());
  for (const auto& child : node.children) collect_tools(*child, out);
}

bool mentions_unstarted(const Node& node) {
  if (node.name == "refused" || node.name == "state" || node.name == "policy" || node.name == "recomputed" ||
      node.name == "ended") {
    return true;
  }
  return std::any_of(node.children.begin(), node.children.end(), [](const auto& c) { return mentions_unstarted(*c); });
}

}  // namespace

Result<Assertion> Assertion::parse(std::string_view text) {
  if (text.size() > kMaxText) return Error{Errc::too_long, "an assertion is longer than 4,096 bytes"};
  auto tokens = tokens_of(text);
  if (!tokens) return std::move(tokens).error();
  auto root = AssertionParser(*std::move(tokens)).parse();
  if (!root) return std::move(root).error();
  Assertion out;
  out.text_ = text;
  out.root_ = *std::move(root);
  collect_tools(*out.root_, out.unseen_tools_);
  out.wants_unstarted_ = mentions_unstarted(*out.root_);
  return out;
}

void Assertion::judge(const RunEvidence& run, const RunJudgement& judgement) {
  if (!unseen_tools_.empty()) unseen_tools_.erase(run.open.text_at("tool"));
  if (!run.has_enforced() && !wants_unstarted_) return;
  Why why;
  // `A implies B` speaks of the runs that fit A: without one it has no answer, rather than a yes.
  const bool is_implication = root_->kind == AssertionNode::Kind::implies;
  if (is_implication && evaluate(*root_->children[0], run, judgement, why) == Truth::no) return;
  ++runs_;
  const Truth truth = evaluate(*root_, run, judgement, why);
  if (truth == Truth::yes) return;
  std::uint64_t& count = truth == Truth::no ? failed_ : unsure_;
  const std::string& tool = run.open.text_at("tool");
  Counterexample found{run.id, why.seq < 0 ? run.first_seq : why.seq, tool + ": " + why.text, tool, truth == Truth::no};
  if (run.state != RunEvidence::State::closed) found.end = run.state == RunEvidence::State::aborted ? "aborted" : "open";
  // A run that does not fit says more than one that nobody can judge.
  if (++count == 1 && (truth == Truth::no || failed_ == 0)) counterexample_ = found;
  keep(std::move(found));
}

void Assertion::keep(Counterexample found) {
  const auto same = std::find_if(of_tools_.begin(), of_tools_.end(), [&](const Counterexample& c) { return c.tool == found.tool && c.end == found.end; });
  if (same == of_tools_.end()) {
    if (of_tools_.size() < kMaxTools) of_tools_.push_back(std::move(found));
  } else if (same->fails == found.fails) {
    ++same->runs;
  } else if (found.fails) {
    *same = std::move(found);
  }
}

namespace {

void visit_files(Node& node, const std::function<void(Node&)>& visit) {
  if (find_rule(node.name) == RuleArguments::file && node.kind == Node::Kind::rule) visit(node);
  for (const auto& child : node.children) visit_files(*child, visit);
}

}  // namespace

std::vector<std::string> Assertion::files() const {
  std::vector<std::string> out;
  visit_files(*root_, [&](Node& node) { out.push_back(node.values[0]); });
  return out;
}

void Assertion::set_file(const std::string& name, std::shared_ptr<GrantFile> file) {
  visit_files(*root_, [&](Node& node) {
    if (node.values[0] != name) return;
    node.file = file;
    if (file->is_declaration()) node.commands = std::make_shared<CommandNotes>();
  });
}

Value Assertion::commands() const {
  Value out = Value::array();
  visit_files(*root_, [&](Node& node) {
    Value v = Value::object();
    v.set("file", Value::of(printable(node.values[0], 1000)));
    v.set("declaration", Value::of(node.commands != nullptr));
    if (node.commands) {
      const CommandNotes& notes = *node.commands;
      const auto number = [](std::uint64_t n) { return Value::of(static_cast<std::int64_t>(n)); };
      v.set("same", number(notes.same)).set("other", number(notes.other)).set("unknown", number(notes.unknown));
      if (notes.other > 0) {
        v.set("run", Value::of(notes.run)).set("tool", Value::of(notes.tool));
        v.set("command", Value::of(command_text(notes.found))).set("declared", Value::of(command_text(notes.declared)));
      }
    }
    out.push(std::move(v));
  });
  return out;
}

Assertion::Outcome Assertion::outcome() const {
  if (failed_ > 0) return Outcome::fail;
  if (unsure_ > 0) return Outcome::unknown;
  return runs_ == 0 ? Outcome::empty : Outcome::pass;
}

namespace {

std::optional<std::int64_t> day_ms(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t size) -> std::optional<int> {
    int value = 0;
    for (const char c : text.substr(from, size)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  const auto year = part(0, 4);
  const auto month = part(5, 2);
  const auto day = part(8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::sys_days{date}.time_since_epoch()).count();
}

}  // namespace

Result<Period> parse_period(std::string_view text, const Zone& zone) {
  constexpr std::int64_t day = 86'400'000;
  const auto dots = text.find("..");
  const auto from = day_ms(text.substr(0, dots));
  const auto to = dots == std::string_view::npos ? std::nullopt : day_ms(text.substr(dots + 2));
  if (dots == std::string_view::npos) return malformed("a period is `YYYY-MM-DD..YYYY-MM-DD`");
  if (!from || !to) return malformed("`" + printable(from ? text.substr(dots + 2) : text.substr(0, dots), 40) + "` is no day; a period is `YYYY-MM-DD..YYYY-MM-DD`");
  if (*to < *from) return malformed("the period ends before it begins; it is `YYYY-MM-DD..YYYY-MM-DD`, the earlier day first");
  return Period{zone.first_instant(*from), zone.first_instant(*to + day)};
}

}  // namespace ethos::verify
