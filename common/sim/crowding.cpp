#include "sim/crowding.h"

#include "sim/box.h"
#include "sim/step/mover_grid.h"

#include <algorithm>
#include <span>
#include <vector>

namespace tickbox::sim {
namespace {

/// The movers of a world, found by their paths in the next tick.
struct Paths {
  MoverGrid grid;
  std::vector<Rect> hulls;  ///< by mover

  explicit Paths(std::span<const Body> movers) {
    hulls.reserve(movers.size());
    grid.start(movers.size());
    for (const Body& body : movers) {
      const auto mover = static_cast<std::uint32_t>(hulls.size());
      hulls.push_back(hull_of_path(body, body.velocity));
      grid.add(mover, body.min, reach_of(body, body.velocity));
    }
    grid.sort(hulls);
  }
};

/// The bodies that one body overlaps, each once, and no more of them than the limit and one.
class Overlapped {
 public:
  Overlapped(std::size_t limit, const MayOverlap& may_overlap)
      : limit_(limit), may_overlap_(may_overlap) {}

  void begin(const Body& body) {
    body_ = &body;
    ids_.clear();
  }

  void count(const Body& other) {
    if (exceeds_limit() || !stay_apart(*body_, other) ||
        !overlap(box_of(body_->min, body_->size), box_of(other.min, other.size)) ||
        (may_overlap_ && may_overlap_(*body_, other)) ||
        std::ranges::find(ids_, other.id) != ids_.end()) {
      return;
    }
    ids_.push_back(other.id);
  }

  [[nodiscard]] bool exceeds_limit() const { return ids_.size() > limit_; }

 private:
  std::size_t limit_;
  const MayOverlap& may_overlap_;
  const Body* body_ = nullptr;
  std::vector<BodyId> ids_;
};

}  // namespace

std::optional<CrowdedBody> find_crowded_body(const PhysicsWorld& world,
                                             const CrowdingLimits& limits,
                                             const MayOverlap& may_overlap) {
  const std::span<const Body> movers = world.movers();
  const Immovables immovables = world.immovables();
  const Paths paths{movers};
  Overlapped overlapped{limits.overlaps_per_body.value_or(0), may_overlap};
  std::size_t found = 0;  // each pair is found from both of its movers
  for (std::uint32_t mover = 0; mover < movers.size(); ++mover) {
    const Body& body = movers[mover];
    const bool is_limited = limits.overlaps_per_body && body.kind == Kind::Dynamic;
    overlapped.begin(body);
    paths.grid.visit_near(paths.hulls[mover], [&](std::uint32_t other) {
      if (other == mover) return;
      ++found;
      if (is_limited) overlapped.count(movers[other]);
    });
    if (is_limited) {
      immovables.visit(Solidity::Solid, rect_of(box_of(body.min, body.size)),
                       [&](std::uint32_t wall) { overlapped.count(immovables[wall]); });
    }
    if (overlapped.exceeds_limit()) return CrowdedBody{body.id, Crowding::Overlaps};
    if (found / 2 > limits.pairs) return CrowdedBody{body.id, Crowding::Pairs};
  }
  return std::nullopt;
}

}  // namespace tickbox::sim
