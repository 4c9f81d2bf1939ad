// SPDX-License-Identifier: Apache-2.0
#include "reports/svg_chart.h"

#include <algorithm>
#include <limits>

#include "reports/text.h"

namespace ethos::reports {
namespace {

constexpr std::uint64_t kWidth = 720;
constexpr std::uint64_t kLeft = 56;
constexpr std::uint64_t kRight = 12;
constexpr std::uint64_t kTop = 34;
constexpr std::uint64_t kPlotHeight = 150;

// Tenths of a unit as "12.5": no float is printed, so the bytes are the same everywhere.
std::string tenths(std::uint64_t value) {
  std::string out = std::to_string(value / 10);
  if (value % 10 != 0) out += "." + std::to_string(value % 10);
  return out;
}

// part * length / whole without overflow for any 64-bit figures.
std::uint64_t scaled(std::uint64_t part, std::uint64_t whole, std::uint64_t length) {
  while (whole > std::numeric_limits<std::uint32_t>::max()) {
    whole >>= 1U;
    part >>= 1U;
  }
  return whole == 0 ? 0 : part * length / whole;
}

class Drawing {
 public:
  Drawing(Html& html, const std::string& id) : html_(html), id_(id) {}

  void open(std::uint64_t height, const std::string& title, const std::string& description) {
    html_.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    html_.attribute("viewBox", "0 0 " + std::to_string(kWidth) + " " + std::to_string(height));
    html_.attribute("aria-labelledby", id_ + "-t " + id_ + "-d").raw("><title");
    html_.attribute("id", id_ + "-t").raw(">").text(title).raw("</title><desc");
    html_.attribute("id", id_ + "-d").raw(">").text(description).raw("</desc><defs><pattern");
    html_.attribute("id", id_ + "-h")
        .raw(
            " width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" class=\"sb\" "
            "fill=\"#b5542b\"/>"
            "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" class=\"hatch\" stroke=\"#fff\" "
            "stroke-width=\"2\"/></pattern></defs>\n");
  }
  void close() { html_.raw("</svg>"); }

  void rect(const std::string& x, const std::string& y, const std::string& width,
            const std::string& height, bool hatched, const std::string& tooltip) {
    html_.raw("<rect")
        .attribute("x", x)
        .attribute("y", y)
        .attribute("width", width)
        .attribute("height", height);
    if (hatched) {
      html_.attribute("fill", "url(#" + id_ + "-h)");
    } else {
      html_.raw(" class=\"sa\" fill=\"#3b6ea5\"");
    }
    if (tooltip.empty()) {
      html_.raw("/>");
    } else {
      html_.raw("><title>").text(tooltip).raw("</title></rect>\n");
    }
  }
  // A stretch of which nothing is known: a dashed frame.
  void unknown(const std::string& x, const std::string& y, const std::string& width,
               const std::string& height, const std::string& tooltip) {
    html_.raw("<rect class=\"axis\" fill=\"none\" stroke=\"#888\" stroke-dasharray=\"4 4\"")
        .attribute("x", x)
        .attribute("y", y)
        .attribute("width", width)
        .attribute("height", height)
        .raw("><title>")
        .text(tooltip)
        .raw("</title></rect>\n");
  }
  void label(const std::string& x, const std::string& y, Markup anchor, const std::string& words) {
    html_.raw("<text")
        .attribute("x", x)
        .attribute("y", y)
        .raw(" text-anchor=\"")
        .raw(anchor)
        .raw("\">");
    html_.text(words).raw("</text>\n");
  }
  void line(const std::string& x1, const std::string& y1, const std::string& x2,
            const std::string& y2, Markup kind) {
    html_.raw("<line class=\"")
        .raw(kind)
        .raw("\" stroke=\"#888\"")
        .attribute("x1", x1)
        .attribute("y1", y1);
    html_.attribute("x2", x2).attribute("y2", y2).raw("/>\n");
  }
  void polyline(const std::string& points) {
    html_.raw("<polyline class=\"growth\" fill=\"none\" stroke=\"#3b6ea5\" stroke-width=\"2\"");
    html_.attribute("points", points).raw("/>\n");
  }
  void marked_line(const std::string& x, const std::string& y1, const std::string& y2,
                   const std::string& words) {
    html_.raw("<g><title>").text(words).raw("</title>");
    line(x, y1, x, y2, "mark");
    html_.raw("</g>");
  }
  // Horizontal lines at 0, the half where it is a whole number ("0.5 denials" says nothing) and
  // `top`.
  void scale(std::uint64_t top, std::uint64_t base) {
    const std::uint64_t steps = top % 2 == 0 ? 2 : 1;
    for (std::uint64_t i = 0; i <= steps; ++i) {
      const std::string y = std::to_string(base - kPlotHeight * i / steps);
      line(std::to_string(kLeft), y, std::to_string(kWidth - kRight), y, "axis");
      label(std::to_string(kLeft - 8), std::to_string(base - kPlotHeight * i / steps + 4), "end",
            top > 9007199254740991ULL ? std::to_string(top / steps * i)
                                      : grouped(static_cast<std::int64_t>(top / steps * i)));
    }
  }
  void legend(const BarChart& chart) {
    rect(std::to_string(kLeft), "8", "12", "12", false, "");
    label(std::to_string(kLeft + 18), "18", "start", chart.first_name);
    const std::uint64_t next = kLeft + 40 + chart.first_name.size() * 8;
    rect(std::to_string(next), "8", "12", "12", true, "");
    label(std::to_string(next + 18), "18", "start", chart.second_name);
  }

