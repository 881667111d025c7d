#include "server/host/admin/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::array<std::pair<Phase, std::string_view>, 3> kPhaseNames = {
    {{Phase::Receive, "receive"}, {Phase::Step, "step"}, {Phase::Send, "send"}}};
constexpr std::array<std::string_view, kInputResults> kInputNames = {"given", "substituted", "late",
                                                                     "too_early", "replaced"};

constexpr std::array<std::string_view, kDesyncResults> kDesyncResultNames = {
    "compared", "forgotten", "unfinished", "limited"};

/// Upper bounds of the buckets for Prometheus, in nanoseconds, from 16 µs to 1 s. There are two per
/// doubling; the duration of a tick, whose quantiles people judge by, has eight from 0.5 to 33 ms.
constexpr std::array<std::uint64_t, 8> kDoubling = {16'000, 17'448, 19'027, 20'749,
                                                    22'627, 24'675, 26'909, 29'344};

template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> bounds_between(std::uint64_t fine_from,
                                                           std::uint64_t fine_to) {
  std::array<std::uint64_t, kCount> bounds{};
  std::size_t count = 0;
  for (std::size_t i = 0; i <= 16 * kDoubling.size(); ++i) {
    const std::uint64_t bound = kDoubling[i % kDoubling.size()] << (i / kDoubling.size());
    if (i % 4 == 0 || (bound > fine_from && bound < fine_to)) bounds.at(count++) = bound;
  }
  return bounds;
}

