#include "server/shard/session_table.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tickbox::server {

static_assert(std::has_single_bit(SessionTable::kSlotsMax));

void SessionTable::grow(std::size_t sessions_max) {
  const std::size_t before = slots_.size();
  const std::size_t after = std::min(sessions_max, kSlotsMax);
  if (after <= before) return;
  blocks_.resize((after + kSlotsPerBlock - 1) / kSlotsPerBlock);
  slots_.resize(after);
  // The lowest slots are used first, so that few blocks are in use.
  std::vector<std::uint32_t> free;
  free.reserve(after);
  for (std::size_t i = after; i > before; --i) {
    free.push_back(static_cast<std::uint32_t>(i - 1));
  }
  free.insert(free.end(), free_.begin(), free_.end());
  free_ = std::move(free);
}

Session& SessionTable::open(Entropy& entropy) {
  TICKBOX_ASSERT(!free_.empty());
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Block& block = blocks_[index / kSlotsPerBlock];
  if (block.sessions.empty()) {
    block.sessions.resize(kSlotsPerBlock);
    block.departures.resize(kSlotsPerBlock);
  }
  draw_connection(index, entropy);
  slots_[index].former = slots_[index].connection;
  Session& session = block.sessions[index % kSlotsPerBlock];
  session.state = Session::State::Accepted;
  session.slot = index;
  return session;
}

void SessionTable::draw_connection(std::size_t index, Entropy& entropy) {
  constexpr auto kSlots = std::uint32_t{kSlotsMax};
  Slot& slot = slots_[index];
  std::uint32_t drawn =
      (draw_number<std::uint32_t>(entropy) & ~(kSlots - 1)) | static_cast<std::uint32_t>(index);
  while (drawn == slot.connection || drawn == slot.former) {
    drawn += kSlots;
  }
  slot.former = std::exchange(slot.connection, drawn);
}

void SessionTable::renew(Session& session, Entropy& entropy) {
  draw_connection(session.slot, entropy);
  session.channel.set_connection(connection_of(session));
}

void SessionTable::close(Session& session) {
  TICKBOX_ASSERT(session.state != Session::State::Free);
  free_.push_back(session.slot);
  session = {};
}

Session* SessionTable::find(std::uint32_t connection) {
  const std::uint32_t index = connection % kSlotsMax;
  if (index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  if (slot.connection != connection && slot.former != connection) return nullptr;
  Block& block = blocks_[index / kSlotsPerBlock];
  if (block.sessions.empty()) return nullptr;
  Session& session = block.sessions[index % kSlotsPerBlock];
  return session.state != Session::State::Free ? &session : nullptr;
}

void SessionTable::record_departure(const Session& session, Instant now) {
  const Slot& slot = slots_[session.slot];
  Block& block = blocks_[session.slot / kSlotsPerBlock];
  block.departures[session.slot % kSlotsPerBlock] = {.connection = slot.connection,
                                                     .former = slot.former,
                                                     .address = session.route.peer,
                                                     .at = now};
}

bool SessionTable::has_departed(std::uint32_t connection, const net::Address& from,
                                Instant now) const {
  const std::uint32_t index = connection % kSlotsMax;
  if (index >= slots_.size()) return false;
  const Block& block = blocks_[index / kSlotsPerBlock];
  if (block.departures.empty() || !block.departures[index % kSlotsPerBlock]) return false;
  const Departure& departure = *block.departures[index % kSlotsPerBlock];
  const bool is_its_id = departure.connection == connection || departure.former == connection;
  return is_its_id && departure.address == from && now - departure.at <= kLastPackets;
}

}  // namespace tickbox::server
