// SPDX-License-Identifier: Apache-2.0
// What of WCAG 2.2 AA can be computed from the page itself.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <regex>

#include "reports/html.h"
#include "tests/reports/support/fixture.h"

using namespace ethos::reports;
using namespace ethos::support;

namespace {

using Colours = std::map<std::string, std::string>;

std::string between(const std::string& text, const std::string& open, const std::string& close,
                    std::size_t from = 0) {
  const auto start = text.find(open, from);
  REQUIRE(start != std::string::npos);
  const auto end = text.find(close, start + open.size());
  REQUIRE(end != std::string::npos);
  return text.substr(start + open.size(), end - start - open.size());
}

std::string style_of(const std::string& html) { return between(html, "<style>", "</style>"); }

// The custom properties of one `:root{...}`.
Colours colours_of(const std::string& rule) {
  Colours out;
  const std::regex property("--([a-z]+):(#[0-9a-f]{3,6})");
  for (std::sregex_iterator at(rule.begin(), rule.end(), property), end; at != end; ++at) {
    std::string value = (*at)[2];
    if (value.size() == 4)
      value = {'#', value[1], value[1], value[2], value[2], value[3], value[3]};
    out[(*at)[1]] = value;
  }
  return out;
}

// WCAG 2.2, relative luminance and contrast ratio.
double luminance(const std::string& colour) {
  const auto part = [&](std::size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}
double contrast(const std::string& one, const std::string& other) {
  const double a = luminance(one);
  const double b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

std::vector<std::string> tags_of(const std::string& html) {
  std::vector<std::string> out;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const auto end = html.find('>', at);
    if (end != std::string::npos) out.push_back(html.substr(at + 1, end - at - 1));
  }
  return out;
}

// The page without its data, style and script.
std::string body_of(const std::string& html) {
  std::string out = html.substr(html.find("<body"));
  for (auto at = out.find("<script"); at != std::string::npos; at = out.find("<script", at))
    out.erase(at, out.find("</script>", at) + 9 - at);
  return out;
}

}  // namespace

TEST_CASE("access: every text colour stands out from every ground, light and dark", "[reports]") {
  const std::string style = style_of(render(small_model()).html);
  const Colours light = colours_of(between(style, ":root{", "}"));
  const Colours dark =
      colours_of(between(style, ":root{", "}", style.find("prefers-color-scheme:dark")));
  for (const Colours* scheme : {&light, &dark}) {
    REQUIRE(scheme->size() >= 11);
    for (const char* text : {"fg", "mute", "link", "good", "bad", "warn"}) {
      for (const char* ground : {"bg", "soft"}) {
        const double ratio = contrast(scheme->at(text), scheme->at(ground));
        CAPTURE(text, ground, scheme == &dark, ratio);
        CHECK(ratio >= 4.5);  // 1.4.3
      }
    }
    // 1.4.11: bars and lines of charts, borders of fields, the ring of the focus.
    for (const char* shape : {"a", "b", "mute", "link"}) {
      CAPTURE(shape, scheme == &dark);
      CHECK(contrast(scheme->at(shape), scheme->at("bg")) >= 3);
    }
    CHECK(contrast(scheme->at("bg"), scheme->at("bad")) >= 4.5);  // NOT VERIFIED, inverted
  }
  // The measure itself: the two ends, and a known pair.
  CHECK(contrast("#000000", "#ffffff") == Approx(21));
  CHECK(contrast("#777777", "#ffffff") == Approx(4.48).margin(0.01));
  // No colour of text is written elsewhere than in these two lists and for paper.
  const std::string screen = style.substr(0, style.find("@media print"));
  const std::regex literal("[;{]color:#");
  CHECK(std::distance(std::sregex_iterator(screen.begin(), screen.end(), literal),
                      std::sregex_iterator()) == 0);
}

TEST_CASE("access: what is written for paper stands out from paper", "[reports]") {
  const std::string style = style_of(render(small_model()).html);
  const std::string print = style.substr(style.find("@media print"));
  const std::regex literal("[;{]color:(#[0-9a-f]{6})");
  std::size_t found = 0;
  for (std::sregex_iterator at(print.begin(), print.end(), literal), end; at != end; ++at) {
    ++found;
    CAPTURE((*at)[1].str());
    CHECK(contrast((*at)[1], "#ffffff") >= 4.5);
  }
  CHECK(found >= 1);
}

TEST_CASE("access: headings go down one step at a time, and every section has one", "[reports]") {
  const std::string body = body_of(render(small_model()).html);
  int level = 0;
  std::size_t first = 0;
  for (const std::string& tag : tags_of(body)) {
    if (tag.size() < 2 || tag[0] != 'h' || tag[1] < '1' || tag[1] > '6') continue;
    const int next = tag[1] - '0';
    if (next == 1) ++first;
    CAPTURE(tag, level);
    CHECK(next <= level + 1);
    level = next;
  }
  CHECK(first == 1);
  const auto count = [&](const std::string& what) {
    std::size_t out = 0;
    for (auto at = body.find(what); at != std::string::npos; at = body.find(what, at + 1)) ++out;
    return out;
  };
  CHECK(count("<section") <= count("<h2"));
  for (const char* landmark : {"<main", "<nav", "<header", "<footer"}) CHECK(count(landmark) == 1);
}

TEST_CASE("access: the keyboard reaches everything, sees where it is, and can skip", "[reports]") {
  const std::string html = render(small_model()).html;
  const std::string style = style_of(html);
  CHECK(style.find(":focus-visible{outline:2px solid") != std::string::npos);
  CHECK(style.find("outline:none") == std::string::npos);
  CHECK(style.find("outline:0") == std::string::npos);
  // The first thing that can be reached leads past the list of sections.
  const std::string body = body_of(html);
  const std::string first = body.substr(body.find("<a"), 80);
  CHECK(first.find("class=\"skip\"") != std::string::npos);
  const std::string target = between(first, "href=\"#", "\"");
  CHECK(body.find("id=\"" + target + "\"") != std::string::npos);
  for (const std::string& tag : tags_of(body)) {
    const auto index = tag.find("tabindex=\"");
    CAPTURE(tag);
    if (index != std::string::npos) CHECK(tag[index + 10] != '1');
    // What scrolls sideways can be scrolled by keyboard and has a name.
    if (tag.find("class=\"scroll\"") != std::string::npos ||
        tag.find(" scroll\"") != std::string::npos) {
      CHECK(tag.find("tabindex=\"0\"") != std::string::npos);
      CHECK(tag.find("aria-label=\"") != std::string::npos);
      CHECK(tag.find("role=\"") != std::string::npos);
    }
  }
  // 2.5.8: 24 px for what stands by itself.
  for (const char* rule : {"summary{cursor:pointer;padding:.3rem 0;min-height:24px}",
                           "min-height:24px;border:1px solid var(--mute);background:var(--soft)"})
    CHECK(style.find(rule) != std::string::npos);
}

TEST_CASE("access: no state is told by colour alone, and every picture has words", "[reports]") {
  const std::string body = body_of(render(small_model()).html);
  // Each symbol of the matrix is hidden from readers that speak and has a word behind it.
  const std::regex cell(
      "<span class=\"sym [a-z-]+\" aria-hidden=\"true\">[^<]+</span>(met or near|no "
      "record|tried|used|started|"
      "nothing came out|granted)");
  const std::regex symbol("<span class=\"sym [a-z-]+\" aria-hidden");
  const auto all =
      std::distance(std::sregex_iterator(body.begin(), body.end(), symbol), std::sregex_iterator());
  CHECK(all >= 10);
  CHECK(std::distance(std::sregex_iterator(body.begin(), body.end(), cell),
                      std::sregex_iterator()) == all);
  for (auto at = body.find("<svg"); at != std::string::npos; at = body.find("<svg", at + 1)) {
    const std::string picture = body.substr(at, body.find("</svg>", at) - at);
    CHECK(picture.find("role=\"img\"") != std::string::npos);
    CHECK(picture.find("<title") != std::string::npos);
    CHECK(picture.find("<desc") != std::string::npos);
  }
  for (const std::string word : {"passed", "nothing of the kind"})
    CHECK(body.find(word) != std::string::npos);
}
