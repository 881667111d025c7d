#include "client/match/crowding.h"

#include "engine/keyframe.h"
#include "sim/box.h"

namespace tickbox::match {
namespace {

sim::Rect rect_of(const sim::Body& body) {
  return sim::rect_of(sim::box_of(body.min, body.size));
}

}  // namespace

void Crowding::read(const engine::World& world) {
  rects_.resize(world.size());
  for (std::size_t row = 0; row < world.size(); ++row) {
    rects_.set(row, rect_of(world.body(row)));
  }
}

bool Crowding::is_crowded(const engine::World& world, std::size_t row) const {
  const sim::Body& body = world.body(row);
  const sim::Rect rect = rect_of(body);
  std::size_t overlaps = 0;
  rects_.visit_touching(0, world.size(), sim::RectColumns::Probe{rect}, [&](std::size_t at) {
    if (at == row || !sim::overlap(rect, rects_[at])) return;
    if (sim::stay_apart(body, world.body(at))) ++overlaps;
  });
  return overlaps > engine::kOverlapsPerBodyMax;
}

}  // namespace tickbox::match
