#include "protocol/view_parts.h"

#include "core/assert.h"
#include "game/entity_codec.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "protocol/message_builder.h"

#include <algorithm>

namespace tickbox::protocol {
namespace {

/// Returns whether a sender can have cut this part: all parts except the last are full, and only an
/// empty view has an empty part.
bool is_possible(const schema::ViewPartHead& head, std::size_t bodies) {
  const bool names_a_view = head.tick() > 0 && head.tick() <= net::kTickMax &&
                            head.said() != head.made() && head.base_age() <= kBaseAgeMax &&
                            head.base_age() <= head.tick();
  if (!names_a_view || head.arrived() >> kViewPartsMax != 0) return false;
  if (head.parts() == 0) return head.part() == 0 && bodies == 0;
  if (head.parts() > kViewPartsMax || head.part() >= head.parts()) return false;
  if (head.part() + 1 < head.parts()) return bodies == kViewPartBodies;
  const std::size_t members = head.part() * kViewPartBodies + bodies;
  return bodies <= kViewPartBodies && members <= kViewMembersMax &&
         parts_of(members) == head.parts();
}

static_assert(view_part_bytes(kViewPartBodies) <= net::kMessageBytesMax);

}  // namespace

ConstBytes encode_view_part(const ViewPart& part, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  auto& flat = builder.flat;
  flatbuffers::Offset<flatbuffers::Vector<const schema::Entity*>> bodies;
  if (!part.bodies.empty()) {
    bodies = flat.CreateVectorOfStructs<schema::Entity>(
        part.bodies.size(),
        [&part](std::size_t i, schema::Entity* wire) { *wire = encode_entity(part.bodies[i]); });
  }
  const schema::ViewPartHead head{part.view.tick.value,
                                  part.view.server_hash,
                                  part.view.client_hash,
                                  part.view.base_age,
                                  part.part,
                                  part.parts,
                                  part.arrived};
  const ConstBytes message = builder.finish(schema::CreateViewPart(flat, &head, bodies));
  TICKBOX_ASSERT(message.size() <= view_part_bytes(part.bodies.size()));
  return message;
}

std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::ViewPart>();
  if (wire == nullptr || wire->head() == nullptr)
    return std::unexpected{net::DropReason::Malformed};
  const schema::ViewPartHead& head = *wire->head();
  const std::size_t bodies = wire->bodies() != nullptr ? wire->bodies()->size() : 0;
  if (!is_possible(head, bodies)) return std::unexpected{net::DropReason::Malformed};
  ViewPart part{.view = {.tick = {head.tick()},
                         .server_hash = head.said(),
                         .client_hash = head.made(),
                         .base_age = head.base_age()},
                .part = head.part(),
                .parts = head.parts(),
                .arrived = head.arrived(),
                .bodies = {}};
  for (std::size_t i = 0; i < bodies; ++i) {
    part.bodies.push_back(
        game::decode_any_entity(*wire->bodies()->Get(static_cast<flatbuffers::uoffset_t>(i))));
  }
  if (!game::have_ascending_ids({part.bodies.begin(), part.bodies.end()}))
    return std::unexpected{net::DropReason::Malformed};
  return part;
}

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
  return game::have_ascending_ids(members_);
}

}  // namespace tickbox::protocol
