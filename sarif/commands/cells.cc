// SPDX-License-Identifier: Apache-2.0
#include "sarif/commands/cells.h"

#include "ledger/base/printable.h"

namespace ethos::sarif {
std::string plain_cell(std::string_view text) { return base::blanked(text); }

std::string csv_cell(std::string_view text) {
  std::string plain = plain_cell(text);
  if (!plain.empty() && std::string_view("=+-@").find(plain.front()) != std::string_view::npos) {
    plain.insert(plain.begin(), '\'');
  }
  std::string out = "\"";
  for (const char c : plain) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + "\"";
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : plain_cell(text)) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|~&").find(c) != std::string_view::npos) {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
}

std::string html_cell(std::string_view text) {
  std::string out;
  for (const char c : plain_cell(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string html_page_begin(std::string_view title) {
  const std::string name = html_cell(title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<title>" +
         name +
         "</title>\n<style>\n"
         ":root{color-scheme:light dark}\n"
         "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 "
         "1rem}\n"
         "table{border-collapse:collapse;width:100%;margin:1rem 0 2rem}\n"
         "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886}\n"
         "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
         "code{font-size:.9em}\n.error{color:#c62828}.warning{color:#b26a00}.note{color:#2e6da4}\n"
         ".bar{display:inline-block;height:.6em;background:#5b8def;vertical-align:baseline}\n"
         "svg{max-width:100%;height:auto}svg text{font:12px "
         "system-ui,sans-serif;fill:currentColor}\n"
         "</style>\n</head>\n<body>\n<h1>" +
         name + "</h1>\n";
}

std::string html_page_end() { return "</body>\n</html>\n"; }

}  // namespace ethos::sarif
