#include "sim/statics.h"

#include "core/assert.h"
#include "sim/body_hash.h"

#include <algorithm>
#include <utility>

namespace tickbox::sim {
namespace {

std::vector<Body> sorted_by_id(std::vector<Body> bodies) {
  std::sort(bodies.begin(), bodies.end(), [](const Body& a, const Body& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    TICKBOX_ASSERT(bodies[i].kind == Kind::Static);
    TICKBOX_ASSERT(is_within_limits(bodies[i]));
    TICKBOX_ASSERT(i == 0 || bodies[i - 1].id < bodies[i].id);
  }
  return bodies;
}

std::vector<std::uint32_t> indices_where(std::span<const Body> bodies,
                                         bool (*is_one)(const Body&)) {
  std::vector<std::uint32_t> indices;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    if (is_one(bodies[i])) indices.push_back(i);
  }
  return indices;
}

void add_path(StreamHasher& hasher, const Path& path) {
  hasher.add(path.speed());
  hasher.add(static_cast<std::uint32_t>(path.points().size()));
  for (const Vec2 point : path.points()) {
    hasher.add(point.x);
    hasher.add(point.y);
  }
}

std::uint64_t hash_of(std::span<const Body> bodies, std::span<const Path> paths) {
  StreamHasher hasher;
  for (const Body& body : bodies) {
    add_body(hasher, body);
  }
  for (const Path& path : paths) {
    add_path(hasher, path);
  }
  return hasher.digest();
}

}  // namespace

Statics::Statics(std::vector<Body> bodies, std::vector<Path> paths)
    : bodies_(sorted_by_id(std::move(bodies))),
      paths_(std::move(paths)),
      grid_(bodies_, indices_where(bodies_, [](const Body& body) { return !is_ghost(body); })),
      ghosts_(bodies_, indices_where(bodies_, is_ghost)),
      hash_(hash_of(bodies_, paths_)) {
  TICKBOX_ASSERT(paths_.size() <= kNoPath);
}

const Body* Statics::find(BodyId id) const {
  const auto place =
      std::lower_bound(bodies_.begin(), bodies_.end(), id,
                       [](const Body& body, BodyId sought) { return body.id < sought; });
  return place != bodies_.end() && place->id == id ? &*place : nullptr;
}

bool overlaps_any(const Statics& statics, Vec2 min, Vec2 size) {
  TICKBOX_ASSERT(size.x >= 1 && size.y >= 1);
  const Box box = box_of(min, size);
  bool found = false;
  statics.grid().visit(rect_of(box), [&](std::uint32_t index) {
    const Body& body = statics.bodies()[index];
    found = found || overlap(box, box_of(body.min, body.size));
  });
  return found;
}

}  // namespace tickbox::sim
