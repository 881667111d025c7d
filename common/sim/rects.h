#pragma once
// The rectangles of the grids: 32-bit corners, and a SIMD search that tests eight of them at a
// time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tickbox::sim {

/// A closed rectangle in sub-units with 32-bit corners. Corners outside this range are clamped to
/// it, so rectangles that touch still touch after clamping.
struct Rect {
  std::int32_t x0 = 0;
  std::int32_t y0 = 0;
  std::int32_t x1 = 0;
  std::int32_t y1 = 0;
};

/// The edges across an axis: 0 is x.
[[nodiscard]] constexpr std::int32_t low_of(const Rect& rect, std::size_t axis) {
  return axis == 0 ? rect.x0 : rect.y0;
}

[[nodiscard]] constexpr std::int32_t high_of(const Rect& rect, std::size_t axis) {
  return axis == 0 ? rect.x1 : rect.y1;
}

/// Whether two rectangles share a point. Without a branch: a CPU cannot predict which of the four
/// comparisons fails.
[[nodiscard]] constexpr bool touch(const Rect& a, const Rect& b) {
  const unsigned apart =
      unsigned{a.x0 > b.x1} | unsigned{b.x0 > a.x1} | unsigned{a.y0 > b.y1} | unsigned{b.y0 > a.y1};
  return apart == 0;
}

/// Whether the open interiors intersect.
[[nodiscard]] constexpr bool overlap(const Rect& a, const Rect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

[[nodiscard]] constexpr bool contains(const Rect& outer, const Rect& inner) {
  return outer.x0 <= inner.x0 && inner.x1 <= outer.x1 && outer.y0 <= inner.y0 &&
         inner.y1 <= outer.y1;
}

/// The least rectangle that contains both.
[[nodiscard]] constexpr Rect united(const Rect& a, const Rect& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

/// Rectangles as a structure of arrays: four values fill a register, and a search tests two
/// registers at a time. A few cells mostly hold no more than these eight, and the CPU predicts a
/// loop of one run well.
class RectColumns {
 public:
  static constexpr std::size_t kLanes = 8;

  /// Changes the number of rectangles. New ones have no defined value until set() or clear_at().
  void resize(std::size_t size) {
    for (auto& column : columns_) {
      column.resize(size + kLanes);  // the last eight of a search may lie beyond the end
    }
  }

  void reserve(std::size_t size) {
    for (auto& column : columns_) {
      column.reserve(size + kLanes);
    }
  }

  void set(std::size_t i, const Rect& rect) {
    columns_[0][i] = rect.x0;
    columns_[1][i] = rect.y0;
    columns_[2][i] = rect.x1;
    columns_[3][i] = rect.y1;
  }

  void clear_at(std::size_t i) { set(i, kNowhere); }

  [[nodiscard]] Rect operator[](std::size_t i) const {
    return {columns_[0][i], columns_[1][i], columns_[2][i], columns_[3][i]};
  }

  /// The rectangle of a query, spread over the registers once for several searches.
  class Probe;

  /// Calls visit(i) for every i in [from, to) whose rectangle touches the probe, in ascending
  /// order.
  template <class Visit>
  void visit_touching(std::size_t from, std::size_t to, const Probe& probe, Visit&& visit) const;

 private:
  static constexpr Rect kNowhere = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};

  std::array<std::vector<std::int32_t>, 4> columns_;
};

#ifdef __SSE2__

class RectColumns::Probe {
 public:
  explicit Probe(const Rect& rect)
      : x0_(_mm_set1_epi32(rect.x0)),
        y0_(_mm_set1_epi32(rect.y0)),
        x1_(_mm_set1_epi32(rect.x1)),
        y1_(_mm_set1_epi32(rect.y1)) {}

  /// Four lanes for the rectangles i to i + 3: all bits are set where one does not touch the probe.
  [[nodiscard]] __m128i apart(const RectColumns& rects, std::size_t i) const {
    const auto four = [i](const std::vector<std::int32_t>& column) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(column.data() + i));
    };
    return _mm_or_si128(_mm_or_si128(_mm_cmpgt_epi32(four(rects.columns_[0]), x1_),
                                     _mm_cmpgt_epi32(x0_, four(rects.columns_[2]))),
                        _mm_or_si128(_mm_cmpgt_epi32(four(rects.columns_[1]), y1_),
                                     _mm_cmpgt_epi32(y0_, four(rects.columns_[3]))));
  }

 private:
  __m128i x0_, y0_, x1_, y1_;
};

template <class Visit>
void RectColumns::visit_touching(std::size_t from, std::size_t to, const Probe& probe,
                                 Visit&& visit) const {
  for (std::size_t i = from; i < to; i += kLanes) {
    const __m128i first = probe.apart(*this, i);
    const __m128i second = probe.apart(*this, i + kLanes / 2);
    const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(first, second), _mm_setzero_si128());
    const std::size_t count = std::min(kLanes, to - i);
    auto together = ~static_cast<unsigned>(_mm_movemask_epi8(bytes)) & ((1U << count) - 1);
    for (; together != 0; together &= together - 1) {
      visit(i + static_cast<std::size_t>(std::countr_zero(together)));
    }
  }
}

#else

class RectColumns::Probe {
 public:
  explicit Probe(const Rect& rect) : rect_(rect) {}

  [[nodiscard]] const Rect& rect() const { return rect_; }

 private:
  Rect rect_;
};

template <class Visit>
void RectColumns::visit_touching(std::size_t from, std::size_t to, const Probe& probe,
                                 Visit&& visit) const {
  for (std::size_t i = from; i < to; ++i) {
    if (touch((*this)[i], probe.rect())) visit(i);
  }
}

#endif

}  // namespace tickbox::sim