constexpr auto kBounds = bounds_between<33>(0, 0);
constexpr auto kTickBounds = bounds_between<69>(512'000, 32'768'000);
static_assert(kBounds.back() == 1'048'576'000 && kTickBounds.back() == kBounds.back());

/// Writes metric families one after the other: a head, then its samples.
class Text {
 public:
  void head(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(out_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                   type);
  }

  void sample(std::string_view name, std::string_view labels, std::uint64_t value) {
    fmt::format_to(std::back_inserter(out_), "{}{} {}\n", name, labels, value);
  }

  void sample(std::string_view name, std::string_view labels, double value) {
    sample(name, labels, fmt::format("{:.9g}", value));
  }

  void sample(std::string_view name, std::string_view labels, const std::string& value) {
    fmt::format_to(std::back_inserter(out_), "{}{} {}\n", name, labels, value);
  }

  void single(std::string_view name, std::string_view type, std::string_view help,
              std::uint64_t value) {
    head(name, type, help);
    sample(name, "", value);
  }

  /// Writes a histogram of nanoseconds, in seconds; `label` like `phase="step"`, or empty.
  void histogram(std::string_view name, std::string_view label, const Histogram& histogram,
                 std::span<const std::uint64_t> bounds = kBounds) {
    const std::string_view comma = label.empty() ? "" : ",";
    for (const std::uint64_t bound : bounds) {
      fmt::format_to(std::back_inserter(out_), "{}_bucket{{{}{}le=\"{:.9g}\"}} {}\n", name, label,
                     comma, static_cast<double>(bound) * 1e-9, histogram.at_most(bound));
    }
    fmt::format_to(std::back_inserter(out_), "{}_bucket{{{}{}le=\"+Inf\"}} {}\n", name, label,
                   comma, histogram.count());
    const std::string labels = label.empty() ? std::string{} : fmt::format("{{{}}}", label);
    sample(fmt::format("{}_sum", name), labels, static_cast<double>(histogram.sum()) * 1e-9);
    sample(fmt::format("{}_count", name), labels, histogram.count());
  }

  /// Writes a histogram with bounds of its own, in units of `unit`.
  template <class Counts>
  void buckets(std::string_view name, std::string_view label, const Counts& counts, double unit) {
    const std::string_view comma = label.empty() ? "" : ",";
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < counts.bounds().size(); ++i) {
      count += counts.counts()[i];
      fmt::format_to(std::back_inserter(out_), "{}_bucket{{{}{}le=\"{:.9g}\"}} {}\n", name, label,
                     comma, static_cast<double>(counts.bounds()[i]) * unit, count);
    }
    count += counts.counts().back();
    fmt::format_to(std::back_inserter(out_), "{}_bucket{{{}{}le=\"+Inf\"}} {}\n", name, label,
                   comma, count);
    const std::string labels = label.empty() ? std::string{} : fmt::format("{{{}}}", label);
    sample(fmt::format("{}_sum", name), labels, static_cast<double>(counts.sum()) * unit);
    sample(fmt::format("{}_count", name), labels, count);
  }

  [[nodiscard]] std::string finish() { return std::move(out_); }

 private:
  std::string out_;
};

std::string label(std::string_view name, std::string_view value) {
  return fmt::format("{{{}=\"{}\"}}", name, value);
}

void add_ticks(Text& text, const Metrics& metrics) {
  text.head("tickbox_tick_duration_seconds", "histogram", "Time spent on a tick.");
  text.histogram("tickbox_tick_duration_seconds", "", metrics.of(Phase::Total), kTickBounds);
  text.head("tickbox_tick_phase_seconds", "histogram", "Time spent on each phase of a tick.");
  for (const auto& [phase, name] : kPhaseNames) {
    text.histogram("tickbox_tick_phase_seconds", fmt::format("phase=\"{}\"", name),
                   metrics.of(phase));
  }
  text.head("tickbox_tick_lateness_seconds", "histogram",
            "Time from a tick's deadline to its start.");
  text.histogram("tickbox_tick_lateness_seconds", "", metrics.lateness);
  text.single("tickbox_ticks_total", "counter", "Ticks stepped.", metrics.ticks);
  text.single("tickbox_tick_overruns_total", "counter", "Ticks that took longer than their period.",
              metrics.overruns);
  text.single("tickbox_ticks_slipped_total", "counter", "Ticks skipped after a stall.",
              metrics.slipped);
  text.head("tickbox_tick_load_ratio", "gauge",
            "Mean time of the last ticks, as a share of their period.");
  text.sample("tickbox_tick_load_ratio", "", static_cast<double>(metrics.load.share) * 1e-3);
  text.single("tickbox_overload_level", "gauge",
              "Given up while ticks take too long: 0 nothing, 1 snapshots are rarer, 2 joins.",
              static_cast<std::uint64_t>(metrics.load.overload));
  text.single("tickbox_tick_rate", "gauge", "Configured ticks per second.", metrics.tick_rate);
}

/// Sessions that began, did not begin, and ended.
void add_connections(Text& text, const Metrics& metrics) {
  text.head("tickbox_connections_total", "counter", "Answers to connection requests, by result.");
  text.sample("tickbox_connections_total", label("result", "accepted"),
              metrics.of(ConnectionResult::Accepted));
  text.sample("tickbox_connections_total", label("result", "resumed"),
              metrics.of(ConnectionResult::Resumed));
  for (std::size_t i = 1; i < net::kRefuseReasons; ++i) {
    const auto reason = static_cast<net::RefuseReason>(i);
    text.sample("tickbox_connections_total",
                label("result", fmt::format("refused_{}", net::name_of(reason))),
                metrics.refusals[i]);
  }
  text.single("tickbox_refusals_repeated_total", "counter",
              "Refusals of an address within 10 s of the first for the same reason.",
              metrics.refusals_repeated);
  text.head("tickbox_path_checks_total", "counter",
            "Packets of a session came from a new address: the client has moved, or it still "
            "answers at the old one.");
  text.sample("tickbox_path_checks_total", label("result", "moved"),
              metrics.of(ConnectionResult::Moved));
  text.sample("tickbox_path_checks_total", label("result", "stayed"),
              metrics.of(ConnectionResult::Stayed));
  text.head("tickbox_disconnects_total", "counter", "Ended sessions, by reason.");
  for (std::size_t i = 1; i < net::kSessionEnds; ++i) {
    text.sample("tickbox_disconnects_total",
                label("reason", net::name_of(static_cast<net::DisconnectReason>(i))),
                metrics.disconnects[i]);
  }
}

/// The rooms of one game together.
struct RoomsOfOneGame {
  const GameTable* game = nullptr;
  std::array<std::uint64_t, kKindsMax> entities_of_kind{};
};

/// Returns the games of the open rooms, in the order in which their first rooms were opened.
std::vector<RoomsOfOneGame> games_of(const Status& status) {
  std::vector<RoomsOfOneGame> games;
  status.for_each_room([&games](const RoomStatus& room) {
    auto of = std::ranges::find(games, room.game, &RoomsOfOneGame::game);
    if (of == games.end()) of = games.insert(of, {.game = room.game});
    for (std::size_t kind = 0; kind < kKindsMax; ++kind) {
      of->entities_of_kind[kind] += room.entities_of_kind[kind];
    }
  });
  return games;
}

void add_rooms(Text& text, const Status& status) {
  std::uint64_t rooms = 0;
  std::uint64_t entities = 0;
  std::uint64_t followers = 0;
  status.for_each_room([&](const RoomStatus& room) {
    ++rooms;
    entities += room.entities();
    followers += room.log_followers;
  });
  text.single("tickbox_shards", "gauge", "Shards: threads that each drive rooms of their own.",
              status.shards.size());
  text.single("tickbox_rooms", "gauge", "Open rooms.", rooms);
  text.single("tickbox_clients_max", "gauge", "Clients that the server admits at most.",
              status.seats());
  text.single("tickbox_entities", "gauge", "Entities in all rooms.", entities);
  text.head("tickbox_entities_of_kind", "gauge", "Entities in all rooms, by game and kind.");
  for (const RoomsOfOneGame& of : games_of(status)) {
    for (std::size_t kind = 0; kind < of.game->kinds.size(); ++kind) {
      text.sample(
          "tickbox_entities_of_kind",
          fmt::format("{{game=\"{}\",kind=\"{}\"}}", of.game->name, of.game->kinds[kind].type.name),
          of.entities_of_kind[kind]);
    }
  }
  text.single("tickbox_log_followers", "gauge", "Readers that follow the log of a room.",
              followers);
}

void add_clients(Text& text, const Metrics& metrics) {
  text.single("tickbox_clients", "gauge", "Connected clients.", metrics.clients);
  text.head("tickbox_inputs_total", "counter",
            "Inputs: received in time, substituted by the server, too late, too early, or replaced "
            "by the client after a pause.");
  for (std::size_t i = 0; i < kInputResults; ++i) {
    text.sample("tickbox_inputs_total", label("result", kInputNames[i]), metrics.inputs[i]);
  }
  text.head("tickbox_input_margin_ticks", "histogram",
            "Time from a packet's arrival to the tick of its newest input, in ticks; negative if "
            "the input was late.");
  text.buckets("tickbox_input_margin_ticks", "", metrics.input_margin, 1.0 / 16);
  text.head("tickbox_client_rtt_seconds", "histogram",
            "Time from a snapshot to its acknowledgement: the round trip plus up to one tick.");
  text.buckets("tickbox_client_rtt_seconds", "", metrics.client_rtt, 1e-6);
  text.single("tickbox_state_hash_mismatches_total", "counter",
              "Views whose hash differed at the client.", metrics.hash_mismatches);
  text.single("tickbox_state_hash_reporters_total", "counter",
              "Clients that reported such a view while they held a seat.",
              metrics.mismatch_reporters);
  text.head("tickbox_desync_reports_total", "counter",
            "Reports of views whose hash differed: field found, view forgotten, report incomplete, "
            "or over the limits.");
  for (std::size_t i = 0; i < kDesyncResults; ++i) {
    text.sample("tickbox_desync_reports_total", label("result", kDesyncResultNames[i]),
                metrics.desync_results[i]);
  }
  const DesyncFileMetrics& files = metrics.desync_files;
  text.head("tickbox_desync_files_total", "counter", "Desync files of --desync-dir, by result.");
  text.sample("tickbox_desync_files_total", label("result", "written"), files.written);
  text.sample("tickbox_desync_files_total", label("result", "left_out"), files.left_out);
  text.sample("tickbox_desync_files_total", label("result", "failed"), files.failed);
  text.single("tickbox_commands_total", "counter", "Commands of players taken.", metrics.commands);
  text.single("tickbox_matches_ended_total", "counter", "Matches whose room the game has closed.",
              metrics.matches_ended);
  text.single("tickbox_log_lines_dropped_total", "counter",
              "Log lines dropped because nobody read the log.", metrics.log_lines_dropped);
  text.single("tickbox_match_results_total", "counter", "Results that the game has published.",
              metrics.results.published);
  text.single("tickbox_match_results_lost_total", "counter",
              "Results that could not be written to --match-results.", metrics.results.lost);
}

void add_traffic(Text& text, const Metrics& metrics) {
  const Traffic& traffic = metrics.traffic;
  text.head("tickbox_packets_total", "counter", "Datagrams, including dropped ones.");
  text.sample("tickbox_packets_total", label("direction", "in"), traffic.packets_in);
  text.sample("tickbox_packets_total", label("direction", "out"), traffic.packets_out);
  text.head("tickbox_bytes_total", "counter", "Bytes of UDP payload, including dropped datagrams.");
  text.sample("tickbox_bytes_total", label("direction", "in"), traffic.bytes_in);
  text.sample("tickbox_bytes_total", label("direction", "out"), traffic.bytes_out);
  text.head("tickbox_socket_failures_total", "counter",
            "Datagrams that the socket failed to send or to receive.");
  text.sample("tickbox_socket_failures_total", label("kind", "send_buffer_full"),
              metrics.socket.sends_dropped);
  text.sample("tickbox_socket_failures_total", label("kind", "send_error"),
              metrics.socket.send_errors);
  text.sample("tickbox_socket_failures_total", label("kind", "receive_error"),
              metrics.socket.receive_errors);
  text.head("tickbox_packets_dropped_total", "counter",
            "Received datagrams that were dropped, by reason.");
  for (std::size_t i = 0; i < net::kDropReasons; ++i) {
    const auto reason = static_cast<net::DropReason>(i);
    text.sample("tickbox_packets_dropped_total", label("reason", net::name_of(reason)),
                metrics.drops.of(reason));
  }
}

void add_snapshots(Text& text, const SnapshotMetrics& snapshots) {
  text.head("tickbox_snapshots_total", "counter", "Snapshots sent: as a delta, or in full.");
  text.sample("tickbox_snapshots_total", label("kind", "on_base"), snapshots.on_base);
  text.sample("tickbox_snapshots_total", label("kind", "full"), snapshots.full);
  text.head("tickbox_snapshots_not_sent_total", "counter",
            "Snapshots not sent: without news, over budget, or put off to the next tick.");
  text.sample("tickbox_snapshots_not_sent_total", label("reason", "quiet"), snapshots.quiet);
  text.sample("tickbox_snapshots_not_sent_total", label("reason", "held_back"),
              snapshots.held_back);
  text.sample("tickbox_snapshots_not_sent_total", label("reason", "put_off"), snapshots.put_off);
  text.head("tickbox_snapshot_bytes_total", "counter", "Bytes of snapshots sent, by part.");
  for (std::size_t i = 0; i < kSnapshotParts; ++i) {
    text.sample("tickbox_snapshot_bytes_total", label("part", kSnapshotPartNames[i]),
                snapshots.bytes[i]);
  }
  text.head("tickbox_snapshot_size_bytes", "histogram", "Bytes of UDP payload per snapshot.");
  text.buckets("tickbox_snapshot_size_bytes", "kind=\"on_base\"", snapshots.on_base_sizes, 1);
  text.buckets("tickbox_snapshot_size_bytes", "kind=\"full\"", snapshots.full_sizes, 1);
  text.single("tickbox_entities_deferred_total", "counter",
              "Bodies in the view extent that did not fit a snapshot, summed over snapshots.",
              snapshots.deferred);
  text.single("tickbox_snapshot_members_total", "counter",
              "Bodies in the views of sent snapshots, summed over snapshots.", snapshots.members);
  text.single("tickbox_full_views_asked_total", "counter", "Full views that clients requested.",
              snapshots.asked);
  text.single("tickbox_view_acks_unproven_total", "counter",
              "Acknowledgements without the receipt of a view that was sent lately.",
              snapshots.unproven);
  text.single("tickbox_view_waits_total", "counter",
              "Bodies in the view extent that a view did not have yet, summed over snapshots.",
              snapshots.waiting);
}

void add_events(Text& text, const EventMetrics& events) {
  text.head("tickbox_events_total", "counter",
            "Events for clients: queued, or lost because a client's queue was full.");
  text.sample("tickbox_events_total", label("result", "queued"), events.queued);
  text.sample("tickbox_events_total", label("result", "lost"), events.lost);
}

void add_recording(Text& text, const RecordingMetrics& recording) {
  text.single("tickbox_recording_bytes_total", "counter", "Bytes of recordings written.",
              recording.bytes);
  text.single("tickbox_recording_errors_total", "counter", "Failed disk calls of recordings.",
              recording.errors);
  text.single("tickbox_recording_queue_bytes", "gauge",
              "Bytes of recordings waiting to be written.", recording.queue_bytes);
  text.single("tickbox_recording_ticks_lost_total", "counter",
              "Ticks missing in recordings because they could not be written.",
              recording.ticks_lost);
  text.single("tickbox_recording_degraded", "gauge", "1 while a recording cannot be written.",
              recording.degraded ? 1U : 0U);
}

/// Escapes the value of a label.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

void add_server(Text& text, const Status& status, const ProcessFacts& process) {
  text.head("tickbox_server_info", "gauge",
            "Name of this server, and a game and map of its rooms; always 1.");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  status.for_each_room([&](const RoomStatus& room) {
    if (!seen.emplace(room.game->name, room.map->name).second) return;
    text.sample("tickbox_server_info",
                fmt::format("{{name=\"{}\",game=\"{}\",map=\"{}\"}}", escaped(process.server_name),
                            escaped(room.game->name), escaped(room.map->name)),
                std::uint64_t{1});
  });
}

void add_process(Text& text, const ProcessFacts& process) {
  text.head("tickbox_build_info", "gauge",
            "Version, commit and simulation hash of this program; always 1.");
  text.sample("tickbox_build_info",
              fmt::format("{{version=\"{}\",commit=\"{}\",simulation=\"{}\"}}", process.version,
                          process.commit, process.simulation_hash),
              std::uint64_t{1});
  text.head("process_cpu_seconds_total", "counter", "Processor time used.");
  text.sample("process_cpu_seconds_total", "",
              static_cast<double>(process.use.cpu_microseconds) * 1e-6);
  text.single("process_resident_memory_bytes", "gauge", "Memory in use.",
              process.use.resident_bytes);
  text.single("process_virtual_memory_bytes", "gauge", "Address space in use.",
              process.use.virtual_bytes);
  text.single("process_open_fds", "gauge", "Open file descriptors.", process.use.open_files);
  text.single("process_max_fds", "gauge", "Limit of open file descriptors.",
              process.use.open_files_max);
  text.head("process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970.");
  text.sample("process_start_time_seconds", "", fmt::format("{:.2f}", process.use.started));
  text.head("tickbox_admin_requests_total", "counter",
            "Answers of the admin side, by HTTP status.");
  for (const auto& [status, responses] : process.admin_requests) {
    text.sample("tickbox_admin_requests_total", label("code", std::to_string(status)), responses);
  }
  text.head("tickbox_agones_requests_total", "counter",
            "Requests to the side car of Agones, by HTTP status.");
  for (const auto& [status, responses] : process.agones_requests) {
    text.sample("tickbox_agones_requests_total",
                label("code", status == 0 ? "none" : std::to_string(status)), responses);
  }
}

}  // namespace

