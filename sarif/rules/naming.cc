// SPDX-License-Identifier: Apache-2.0
#include "sarif/rules/naming.h"

#include <algorithm>
#include <vector>

namespace ethos::sarif {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_upper(c) || is_lower(c) || is_digit(c); }

char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Splits at everything that is no letter or digit, and where a capital follows a small letter.
std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> parts;
  bool starts_new = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (!is_word(c)) {
      starts_new = true;
      continue;
    }
    const bool is_hump = is_upper(c) && i > 0 && is_lower(words[i - 1]);
    if (starts_new || is_hump) parts.emplace_back();
    starts_new = false;
    parts.back().push_back(c);
  }
  return parts;
}

}  // namespace

std::string pascal_case(std::string_view words) {
  std::string out;
  for (const std::string& part : split(words)) {
    out.push_back(upper(part.front()));
    out.append(part.substr(1));
  }
  return out;
}

std::string phrase(std::string_view words) {
  std::string out;
  for (const std::string& part : split(words)) {
    // A word all in capitals is an abbreviation: "CSS", "URL".
    const bool is_abbreviation =
        part.size() > 1 && std::none_of(part.begin(), part.end(), is_lower);
    if (!out.empty()) out.push_back(' ');
    const std::size_t begin = out.size();
    out += part;
    if (!is_abbreviation) out[begin] = lower(out[begin]);
  }
  if (!out.empty()) out[0] = upper(out[0]);
  return out;
}

std::string cwe_number(std::string_view text) {
  if (text.substr(0, 4) == "CWE-" || text.substr(0, 4) == "cwe-") text.remove_prefix(4);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  const bool is_number = !text.empty() && text.size() <= 5 && text != "0" &&
                         std::all_of(text.begin(), text.end(), is_digit);
  return is_number ? std::string(text) : std::string();
}

std::string cwe_tag(std::string_view number) {
  std::string padded(number);
  if (padded.size() < 3) padded.insert(0, 3 - padded.size(), '0');
  return "external/cwe/cwe-" + padded;
}

std::string cwe_uri(std::string_view number) {
  return "https://cwe.mitre.org/data/definitions/" + std::string(number) + ".html";
}

}  // namespace ethos::sarif
