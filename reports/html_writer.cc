// SPDX-License-Identifier: Apache-2.0
#include "reports/html_writer.h"

#include <algorithm>
#include <limits>

#include "reports/text.h"

namespace ethos::reports {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

void Html::flush() {
  sink_.write(buffer_);
  buffer_.clear();
}

Html& Html::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() > 65536) flush();
  return *this;
}

Html& Html::raw(Markup markup) { return append(markup.view()); }

Html& Html::prepared(std::string_view bytes) { return append(bytes); }

Html& Html::text(std::string_view value) {
  for (std::size_t at = 0; at < value.size();) {
    if (const std::size_t plain = plain_run(value, at); plain != 0) {
      append(value.substr(at, plain));
      at += plain;
      continue;
    }
    const CodePoint point = decode_utf8(value, at);
    const std::string_view piece = value.substr(at, point.length);
    at += point.length;
    if (!point.valid || is_invisible(point.code)) {
      append("<b class=\"u\">").append(visible(piece)).append("</b>");
    } else if (const std::string_view escaped = entity(piece.front()); !escaped.empty()) {
      append(escaped);
    } else {
      append(piece);
    }
  }
  return *this;
}

Html& Html::attribute(Markup name, std::string_view value) {
  append(" ").append(name.view()).append("=\"");
  for (const char c : visible(value)) {
    const std::string_view escaped = entity(c);
    append(escaped.empty() ? std::string_view(&c, 1) : escaped);
  }
  return append("\"");
}

Html& Html::number(std::int64_t value) { return append(grouped(value)); }

Html& Html::number(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value > kMost ? append(std::to_string(value)) : number(static_cast<std::int64_t>(value));
}

}  // namespace ethos::reports
