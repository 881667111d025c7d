#include "sim/step/pairs.h"

namespace tickbox::sim {
namespace {

Role role_of(const Body& body, const Movers& movers) {
  if (is_ghost(body)) return Role::Ghost;
  if (body.kind == Kind::Kinematic) return Role::Driven;
  const bool meets_any =
      (body.layers & movers.collides_with) != 0 && (body.collides_with & movers.layers) != 0;
  return meets_any ? Role::Full : Role::Alone;
}

void begin_path(std::uint32_t mover, Vec2 velocity, Movers& movers, Candidates& candidates) {
  const Body& body = movers.bodies[mover];
  candidates.hulls[mover] = hull_of_path(body, velocity);
  if (movers.meets_movers(mover)) {
    movers.grid.add(mover, body.min, reach_of(body, velocity));
  }
}

/// Lists the neighbours of each mover, from the pairs that touch.
void list_neighbours(std::size_t movers, Candidates& candidates) {
  auto& first = candidates.first_neighbour;
  first.assign(movers + 1, 0);
  for (const Pair pair : candidates.touching) {
    ++first[pair.a];
    ++first[pair.b];
  }
  for (std::size_t i = 1; i < first.size(); ++i) {
    first[i] += first[i - 1];
  }
  candidates.neighbours.resize(2 * candidates.touching.size());
  for (const Pair pair : candidates.touching) {
    candidates.neighbours[--first[pair.a]] = pair.b;
    candidates.neighbours[--first[pair.b]] = pair.a;
  }
}

}  // namespace

void begin_paths(Movers& movers, Candidates& candidates) {
  movers.turned.clear();
  movers.pieces.clear();
  candidates.hulls.resize(movers.bodies.size());
  movers.grid.start(movers.bodies.size());
  for (std::uint32_t i = 0; i < movers.bodies.size(); ++i) {
    const Body& body = movers.bodies[i];
    movers.roles[i] = role_of(body, movers);
    MoverState& state = movers.states[i];
    state = {};
    state.motion = motion_of(body.min, body.size, body.velocity);
    begin_path(i, body.velocity, movers, candidates);
  }
  movers.grid.sort(candidates.hulls);
}

void begin_carried_paths(Movers& movers, Candidates& candidates) {
  movers.grid.start(movers.bodies.size());
  for (std::uint32_t i = 0; i < movers.bodies.size(); ++i) {
    begin_path(i, velocity_of(movers.states[i].motion), movers, candidates);
  }
  movers.grid.sort(candidates.hulls);
}

void find_pairs(const Movers& movers, Candidates& candidates, StepReport& report) {
  candidates.pairs.clear();
  candidates.touching.clear();
  std::size_t count_at = kPairsPerCount;  // pairs: then the next are counted
  std::size_t overlaps = report.overlaps.size();
  const auto count = [&] {
    const std::size_t more = report.overlaps.size() - overlaps;
    overlaps += more;
    return movers.searches->count(kPairsPerCount + kSearchesPerOverlap * more);
  };
  movers.grid.visit_pairs([&](std::uint32_t a, std::uint32_t b) {
    if (candidates.pairs.size() >= count_at) [[unlikely]] {
      if (!count()) return;
      count_at += kPairsPerCount;
    }
    const Body& first = movers.bodies[a];
    const Body& second = movers.bodies[b];
    if (!may_collide(first, second)) return;
    candidates.pairs.push_back({a, b});
    const Box box = box_of(first.min, first.size);
    const Box other = box_of(second.min, second.size);
    if (!touch(box, other)) return;
    if (overlap(box, other)) {
      record_overlap(first, second, report);
    } else {
      candidates.touching.push_back({a, b});
    }
  });
  movers.searches->count(candidates.pairs.size() % kPairsPerCount +
                         kSearchesPerOverlap * (report.overlaps.size() - overlaps));
  list_neighbours(movers.bodies.size(), candidates);
}

}  // namespace tickbox::sim
