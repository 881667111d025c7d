#include "client/view_assembler.h"

#include <algorithm>
#include <bitset>

namespace tickbox::client {
namespace {

/// Two bodies of one player, of which a server has but one.
bool has_two_of_a_seat(std::span<const game::EntityState> entities) {
  std::bitset<game::kSeatsMax> seats;
  for (const game::EntityState& entity : entities) {
    if (entity.traits.kind != game::EntityKind::Player) continue;
    const std::uint16_t seat = game::player_of(entity.id).value;
    if (seats.test(seat)) return true;
    seats.set(seat);
  }
  return false;
}

}  // namespace

std::expected<std::optional<View>, net::DropReason> ViewAssembler::add(
    const net::SnapshotFragment& fragment) {
  const net::SnapshotHead& head = fragment.head;
  Open& open = open_[head.tick.value % kOpenMax];
  if (open.arrived == 0 || open.head.tick < head.tick) {
    open.head = head;
    open.arrived = 0;
  } else if (head.tick < open.head.tick) {
    return std::unexpected(net::DropReason::Unexpected);
  } else if (head.fragments != open.head.fragments || head.view_hash != open.head.view_hash ||
             head.view_size != open.head.view_size) {
    return std::unexpected(net::DropReason::Malformed);
  }
  const auto bit = static_cast<std::uint8_t>(1U << head.fragment);
  if ((open.arrived & bit) != 0) {
    return std::nullopt;  // a view is told once, however often its parts come
  }
  open.arrived = static_cast<std::uint8_t>(open.arrived | bit);
  open.parts[head.fragment] = fragment.entities;
  if (open.arrived != (1U << head.fragments) - 1) {
    return std::nullopt;
  }
  whole_.clear();
  for (std::size_t i = 0; i < head.fragments; ++i) {
    whole_.insert(whole_.end(), open.parts[i].begin(), open.parts[i].end());
  }
  const bool ascending = std::ranges::adjacent_find(whole_, std::ranges::greater_equal{},
                                                    &game::EntityState::id) == whole_.end();
  if (!ascending || whole_.size() != head.view_size || has_two_of_a_seat(whole_)) {
    return std::unexpected(net::DropReason::Malformed);
  }
  return View{.head = head, .entities = whole_};
}

std::uint64_t view_hash(std::span<const game::EntityState> entities) {
  game::ViewHash hash;
  for (const game::EntityState& entity : entities) {
    hash.add(game::entity_hash(entity));
  }
  return hash.value();
}

}  // namespace tickbox::client
