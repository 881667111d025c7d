#include "sim/step/depenetrate.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tickbox::sim {
namespace {

/// Turns of a body in a tick. Each looks at all bodies around. So a body in more than 32 pairs has
/// fewer: the cost of a pile grows with its pairs, and not with their square.
constexpr std::uint32_t kTurnsMax = 8;
constexpr std::uint32_t kTurnsOfPairs = kTurnsMax * 32;

/// How far b has to go along an axis to be out of a.
struct WayOut {
  Axis axis = 0;
  std::int64_t way = 0;  ///< of b, signed

  [[nodiscard]] std::int64_t length() const { return way < 0 ? -way : way; }
};

/// The shortest first; of equal ones up, down, left, right.
std::array<WayOut, 4> ways_out(const Box& a, const Box& b) {
  std::array<WayOut, 4> ways = {WayOut{1, a.min[1] - b.max[1]}, WayOut{1, a.max[1] - b.min[1]},
                                WayOut{0, a.min[0] - b.max[0]}, WayOut{0, a.max[0] - b.min[0]}};
  for (std::size_t i = 1; i < ways.size(); ++i) {
    for (std::size_t j = i; j > 0 && ways[j].length() < ways[j - 1].length(); --j) {
      std::swap(ways[j], ways[j - 1]);
    }
  }
  return ways;
}

/// What the functions of this stage share.
struct Separation {
  const Immovables& immovables;
  Movers& movers;
  std::vector<std::uint32_t>& turns;  ///< that each mover has left
  StepReport& report;
};

/// A body and how far it is to go along an axis.
struct Shift {
  const Body& body;
  Axis axis;
  std::int64_t way;  ///< signed
};

/// Requires: `body` is one of the movers.
std::uint32_t index_of(const Body& body, const Movers& movers) {
  return static_cast<std::uint32_t>(&body - movers.bodies.data());
}

/// Whether the body would stay in the world and overlap no further body except `partner`.
bool is_free(const Shift& shift, const Body& partner, Separation& separation) {
  if (shift.way == 0) return true;
  const Body& body = shift.body;
  const Box before = box_of(body.min, body.size);
  Box after = before;
  after.min[shift.axis] += shift.way;
  after.max[shift.axis] += shift.way;
  if (!contains(kWholeWorld, after)) return false;

  bool free = true;
  const auto add_overlap = [&](const Body& other) {
    if (other.id == body.id || other.id == partner.id || !stay_apart(body, other)) return;
    const Box box = box_of(other.min, other.size);
    if (!overlap(after, box) || overlap(before, box)) return;
    free = false;
    record_influence(body, other, separation.report);
  };
  const Immovables& immovables = separation.immovables;
  immovables.visit(Solidity::Solid, rect_of(after),
                   [&](std::uint32_t wall) { add_overlap(immovables[wall]); });
  separation.movers.visit_near(
      rect_of(after), [&](std::uint32_t mover) { add_overlap(separation.movers.bodies[mover]); });
  return free;
}

void move(const Shift& shift, Separation& separation) {
  if (shift.way == 0) return;
  const std::uint32_t mover = index_of(shift.body, separation.movers);
  Body& body = separation.movers.bodies[mover];
  body.min[shift.axis] += static_cast<std::int32_t>(shift.way);
  if (separation.movers.meets_movers(mover)) {
    separation.movers.grid.update(mover, rect_of(box_of(body.min, body.size)));
  }
}

/// Moves both bodies if both ways are free.
bool try_to_move(const Shift& a, const Shift& b, Separation& separation) {
  if (!is_free(a, b.body, separation) || !is_free(b, a.body, separation)) return false;
  move(a, separation);
  move(b, separation);
  return true;
}

/// Whether the limit of turns lets a body take part. A body that is not dynamic has no limit.
bool has_turn_left(const Body& body, const Separation& separation) {
  return body.kind != Kind::Dynamic || separation.turns[index_of(body, separation.movers)] > 0;
}

bool separate(const Body& a, const Body& b, Separation& separation) {
  if (!has_turn_left(a, separation) || !has_turn_left(b, separation)) return false;
  for (const Body* body : {&a, &b}) {
    if (body->kind == Kind::Dynamic) --separation.turns[index_of(*body, separation.movers)];
  }
  const bool a_moves = a.kind == Kind::Dynamic;
  const bool b_moves = b.kind == Kind::Dynamic;
  const auto ways = ways_out(box_of(a.min, a.size), box_of(b.min, b.size));
  for (const WayOut& out : ways) {
    const auto [axis, way] = out;
    const bool is_shortest = &out == ways.data();
    if (!is_shortest && out.length() > std::min(a.size[axis], b.size[axis])) continue;
    const auto share = [&](std::int64_t of_a, std::int64_t of_b) {
      return try_to_move({a, axis, -of_a}, {b, axis, of_b}, separation);
    };
    if (a_moves && b_moves && share(way / 2, way - way / 2)) return true;
    if (b_moves && share(0, way)) return true;
    if (a_moves && share(way, 0)) return true;
  }
  return false;
}

/// Fills `turns` with the number that each mover may have in this tick.
void assign_turns(const Environment& environment, const Movers& movers,
                  std::span<const BodyPair> pairs, std::vector<std::uint32_t>& turns) {
  turns.assign(movers.bodies.size(), 0);
  for (const BodyPair& pair : pairs) {
    for (const BodyId id : {pair.low, pair.high}) {
      const Body& body = *find_body(id, environment, movers);
      if (body.kind == Kind::Dynamic) ++turns[index_of(body, movers)];
    }
  }
  for (std::uint32_t& of_body : turns) {
    if (of_body > 0) of_body = std::min(kTurnsMax, kTurnsOfPairs / of_body);
  }
}

}  // namespace

bool depenetrate(const Environment& environment, Movers& movers, std::vector<std::uint32_t>& turns,
                 StepReport& report) {
  if (report.overlaps.empty()) return false;
  sort_unique(report.overlaps);
  assign_turns(environment, movers, report.overlaps, turns);
  Separation separation{environment.immovables, movers, turns, report};
  bool moved = false;
  for (const BodyPair pair : report.overlaps) {
    if (movers.searches->ends_step()) break;
    const Body& a = *find_body(pair.low, environment, movers);
    const Body& b = *find_body(pair.high, environment, movers);
    const bool do_overlap = overlap(box_of(a.min, a.size), box_of(b.min, b.size));
    if (!do_overlap || !separate(a, b, separation)) continue;
    report.separated.push_back(pair);
    moved = true;
  }
  return moved;
}

}  // namespace tickbox::sim
