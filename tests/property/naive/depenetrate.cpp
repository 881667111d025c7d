// Depenetration at the start of a tick: rule 2.

#include "tests/property/naive/run.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tickbox::test::naive {
namespace {

constexpr int kTurnsMax = 8;
constexpr int kTurnsOfPairs = 256;

/// One of the four ways that move b out of a.
struct Way {
  std::size_t axis;
  int sign;
  i64 length;  // sub-units
};

/// The distances that both bodies move, in sub-units.
struct Shares {
  i64 a, b;
};

std::array<Way, 4> ways_out(const Thing& a, const Thing& b) {
  const auto before = [&](std::size_t k) { return (b.base[k] + b.size[k] - a.base[k]) / kSteps; };
  const auto after = [&](std::size_t k) { return (a.base[k] + a.size[k] - b.base[k]) / kSteps; };
  std::array<Way, 4> ways = {
      {{1, -1, before(1)}, {1, 1, after(1)}, {0, -1, before(0)}, {0, 1, after(0)}}};
  std::ranges::stable_sort(ways, {}, &Way::length);
  return ways;
}

std::vector<Shares> who_moves(const Thing& a, const Thing& b, i64 length) {
  if (!a.dynamic()) return {{0, length}};
  if (!b.dynamic()) return {{length, 0}};
  return {{length / 2, length - length / 2}, {0, length}, {length, 0}};
}

void shift(Thing& x, std::size_t k, i64 by) {
  x.base[k] += by * kSteps;
  x.body.min[k] = static_cast<std::int32_t>(x.base[k] / kSteps);
}

/// Whether x may be at its new position, with all other bodies where they are.
bool may_be_there(const Run& run, const Thing& x, const Thing& before) {
  for (std::size_t k = 0; k < 2; ++k) {
    const i64 limit = i64{kWorldLimit} * kSteps;
    if (x.base[k] < -limit || x.base[k] > limit) return false;
    if (x.base[k] + x.size[k] > limit) return false;
  }
  return std::ranges::none_of(run.things, [&](const Thing& y) {
    return !y.border && y.body.id != x.body.id && apart_by_rule(x, y) && overlap_now(x, y, 0) &&
           !overlap_now(before, y, 0);
  });
}

bool try_way(Run& run, Thing& a, Thing& b, const Way& way) {
  for (const Shares& shares : who_moves(a, b, way.length)) {
    Thing new_a = a;
    Thing new_b = b;
    shift(new_a, way.axis, -way.sign * shares.a);
    shift(new_b, way.axis, way.sign * shares.b);
    // The two bodies do not block each other: they overlapped before.
    if (shares.a != 0 && !may_be_there(run, new_a, a)) continue;
    if (shares.b != 0 && !may_be_there(run, new_b, b)) continue;
    a = new_a;
    b = new_b;
    return true;
  }
  return false;
}

}  // namespace

void depenetrate(Run& run) {
  auto& things = run.things;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const std::size_t border = things.size() - 1;
  for (std::size_t a = 0; a < border; ++a) {
    for (std::size_t b = a + 1; b < border; ++b) {
      const Thing& x = things[a];
      const Thing& y = things[b];
      if (x.crushes() || y.crushes() || !apart_by_rule(x, y)) continue;
      if (overlap_now(x, y, 0)) pairs.emplace_back(a, b);
    }
  }

  std::vector<int> pairs_of(things.size(), 0);
  for (const auto& [i, j] : pairs) {
    ++pairs_of[i];
    ++pairs_of[j];
  }
  const auto turns_max = [&](std::size_t i) {
    return pairs_of[i] > 32 ? kTurnsOfPairs / pairs_of[i] : kTurnsMax;
  };
  std::vector<int> turns(things.size(), 0);
  for (const auto& [i, j] : pairs) {
    Thing& a = things[i];
    Thing& b = things[j];
    const int of_a = a.dynamic() ? 1 : 0;
    const int of_b = b.dynamic() ? 1 : 0;
    if (!overlap_now(a, b, 0)) continue;
    if ((a.dynamic() && turns[i] >= turns_max(i)) || (b.dynamic() && turns[j] >= turns_max(j))) {
      continue;
    }
    turns[i] += of_a;
    turns[j] += of_b;
    const std::array<Way, 4> ways = ways_out(a, b);
    const auto taken = std::ranges::find_if(ways, [&](const Way& way) {
      const i64 shorter = std::min(a.size[way.axis], b.size[way.axis]) / kSteps;
      return (&way == ways.data() || way.length <= shorter) && try_way(run, a, b, way);
    });
    if (taken != ways.end()) run.report.separated.push_back({a.body.id, b.body.id});
    run.ties.of_ways =
        run.ties.of_ways || std::ranges::adjacent_find(ways, {}, &Way::length) != ways.end();
  }
}

}  // namespace tickbox::test::naive
