#include "server/host/admin/status_document.h"

#include "net/handshake.h"
#include "os/process/log.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tickbox::server {
namespace {

std::int64_t milliseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

/// Writes JSON. A document of 1,000 clients is written for each page once a second, so no tree of
/// it is built.
class Writer {
 public:
  void open(char bracket, std::string_view key = {}) {
    begin(key);
    out_ += bracket;
    is_first_ = true;
  }

  void close(char bracket) {
    out_ += bracket;
    is_first_ = false;
  }

  void text(std::string_view key, std::string_view value) {
    begin(key);
    out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  template <class Value>
  void number(std::string_view key, Value value) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }

  /// Nanoseconds as milliseconds.
  void time(std::string_view key, std::uint64_t nanoseconds) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{:.3f}", static_cast<double>(nanoseconds) * 1e-6);
  }

  [[nodiscard]] std::string finish() { return std::move(out_) + "\n"; }

 private:
  void begin(std::string_view key) {
    if (!std::exchange(is_first_, false)) out_ += ',';
    if (!key.empty()) fmt::format_to(std::back_inserter(out_), "\"{}\":", key);
  }

  std::string out_;
  bool is_first_ = true;
};

std::string_view name_of(ServerState state) {
  switch (state) {
    case ServerState::Starting:
      return "starting";
    case ServerState::Ready:
      return "ready";
    case ServerState::Draining:
      return "draining";
    case ServerState::Stopping:
      break;
  }
  return "stopping";
}