 private:
  Html& html_;
  const std::string& id_;
};

std::uint64_t total(const BarChart::Bar& bar) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return bar.second > most - bar.first ? most : bar.first + bar.second;
}

}  // namespace

std::uint64_t nice_top(std::uint64_t value) {
  std::uint64_t unit = 1;
  for (;;) {
    for (const std::uint64_t step : {1U, 2U, 5U}) {
      if (unit > std::numeric_limits<std::uint64_t>::max() / 10) return value;
      if (unit * step >= value) return unit * step;
    }
    unit *= 10;
  }
}

void put_bar_chart(Html& html, const BarChart& chart) {
  std::uint64_t most = 1;
  for (const auto& bar : chart.bars) most = std::max(most, total(bar));
  const std::uint64_t top = nice_top(most);
  const std::uint64_t base = kTop + kPlotHeight;
  Drawing draw(html, chart.id);
  draw.open(base + 26, chart.title, chart.description);
  draw.legend(chart);
  draw.scale(top, base);
  const std::uint64_t count = std::max<std::uint64_t>(1, chart.bars.size());
  const std::uint64_t slot = (kWidth - kLeft - kRight) * 10 / count;        // tenths
  const std::uint64_t width = std::min<std::uint64_t>(slot * 7 / 10, 480);  // tenths
  const std::uint64_t label_every = (count + 7) / 8;
  for (std::uint64_t i = 0; i < chart.bars.size(); ++i) {
    const BarChart::Bar& bar = chart.bars[i];
    const std::uint64_t middle = kLeft * 10 + slot * i + slot / 2;
    const std::string x = tenths(middle - width / 2);
    const std::uint64_t first = scaled(bar.first, top, kPlotHeight * 10);
    const std::uint64_t second = scaled(bar.second, top, kPlotHeight * 10);
    if (bar.is_unknown) {
      draw.unknown(tenths(kLeft * 10 + slot * i), std::to_string(kTop), tenths(slot),
                   std::to_string(kPlotHeight), bar.label + ": not covered by any record");
      if (slot >= 300)
        draw.label(tenths(middle), std::to_string(kTop + kPlotHeight / 2), "middle", "n/c");
    }
    const std::string tooltip = bar.label + ": " + std::to_string(bar.first) + " " +
                                chart.first_name + ", " + std::to_string(bar.second) + " " +
                                chart.second_name;
    if (bar.first != 0)
      draw.rect(x, tenths(base * 10 - first), tenths(width), tenths(first), false, tooltip);
    if (bar.second != 0) {
      draw.rect(x, tenths(base * 10 - first - second), tenths(width), tenths(second), true,
                tooltip);
    }
    if (i % label_every == 0)
      draw.label(tenths(middle), std::to_string(base + 18), "middle", bar.label.substr(5));
  }
  draw.close();
}

