// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/html_writer.h"

namespace ethos::reports {

// Stacked bars of two series, drawn as SVG with a title, a description and a tooltip a bar; the
// second series is hatched, so that colour never carries the meaning alone. The figures belong into
// a table beside it.
struct BarChart {
  struct Bar {
    std::string label;
    std::uint64_t first = 0, second = 0;
    bool is_unknown = false;  // nothing is known: a frame, no bar of height 0
  };
  std::string id;  // unique in the page, [a-z-]+
  std::string title, description;
  std::string first_name, second_name;
  std::vector<Bar> bars;
};
void put_bar_chart(Html& html, const BarChart& chart);

// A line of record numbers with named stretches and marks above it.
struct RangeChart {
  struct Range {
    std::string label;
    std::uint64_t from = 0, to = 0;  // both included
    bool hatched = false;
  };
  struct Mark {
    std::string label;
    std::uint64_t at = 0;
  };
  std::string id, title, description;
  std::uint64_t size = 1;
  std::vector<Range> ranges;  // one line each
  std::vector<Mark> marks;
};
void put_range_chart(Html& html, const RangeChart& chart);

// How something grew over a stretch of time, as a line, with marks on the axis below it.
struct GrowthChart {
  struct Point {
    std::uint64_t at = 0;  // from the start of the stretch
    std::uint64_t total = 0;
  };
  struct Mark {
    std::string label;
    std::uint64_t at = 0;
  };
  std::string id, title, description, first_label, last_label;
  std::uint64_t length = 1;   // of the stretch
  std::uint64_t begins = 0;   // before it nothing is known
  std::uint64_t ends = 0;     // nor after it
  std::vector<Point> points;  // by time; totals never fall
  std::vector<Mark> marks;
};
void put_growth_chart(Html& html, const GrowthChart& chart);

// The smallest 1, 2 or 5 times a power of ten that is not below `value`; at least 1.
std::uint64_t nice_top(std::uint64_t value);

}  // namespace ethos::reports
