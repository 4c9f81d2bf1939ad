// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string_view>

#include "verify/quick_text.h"

namespace ethos::verify {

// What follows the opening quote of a path that nothing has to be asked about, closing quote
// included: printable ASCII, and no component begins with a dot or is empty.
[[gnu::always_inline]] inline bool quick_plain_path(QuickText& text, std::string_view& out) {
#ifdef __SSE2__
  const char* p = text.at;
  const auto load = [](const char* from) {
    __m128i block;
    std::memcpy(&block, from, sizeof block);
    return block;
  };
  const auto is = [](__m128i block, char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
  if (text.end - p < 17 || *p == '/' || *p == '.' || *p == '"') return false;
  for (; text.end - p >= 17; p += 16) {
    const __m128i here = load(p);
    const __m128i next = load(p + 1);
    // As skip_plain does, and DEL.
    const __m128i stop =
        _mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(here, _mm_set1_epi8(0x20)), is(here, '\x7f')),
                     _mm_or_si128(is(here, '"'), is(here, '\\')));
    const __m128i odd = _mm_and_si128(
        is(here, '/'), _mm_or_si128(_mm_or_si128(is(next, '/'), is(next, '.')), is(next, '"')));
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(stop));
    const auto odds = static_cast<unsigned>(_mm_movemask_epi8(odd));
    // Of the bits below the first stop, if there is one.
    if ((odds & (stops - 1U) & ~stops) != 0) return false;
    if (stops == 0) continue;
    p += __builtin_ctz(stops);
    if (*p != '"') return false;
    out = {text.at, static_cast<std::size_t>(p - text.at)};
    text.at = p + 1;
    return true;
  }
#else
  (void)text;
  (void)out;
#endif
  return false;
}

// A path (events.md E-4) that is neither base64 nor escaped nor committed, as an object.
[[gnu::always_inline]] inline bool quick_path(QuickText& text) {
  QuickValue base;
  std::string_view path;
  if (!text.take("{\"base\":") ||
      !QuickWords<"workspace", "scratch", "system", "host">::read(text, 0, base) ||
      !text.take(",\"path\":\""))
    return false;
  const bool is_plain = quick_plain_path(text, path);
  if (!is_plain && !quick_rest_of_string(text, path)) return false;
  // Of these two any plain path is one.
  const bool is_own = base.text == "workspace" || base.text == "scratch";
  return text.take("}") && ((is_plain && is_own) || path_bytes(path, base.text));
}

}  // namespace ethos::verify
