#include "sim/step/overlaps.h"

#include "sim/box.h"

#include <algorithm>

namespace tickbox::sim {

std::vector<BodyPair> find_overlaps(const PhysicsWorld& world) {
  return find_overlaps(world, [](const Body& a, const Body& b) {
    return stay_apart(a, b) && !crushes(a) && !crushes(b);
  });
}

std::vector<BodyPair> find_overlaps(
    const PhysicsWorld& world, const std::function<bool(const Body&, const Body&)>& is_wanted) {
  std::vector<const Body*> from_the_left;
  for (const Body& body : world.statics().bodies()) {
    from_the_left.push_back(&body);
  }
  for (const Body& body : world.fixed().by_id()) {
    from_the_left.push_back(&body);
  }
  for (const Body& body : world.movers()) {
    from_the_left.push_back(&body);
  }
  std::sort(from_the_left.begin(), from_the_left.end(), [](const Body* a, const Body* b) {
    return a->min.x != b->min.x ? a->min.x < b->min.x : a->id < b->id;
  });

  std::vector<BodyPair> pairs;
  for (std::size_t i = 0; i < from_the_left.size(); ++i) {
    const Body& body = *from_the_left[i];
    const Box box = box_of(body.min, body.size);
    for (std::size_t j = i + 1; j < from_the_left.size(); ++j) {
      const Body& other = *from_the_left[j];
      if (other.min.x >= box.max[0]) break;
      if (overlap(box, box_of(other.min, other.size)) && is_wanted(body, other)) {
        pairs.push_back(ordered_pair(body.id, other.id));
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace tickbox::sim