Metrics Status::metrics() const {
  Metrics sum = shards.front().metrics;
  for (const ShardStatus& shard : std::span{shards}.subspan(1)) {
    sum.add(shard.metrics);
  }
  return sum;
}

RecordingMetrics ShardStatus::recording() const {
  RecordingMetrics sum = closed_recordings;
  for (const RoomStatus& room : rooms) {
    sum.add(room.recording);
  }
  return sum;
}

RecordingMetrics Status::recording() const {
  RecordingMetrics sum;
  for (const ShardStatus& shard : shards) {
    sum.add(shard.recording());
  }
  return sum;
}

bool Status::refuses_joins() const {
  return std::ranges::all_of(shards, [](const ShardStatus& shard) {
    return shard.metrics.load.overload == Overload::RefusesJoins;
  });
}

Instant Status::last_tick() const {
  std::optional<Instant> oldest;
  Instant newest = Instant::min();
  for (const ShardStatus& shard : shards) {
    newest = std::max(newest, shard.last_tick);
    if (!shard.has_run) oldest = std::min(oldest.value_or(shard.last_tick), shard.last_tick);
  }
  return oldest.value_or(newest);
}

std::uint64_t Status::seats() const {
  std::uint64_t seats = 0;
  for_each_room([&seats](const RoomStatus& room) { seats += room.seats; });
  return seats;
}

