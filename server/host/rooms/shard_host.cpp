#include "server/host/rooms/shard_host.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

void ShardHost::open(std::unique_ptr<ServedRoom> room, Instant now) {
  shard->open_room(room->parts());
  if (room->arrived != nullptr) shard->seat_players(room->id, *room->arrived->match, now);
  room->arrived.reset();
  rooms.push_back(std::move(room));
}

bool ShardHost::is_at(const net::Address& address) const {
  return addresses.empty() || std::ranges::find(addresses, address) != addresses.end();
}

std::unique_ptr<ServedRoom> ShardHost::close(RoomId id, Instant now) {
  const auto found = std::ranges::find(rooms, id, [](const auto& room) { return room->id; });
  if (found == rooms.end()) return nullptr;
  shard->close_room(id, now);
  std::unique_ptr<ServedRoom> room = std::move(*found);
  rooms.erase(found);
  room->recordings->recorder().finish();
  room->recordings->disarm();
  RecordingMetrics recording = room->recordings->poll();
  // What still waits is not counted when it is written.
  recording.bytes += std::exchange(recording.queue_bytes, 0);
  recording.degraded = false;
  status.closed_recordings.add(recording);
  return room;
}

void ShardHost::publish(AdminServer& admin, Instant last_tick, Instant now) {
  Metrics& metrics = shard->metrics();
  const os::UdpFailures& failures = transport->failures();
  metrics.socket = {.sends_dropped = failures.sends_dropped,
                    .send_errors = failures.send_errors,
                    .receive_errors = failures.receive_errors};
  shard->copy_rooms(status.rooms);
  // Both lists are in the order in which rooms were opened.
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    status.rooms[i].recording = rooms[i]->recordings->poll();
    status.rooms[i].log_followers = rooms[i]->recordings->recorder().tail()->followers();
  }
  status.at = now;
  status.last_tick = last_tick;
  status.metrics = metrics;
  admin.publish(index, status);
  if (!admin.wants_clients(index)) return;
  clients.at = now;
  shard->copy_clients(clients.clients, now);
  shard->copy_seat_holders(clients.seat_holders);
  admin.publish_clients(index, clients);
}

}  // namespace tickbox::server