void put_range_chart(Html& html, const RangeChart& chart) {
  constexpr std::uint64_t kLine = 26;
  constexpr std::uint64_t kNames = 150;
  const std::uint64_t span = kWidth - kNames - kRight;
  const std::uint64_t size = std::max<std::uint64_t>(1, chart.size);
  const auto place = [&](std::uint64_t at) {
    return kNames * 10 + scaled(std::min(at, size), size, span * 10);
  };
  const std::uint64_t base = 14 + kLine * chart.ranges.size();
  Drawing draw(html, chart.id);
  draw.open(base + 24, chart.title, chart.description);
  for (std::size_t i = 0; i < chart.ranges.size(); ++i) {
    const RangeChart::Range& range = chart.ranges[i];
    const std::uint64_t y = 8 + kLine * i;
    const std::uint64_t from = place(range.from);
    const std::uint64_t until = std::max(place(range.to + 1), from + 20);
    draw.label("0", std::to_string(y + 13), "start", shortened(range.label, 24));
    draw.rect(tenths(from), std::to_string(y), tenths(until - from), "16", range.hatched,
              range.label + ": records " + std::to_string(range.from) + " to " +
                  std::to_string(range.to));
  }
  for (const RangeChart::Mark& mark : chart.marks) {
    draw.marked_line(tenths(place(mark.at)), "4", std::to_string(base), mark.label);
  }
  draw.line(std::to_string(kNames), std::to_string(base), std::to_string(kWidth - kRight),
            std::to_string(base), "axis");
  draw.label(std::to_string(kNames), std::to_string(base + 16), "start", "record 0");
  draw.label(std::to_string(kWidth - kRight), std::to_string(base + 16), "end",
             "record " + std::to_string(size - 1));
  draw.close();
}

void put_growth_chart(Html& html, const GrowthChart& chart) {
  const std::uint64_t top = nice_top(chart.points.empty() ? 1 : chart.points.back().total);
  const std::uint64_t base = 14 + kPlotHeight;
  const std::uint64_t length = std::max<std::uint64_t>(1, chart.length);
  const auto place = [&](std::uint64_t at) {
    return tenths(kLeft * 10 +
                  scaled(std::min(at, length), length, (kWidth - kLeft - kRight) * 10));
  };
  Drawing draw(html, chart.id);
  draw.open(base + 40, chart.title, chart.description);
  draw.scale(top, base);
  const auto gap = [&](std::uint64_t from, std::uint64_t to, const std::string& tooltip) {
    if (to <= from) return;
    const std::uint64_t span = (kWidth - kLeft - kRight) * 10;
    const std::uint64_t x = scaled(std::min(from, length), length, span);
    const std::uint64_t width = scaled(std::min(to, length), length, span) - x;
    if (width == 0) return;
    draw.unknown(tenths(kLeft * 10 + x), "14", tenths(width), std::to_string(kPlotHeight), tooltip);
    if (width >= 900)
      draw.label(tenths(kLeft * 10 + x + width / 2), std::to_string(14 + kPlotHeight / 2), "middle",
                 "not covered");
  };
  gap(0, chart.begins, "before the first record: not covered");
  gap(chart.ends, length, "after the last record: not covered");
  std::string points = place(chart.begins) + "," + std::to_string(base);
  for (const GrowthChart::Point& point : chart.points)
    points += " " + place(point.at) + "," +
              tenths(base * 10 - scaled(point.total, top, kPlotHeight * 10));
  draw.polyline(points);
  for (const GrowthChart::Mark& mark : chart.marks)
    draw.marked_line(place(mark.at), std::to_string(base), std::to_string(base + 10), mark.label);
  draw.label(std::to_string(kLeft), std::to_string(base + 28), "start", chart.first_label);
  draw.label(std::to_string(kWidth - kRight), std::to_string(base + 28), "end", chart.last_label);
  draw.close();
}

}  // namespace ethos::reports