std::uint64_t Status::seats_held() const {
  std::uint64_t held = 0;
  for_each_room([&held](const RoomStatus& room) { held += room.seats_held; });
  return held;
}

std::uint64_t Status::rooms() const {
  std::uint64_t rooms = 0;
  for_each_room([&rooms](const RoomStatus& /*room*/) { ++rooms; });
  return rooms;
}

std::string exposition(const Status& status, const ProcessFacts& process) {
  const Metrics metrics = status.metrics();
  Text text;
  add_ticks(text, metrics);
  add_connections(text, metrics);
  add_rooms(text, status);
  add_clients(text, metrics);
  add_traffic(text, metrics);
  add_snapshots(text, metrics.snapshots);
  add_events(text, metrics.events);
  add_recording(text, status.recording());
  add_server(text, status, process);
  add_process(text, process);
  return text.finish();
}

LogEvent IntervalSummary::consume(const Metrics& metrics, const SummaryOfRooms& rooms,
                                  Instant now) {
  const double seconds = std::chrono::duration<double>(now - since_).count();
  const auto per_second = [seconds](std::uint64_t before, std::uint64_t after, double unit) {
    return static_cast<double>(after - before) / seconds / unit;
  };
  const auto milliseconds = [this](unsigned permille) {
    return Decimal{static_cast<double>(ticks_.quantile(permille)) * 1e-6, 3};
  };
  const Traffic& traffic = metrics.traffic;
  LogEvent summary{
      "summary",
      {{"ticks_per_second", Decimal{static_cast<double>(ticks_.count()) / seconds, 1}},
       {"tick_ms_p50", milliseconds(500)},
       {"tick_ms_p99", milliseconds(990)},
       {"tick_ms_max", milliseconds(1'000)},
       {"budget_ms", Decimal{1'000.0 / metrics.tick_rate, 1}},
       {"clients", metrics.clients},
       {"entities", rooms.entities},
       {"packets_in_per_second", Decimal{per_second(before_.packets_in, traffic.packets_in, 1), 0}},
       {"packets_out_per_second",
        Decimal{per_second(before_.packets_out, traffic.packets_out, 1), 0}},
       {"kib_in_per_second", Decimal{per_second(before_.bytes_in, traffic.bytes_in, 1'024), 1}},
       {"kib_out_per_second", Decimal{per_second(before_.bytes_out, traffic.bytes_out, 1'024), 1}},
       {"drops", metrics.drops.total() - drops_before_},
       {"slipped", metrics.slipped},
       {"recording_bytes", rooms.recording_bytes}}};
  since_ = now;
  ticks_ = {};
  before_ = traffic;
  drops_before_ = metrics.drops.total();
  return summary;
}

}  // namespace tickbox::server
