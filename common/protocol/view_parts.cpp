#include "protocol/view_parts.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::protocol {

ViewPart part_of(const ViewName& view, std::span<const game::EntityState> members,
                 std::uint8_t number) {
  ViewPart part{.view = view, .part = number, .parts = parts_of(members.size())};
  TICKBOX_ASSERT(number < part.parts && members.size() <= kViewMembersMax);
  const std::size_t begin = number * kViewPartBodies;
  const std::size_t end = std::min(begin + kViewPartBodies, members.size());
  for (std::size_t i = begin; i < end; ++i) {
    part.bodies.push_back(members[i]);
  }
  return part;
}

std::uint32_t view_hash(std::span<const game::EntityState> members) {
  game::ViewHash hash;
  for (const game::EntityState& entity : members) {
    hash.add(game::entity_hash(entity));
  }
  return static_cast<std::uint32_t>(hash.value() & 0xffff'ffff);
}

void ViewParts::clear() {
  members_.clear();
  parts_ = 0;
  arrived_ = 0;
}

bool ViewParts::take(const ViewPart& part) {
  TICKBOX_ASSERT(part.part < part.parts && part.parts <= kViewPartsMax);
  if (parts_ == 0) {
    parts_ = part.parts;
    members_.resize(std::size_t{parts_} * kViewPartBodies);
  }
  if (part.parts != parts_) return false;
  const auto bit = static_cast<std::uint8_t>(1U << part.part);
  const std::size_t begin = part.part * kViewPartBodies;
  if ((arrived_ & bit) != 0) {
    const bool is_same = begin + part.bodies.size() <= members_.size() &&
                         std::equal(part.bodies.begin(), part.bodies.end(),
                                    members_.begin() + static_cast<std::ptrdiff_t>(begin));
    return is_same;
  }
  arrived_ = static_cast<std::uint8_t>(arrived_ | bit);
  std::copy(part.bodies.begin(), part.bodies.end(),
            members_.begin() + static_cast<std::ptrdiff_t>(begin));
  if (part.part + 1 == parts_) members_.resize(begin + part.bodies.size());
  if (!is_whole()) return true;
  return std::ranges::adjacent_find(members_, std::ranges::greater_equal{},
                                    &game::EntityState::id) == members_.end();
}

}  // namespace tickbox::protocol
