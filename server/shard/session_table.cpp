#include "server/shard/session_table.h"

#include "core/assert.h"
#include "engine/entity_id.h"

#include <bit>
#include <utility>

namespace tickbox::server {
namespace {

/// A connection id is a random multiple of this, plus the session's slot.
constexpr std::uint32_t kSlotsMax = kSessionsPerSeat * engine::kSeatsMax;
static_assert(std::has_single_bit(kSlotsMax));

}  // namespace

SessionTable::SessionTable(std::size_t sessions_max)
    : blocks_((sessions_max + kSessionsPerBlock - 1) / kSessionsPerBlock), slots_(sessions_max) {
  TICKBOX_ASSERT(sessions_max <= kSlotsMax);
  free_.reserve(sessions_max);
  for (std::size_t i = sessions_max; i > 0; --i) {
    free_.push_back(static_cast<std::uint32_t>(i - 1));
  }
}

Session& SessionTable::open(Entropy& entropy) {
  TICKBOX_ASSERT(!free_.empty());
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Block& block = blocks_[index / kSessionsPerBlock];
  if (block.empty()) block = Block(kSessionsPerBlock);
  draw_connection(index, entropy);
  slots_[index].former = slots_[index].connection;
  Session& session = block[index % kSessionsPerBlock];
  session.state = Session::State::Accepted;
  session.slot = index;
  return session;
}

void SessionTable::draw_connection(std::size_t index, Entropy& entropy) {
  Slot& slot = slots_[index];
  std::uint32_t drawn =
      (draw_number<std::uint32_t>(entropy) & ~(kSlotsMax - 1)) | static_cast<std::uint32_t>(index);
  while (drawn == slot.connection || drawn == slot.former) {
    drawn += kSlotsMax;
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
  Block& block = blocks_[index / kSessionsPerBlock];
  if (block.empty()) return nullptr;
  Session& session = block[index % kSessionsPerBlock];
  return session.state != Session::State::Free ? &session : nullptr;
}

void SessionTable::record_departure(const Session& session, Instant now) {
  Slot& slot = slots_[session.slot];
  slot.departure = {.connection = slot.connection,
                    .former = slot.former,
                    .address = session.route.peer,
                    .at = now};
}

bool SessionTable::has_departed(std::uint32_t connection, const net::Address& from,
                                Instant now) const {
  const std::uint32_t index = connection % kSlotsMax;
  if (index >= slots_.size() || !slots_[index].departure) return false;
  const Departure& departure = *slots_[index].departure;
  const bool is_its_id = departure.connection == connection || departure.former == connection;
  return is_its_id && departure.address == from && now - departure.at <= kLastPackets;
}

}  // namespace tickbox::server