void write_ticks(Writer& to, const Metrics& metrics) {
  const Histogram& ticks = metrics.of(Phase::Total);
  to.open('{', "tick_ms");
  to.time("p50", ticks.quantile(500));
  to.time("p99", ticks.quantile(990));
  to.time("max", ticks.quantile(1'000));
  to.time("budget", static_cast<std::uint64_t>(tick_duration(metrics.tick_rate).count()));
  to.close('}');
}

void write_shard(Writer& to, const ShardStatus& shard, std::string_view address, Instant now) {
  const Metrics& metrics = shard.metrics;
  to.open('{');
  to.text("address", address);
  to.number("rooms", shard.rooms.size());
  to.number("rate", metrics.tick_rate);
  to.number("players", metrics.clients);
  to.number("since_tick_ms", milliseconds(now - shard.last_tick));
  to.number("overruns", metrics.overruns);
  to.number("ticks_skipped", metrics.slipped);
  to.number("load", metrics.load.share / 1e3);
  to.text("overload", name_of(metrics.load.overload));
  write_ticks(to, metrics);
  // The whole distribution, so that a reader of two documents knows it of the time between them.
  to.open('[', "tick_ns");
  metrics.of(Phase::Total).for_each_bucket([&](std::uint64_t last, std::uint64_t count) {
    to.open('[');
    to.number({}, last);
    to.number({}, count);
    to.close(']');
  });
  to.close(']');
  to.close('}');
}

void write_recording(Writer& to, const RecordingMetrics& recording, bool records) {
  to.open('{', "recording");
  to.text("state", !records ? "off" : recording.degraded ? "degraded" : "recording");
  to.number("bytes", recording.bytes);
  to.number("queue_bytes", recording.queue_bytes);
  to.number("ticks_lost", recording.ticks_lost);
  to.close('}');
}

/// Writes a room. What it says of ticks is about all rooms of its shard.
void write_room(Writer& to, const RoomStatus& room, std::size_t shard, const Metrics& metrics,
                bool records) {
  to.open('{');
  to.number("id", room.id.value);
  to.text("game", room.game->name);
  to.text("map", room.map->name);
  to.number("shard", shard);
  to.number("tick", room.tick.value);
  to.number("rate", metrics.tick_rate);
  to.number("players", room.players);
  to.number("seats_held", room.seats_held);
  to.number("seats", room.seats);
  to.number("entities", room.entities());
  to.number("overruns", metrics.overruns);
  to.number("ticks_skipped", metrics.slipped);
  to.number("load", metrics.load.share / 1e3);
  to.text("overload", name_of(metrics.load.overload));
  to.number("followers", room.log_followers);
  write_ticks(to, metrics);
  write_recording(to, room.recording, records);
  to.close('}');
}

/// Writes the shards, and the rooms by their numbers.
void write_rooms(Writer& to, const Status& status, const StatusParts& parts) {
  to.open('[', "shards");
  for (std::size_t i = 0; i < status.shards.size(); ++i) {
    write_shard(to, status.shards[i], parts.addresses[i], parts.now);
  }
  to.close(']');
  std::map<std::uint32_t, std::pair<std::size_t, const RoomStatus*>> rooms;
  for (std::size_t i = 0; i < status.shards.size(); ++i) {
    for (const RoomStatus& room : status.shards[i].rooms) {
      rooms[room.id.value] = {i, &room};
    }
  }
  to.open('[', "rooms");
  for (const auto& [id, room] : rooms) {
    write_room(to, *room.second, room.first, status.shards[room.first].metrics, parts.records);
  }
  to.close(']');
}

/// Writes the reasons that have counts.
void write_counts(Writer& to, const Metrics& metrics) {
  to.open('{', "drops");
  for (std::size_t i = 0; i < net::kDropReasons; ++i) {
    const auto reason = static_cast<net::DropReason>(i);
    if (metrics.drops.of(reason) != 0) to.number(net::name_of(reason), metrics.drops.of(reason));
  }
  to.close('}');
  to.open('{', "refusals");
  for (std::size_t i = 1; i < net::kRefuseReasons; ++i) {
    const std::uint64_t count = metrics.refusals[i];
    if (count != 0) to.number(net::name_of(static_cast<net::RefuseReason>(i)), count);
  }
  to.close('}');
  to.open('{', "disconnects");
  for (std::size_t i = 1; i < net::kSessionEnds; ++i) {
    const std::uint64_t count = metrics.disconnects[i];
    if (count != 0) to.number(net::name_of(static_cast<net::DisconnectReason>(i)), count);
  }
  to.close('}');
}

void write_traffic(Writer& to, const Metrics& metrics) {
  const Traffic& traffic = metrics.traffic;
  to.open('{', "traffic");
  to.number("packets_in", traffic.packets_in);
  to.number("packets_out", traffic.packets_out);
  to.number("bytes_in", traffic.bytes_in);
  to.number("bytes_out", traffic.bytes_out);
  to.close('}');
}

void write_client(Writer& to, const ClientStatus& client) {
  to.open('{');
  to.number("room", client.room.value);
  to.number("seat", client.seat.value);
  to.text("client", std::to_string(client.client));  // beyond the numbers that every reader has
  to.number("played_ms", milliseconds(client.played));
  if (client.rtt_us != 0) to.time("rtt_ms", static_cast<std::uint64_t>(client.rtt_us) * 1'000);
  to.number("packets_sent", client.packets_sent);
  to.number("packets_received", client.packets_received);
  to.number("snapshots", client.snapshots);
  to.number("snapshot_bytes", client.snapshot_bytes);
  to.number("margin_ticks", client.margin / 16.0);
  to.number("late", client.late);
  to.number("substituted", client.substituted);
  to.number("mismatches", client.mismatches);
  to.close('}');
}

void write_line(Writer& to, const RecentLine& line) {
  to.open('{');
  to.number("number", line.number);
  to.text("time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                              fmt::gmtime(std::chrono::floor<std::chrono::seconds>(line.time)),
                              line.time.time_since_epoch().count() % 1'000));
  to.text("level", os::name_of(line.severity));
  to.text("text", line.text);
  to.close('}');
}

void write_clients_and_log(Writer& to, const StatusParts& parts) {
  to.number("clients_at_ms", milliseconds(parts.clients_at - parts.began));
  to.open('[', "clients");
  for (const ClientStatus& client : parts.clients)
    write_client(to, client);
  to.close(']');
  to.open('[', "log");
  for (const RecentLine& line : parts.log)
    write_line(to, line);
  to.close(']');
}

bool is_address(const LogField& field) {
  return field.key == "address";
}

std::string line_of(const LogEvent& event) {
  std::string line = as_text(event);
  if (line.size() > RecentLog::kLineBytesMax) {
    line.resize(RecentLog::kLineBytesMax);
    line += "...";
  }
  return line;
}

}  // namespace

std::string status_document(const Status& status, const StatusParts& parts) {
  const Metrics metrics = status.metrics();
  const Instant at = std::ranges::min(status.shards, {}, &ShardStatus::at).at;
  Writer to;
  to.open('{');
  to.text("version", parts.process.version);
  to.text("commit", parts.process.commit);
  to.text("simulation", parts.process.simulation_hash);
  to.text("name", parts.process.server_name);
  to.text("keys", parts.process.has_keys ? "own" : "published");
  if (!parts.process.gateway_url.empty()) to.text("gateway", parts.process.gateway_url);
  to.text("state", name_of(status.state));
  to.text("address", parts.addresses.front());
  to.number("started_ms", static_cast<std::uint64_t>(1e3 * parts.process.use.started));
  to.number("uptime_ms", milliseconds(parts.now - parts.began));
  to.number("at_ms", milliseconds(at - parts.began));
  to.number("since_tick_ms", milliseconds(parts.now - status.last_tick()));
  to.number("cpu_ms", parts.process.use.cpu_microseconds / 1'000);
  to.number("memory_bytes", parts.process.use.resident_bytes);
  to.number("state_hash_mismatches", metrics.hash_mismatches);
  write_rooms(to, status, parts);
  write_traffic(to, metrics);
  write_counts(to, metrics);
  if (parts.reader == StatusReader::Page) write_clients_and_log(to, parts);
  to.close('}');
  return to.finish();
}

// --- the newest lines of the log ---

void RecentLog::add(WallTime time, Severity severity, const LogEvent& event) {
  Line line{.shown = {.time = time, .severity = severity, .text = line_of(event)},
            .without_address = {}};
  if (std::ranges::any_of(event.fields, is_address)) {
    LogEvent rest = event;
    std::erase_if(rest.fields, is_address);
    line.without_address = line_of(rest);
  }
  const auto added = std::make_shared<Line>(std::move(line));
  const std::scoped_lock lock{mutex_};
  added->shown.number = ++count_;
  if (lines_.size() == kLinesMax) lines_.pop_front();
  lines_.push_back(added);
}

std::vector<RecentLine> RecentLog::after(std::uint64_t number, Addresses addresses) const {
  // A thread that writes a line waits for the copy of pointers alone.
  std::deque<std::shared_ptr<const Line>> lines;
  {
    const std::scoped_lock lock{mutex_};
    lines = lines_;
  }
  std::vector<RecentLine> after;
  for (const auto& line : lines) {
    if (line->shown.number <= number) continue;
    after.push_back(line->shown);
    if (addresses == Addresses::LeftOut && !line->without_address.empty()) {
      after.back().text = line->without_address;
    }
  }
  return after;
}

}  // namespace tickbox::server
