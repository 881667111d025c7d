#include "server/shard/match_results.h"

#include "engine/log/words.h"

#include <fmt/core.h>

#include <string>

namespace tickbox::server {
namespace {

/// Returns `[{"seat":3,"client":"7"},…]` of the players in a room. An id is text, because not every
/// reader of JSON represents 64 bits.
std::string players_json(const HostedRoom& room) {
  std::string players = "[";
  for (const Seat& seat : room.seats().all()) {
    if (!seat.in_world) continue;
    players += fmt::format(R"({}{{"seat":{},"client":"{}"}})", players.size() > 1 ? "," : "",
                           seat.player.value, seat.client);
  }
  return players + "]";
}

}  // namespace

void MatchResults::publish(const HostedRoom& room, Instant now) {
  const GameTable& game = room.world().game();
  if (game.results.empty()) return;
  const engine::TickRecord& record = room.match().record();
  for (const engine::Outcome& outcome : record.outcomes) {
    if (outcome.kind != engine::OutcomeKind::Published) continue;
    const TypeInfo& type = game.results[outcome.type];
    publish(room, type, engine::value_json(type, record.bytes_of(outcome)), now);
  }
}

void MatchResults::publish(const HostedRoom& room, const TypeInfo& type, std::string_view values,
                           Instant now) {
  ++context_.metrics.results.published;
  context_.log.event(LogKind::Result, Severity::Info, now, [&] {
    return LogEvent{"match_result",
                    {{"room", room.id().value},
                     {"tick", room.tick().value},
                     {"type", type.name},
                     {"values", JsonText{std::string{values}}}}};
  });
  if (sink_ == nullptr) return;
  const std::string line = fmt::format(
      R"({{"unix_ms":{},"game":"{}","room":{},"tick":{},"type":"{}","values":{},"players":{}}})"
      "\n",
      calendar_.now().time_since_epoch().count(), room.world().game().name, room.id().value,
      room.tick().value, type.name, values, players_json(room));
  if (sink_->write(as_bytes_of(line))) return;
  ++context_.metrics.results.lost;
  context_.log.event(LogKind::ResultLost, Severity::Error, now, [&] {
    return LogEvent{"match_result_lost", {{"room", room.id().value}, {"tick", room.tick().value}}};
  });
}

}  // namespace tickbox::server
