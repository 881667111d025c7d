// Begins and ends of overlaps with ghosts, over the finished paths of the tick: rule 10.

#include "tests/property/naive/run.h"

#include <algorithm>
#include <vector>

namespace tickbox::test::naive {
namespace {

/// Two boxes on one straight piece each.
struct Together {
  const Thing& x;
  const Thing& y;
  const Piece& px;
  const Piece& py;

  [[nodiscard]] i64 offset(std::size_t k, i64 s) const {
    return py.base[k] + py.v[k] * s - px.base[k] - px.v[k] * s;
  }

  [[nodiscard]] bool overlap_at(i64 s) const {
    return std::ranges::all_of(std::array<std::size_t, 2>{0, 1}, [&](std::size_t k) {
      return -y.size[k] < offset(k, s) && offset(k, s) < x.size[k];
    });
  }

  /// Whether they overlap at any real moment from `from` to `to`, from < to. The moments of overlap
  /// are an open interval, so the ends of the piece do not matter.
  [[nodiscard]] bool overlap_within(i64 from, i64 to) const {
    Time begin{from, 0, 1};
    Time end{to, 0, 1};
    for (std::size_t k = 0; k < 2; ++k) {
      const i64 r = offset(k, 0);
      const i64 v = offset(k, 1) - r;
      const i64 low = -y.size[k];
      const i64 high = x.size[k];
      if (v == 0) {
        if (r <= low || r >= high) return false;
        continue;
      }
      const Time in = divide((v > 0 ? low : high) - r, v);
      const Time out = divide((v > 0 ? high : low) - r, v);
      if (compare(in, begin) > 0) begin = in;
      if (compare(out, end) < 0) end = out;
    }
    return compare(begin, end) < 0;
  }
};

const Piece& piece_from(const Thing& x, i64 s) {
  const auto after = std::ranges::find_if(x.course, [&](const Piece& p) { return p.from > s; });
  return *(after - 1);
}

bool overlap_rounded(const Thing& x, const Thing& y) {
  for (std::size_t k = 0; k < 2; ++k) {
    const i64 px = x.body.min[k];
    const i64 py = y.body.min[k];
    if (px >= py + y.body.size[k] || py >= px + x.body.size[k]) return false;
  }
  return true;
}

/// All moments at which either begins a new piece, and the end of the tick.
std::vector<i64> moments(const Thing& x, const Thing& y) {
  std::vector<i64> all = {kSteps};
  for (const Thing* t : {&x, &y}) {
    for (const Piece& piece : t->course) {
      all.push_back(piece.from);
    }
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

void watch(const Thing& x, const Thing& y, sim::StepReport& report) {
  const sim::BodyPair pair{x.body.id, y.body.id};
  const std::vector<i64> turns = moments(x, y);
  bool inside = Together{x, y, x.course.front(), y.course.front()}.overlap_at(0);
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    const Together together{x, y, piece_from(x, turns[i]), piece_from(y, turns[i])};
    if (!inside && together.overlap_within(turns[i], turns[i + 1])) {
      report.begin.push_back(pair);
      inside = true;
    }
    if (inside && !together.overlap_at(turns[i + 1])) {
      report.end.push_back(pair);
      inside = false;
    }
  }
  if (inside && !overlap_rounded(x, y)) report.end.push_back(pair);
}

}  // namespace

void watch_ghosts(Run& run) {
  const auto& things = run.things;
  const std::size_t border = things.size() - 1;
  for (std::size_t a = 0; a < border; ++a) {
    for (std::size_t b = a + 1; b < border; ++b) {
      const Thing& x = things[a];
      const Thing& y = things[b];
      if (!meet(x, y) || !(x.ghost() || y.ghost()) || !(x.mover() || y.mover())) continue;
      watch(x, y, run.report);
    }
  }
}

}  // namespace tickbox::test::naive
