// SPDX-License-Identifier: Apache-2.0
#include "sarif/line_key.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>

#include "ledger/base/bytes.h"
#include "ledger/record/digest.h"

namespace ethos::sarif {
namespace {

constexpr std::size_t kMostAncestors = 32;
constexpr std::size_t kTab = 8;

std::uint64_t first_bytes(std::string_view text) {
  const record::Digest digest = record::sha256(base::as_bytes(text));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value = value << 8U | std::to_integer<std::uint64_t>(digest.bytes()[i]);
  }
  return value;
}

struct Line {
  std::uint64_t text = 0;  // of the line without blanks
  std::size_t indent = 0;
  bool is_blank = true;
  bool is_bracket = true;  // nothing but blanks and brackets: no other line stands under it
};

Line read_line(std::string_view bytes, std::string& scratch) {
  Line line;
  scratch.clear();
  bool is_leading = true;
  if (bytes.ends_with('\r')) bytes.remove_suffix(1);
  for (const char c : bytes) {
    if (c == ' ' || c == '\t') {
      if (is_leading) line.indent += c == ' ' ? 1 : kTab - line.indent % kTab;
      continue;
    }
    is_leading = false;
    line.is_blank = false;
    if (std::string_view("{}()[];,").find(c) == std::string_view::npos) line.is_bracket = false;
    scratch.push_back(c);
  }
  line.text = first_bytes(scratch);
  return line;
}

std::vector<Line> read_lines_of(std::string_view source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  std::vector<Line> lines;
  std::string scratch;
  while (true) {
    const std::size_t end = source.find('\n');
    lines.push_back(read_line(source.substr(0, end), scratch));
    if (end == std::string_view::npos) return lines;
    source.remove_prefix(end + 1);
  }
}

// The line that each line stands under: the nearest one above with a smaller indent that has more
// in it than brackets. A blank line stands where the line above it stands.
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<std::size_t> parents_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> parents(lines.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.is_blank) {
      parents[i] = open.empty() ? kNone : open.back();
      continue;
    }
    if (line.is_bracket) {
      // Closes nothing: what follows may go on below the same line.
      const auto under = std::find_if(open.rbegin(), open.rend(), [&](std::size_t above) {
        return lines[above].indent < line.indent;
      });
      parents[i] = under == open.rend() ? kNone : *under;
      continue;
    }
    while (!open.empty() && lines[open.back()].indent >= line.indent) open.pop_back();
    parents[i] = open.empty() ? kNone : open.back();
    open.push_back(i);
  }
  return parents;
}

void append_hex(std::string& out, std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) {
    out.push_back(kDigits[(value >> static_cast<unsigned>(shift)) & 0xFU]);
  }
}

// "P" or "A" and the texts of the line and of up to `most` lines that it stands under, innermost
// first, each as 16 hex digits.
std::uint64_t with_ancestors(char level, std::size_t index, std::size_t most,
                             const std::vector<Line>& lines,
                             const std::vector<std::size_t>& parents) {
  std::string text(1, level);
  append_hex(text, lines[index].text);
  for (std::size_t at = parents[index]; at != kNone && most > 0; at = parents[at], --most) {
    append_hex(text, lines[at].text);
  }
  return first_bytes(text);
}

using Counts = std::unordered_map<std::uint64_t, std::size_t>;

}  // namespace

std::string LineKey::text() const {
  std::string out;
  append_hex(out, hash);
  return out + ":" + std::to_string(occurrence);
}

std::vector<LineKey> line_keys(std::string_view source) {
  const std::vector<Line> lines = read_lines_of(source);
  const std::vector<std::size_t> parents = parents_of(lines);
  std::vector<LineKey> keys(lines.size());
  std::vector<std::size_t> alike(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) alike[i] = i;
  // Each level settles the lines that it tells from all others; the rest goes on to the next.
  for (const char level : {'L', 'P', 'A'}) {
    Counts counts;
    for (const std::size_t i : alike) {
      keys[i].hash = level == 'L' ? lines[i].text
                                  : with_ancestors(level, i, level == 'P' ? 1 : kMostAncestors,
                                                   lines, parents);
      ++counts[keys[i].hash];
    }
    std::vector<std::size_t> rest;
    for (const std::size_t i : alike) {
      keys[i].occurrence = 1;
      if (counts[keys[i].hash] > 1) rest.push_back(i);
    }
    alike = std::move(rest);
  }
  Counts seen;
  for (const std::size_t i : alike) keys[i].occurrence = ++seen[keys[i].hash];
  return keys;
}

}  // namespace ethos::sarif
