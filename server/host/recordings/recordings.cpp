#include "server/host/recordings/recordings.h"

#include "cli/build_info.h"
#include "net/handshake.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "server/shard/hosted_room.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

namespace tickbox::server {
namespace {

record::Header header_of(const RecordedRoom& room, const Options& options, WallTime start,
                         Entropy& entropy) {
  const engine::Identity& identity = room.identity;
  record::Header header{
      .schema_hash = net::schema_hash(),
      .map_hash = identity.map_hash,
      .seed = room.seed,
      .start_ms = start.time_since_epoch().count(),
      .tick_rate = options.tick_rate,
      .map_seats = identity.map_seats,
      .room = room.id.value,
      .server = recording_folder_of(options).server,
      .game = identity.game,
      .game_version = identity.version,
      .game_hash = identity.game_hash,
      .simulation = std::string{cli::build_info().simulation_hash},
      .commit = std::string{cli::build_info().commit.substr(0, record::kCommitMax)}};
  entropy.fill(header.salt);
  return header;
}

std::uint32_t ticks_in(Duration time, std::uint32_t tick_rate) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(time / tick_duration(tick_rate), kMost));
}

/// Returns the path for the recording of a crash; empty if there is none. Creates --crash-dir if it
/// is missing. Fails: with one line.
std::expected<std::string, std::string> crash_path(const Options& options, RoomId room,
                                                   WallTime start) {
  const std::string name = recording_name(start, room.value, "crash");
  if (options.crash_dir.empty()) {
    if (options.record.empty()) return std::string{};
    return (std::filesystem::path{options.record} / name).string();
  }
  if (auto prepared = os::prepare_folder(options.crash_dir, "--crash-dir"); !prepared) {
    return std::unexpected{std::move(prepared.error())};
  }
  return (std::filesystem::path{options.crash_dir} / name).string();
}

/// Returns the name of the page that shows every recording of a game's rules.
std::string page_name(const GameTable& game) {
  return fmt::format("{}{}-{:016x}{}", kPagePrefix, game.name, engine::rules_hash(game),
                     kPageSuffix);
}

}  // namespace

/// With a limit of the directory a file always ends: the files that are written, one for each room,
/// are never removed. The n-th of the open rooms, by age, was opened beside n - 1 others at least.
/// So all these files have at most an eighth of the limit and a half, a third, … of that: together
/// less than the limit, for as many rooms as it allows.
std::uint64_t part_bytes_of(const Options& options, std::uint64_t rooms_open) {
  if (options.record_max_bytes == 0) return 0;
  return std::max(options.record_max_bytes / 8 / rooms_open, kPartBytesMin);
}

RecordingFolderOptions recording_folder_of(const Options& options) {
  return {.path = options.record,
          .bytes_max = options.record_max_bytes,
          .server = record::name_hash(options.name.empty() ? os::host_name() : options.name)};
}

std::optional<std::string> recording_contradiction(const Options& options) {
  if (!options.record.empty()) return std::nullopt;
  if (options.record_rotate_time > Duration{}) {
    return "--record-rotate-time needs a recording; add --record DIR";
  }
  if (options.record_max_bytes > 0) {
    return "--record-max-bytes needs a recording; add --record DIR";
  }
  return std::nullopt;
}

std::expected<std::unique_ptr<Recordings>, std::string> Recordings::open(
    const Options& options, const RecordingsParts& parts, const RecordedRoom& room) {
  const WallTime start = parts.calendar.now();
  const record::Header header = header_of(room, options, start, parts.entropy);
  auto crash = crash_path(options, room.id, start);
  if (!crash) return std::unexpected{std::move(crash.error())};

  std::unique_ptr<Recordings> made{new Recordings{parts, room.match, header, options.programs}};
  made->crash_path_ = *std::move(crash);
  if (!options.record.empty()) {
    auto files =
        RecordingFiles::open({.part_bytes = part_bytes_of(options, room.rooms_open),
                              .part_ticks = ticks_in(options.record_rotate_time, options.tick_rate),
                              .page_name = page_name(room.match.world().game()),
                              .page = room.page},
                             parts.folder, parts.calendar, header);
    if (!files) return std::unexpected{std::move(files.error())};
    made->files_ = *std::move(files);
    made->recorder_.add(*made->files_);
    made->log_notes();
    if (options.record_max_bytes == 0 && room.id == kFirstRoom) {
      parts.log.event(Severity::Warning, {"recording_unlimited",
                                          {{"path", options.record},
                                           {"reason", "recordings may fill the disk"},
                                           {"try", "--record-max-bytes SIZE"}}});
    }
  }
  made->recorder_.begin_segment_if_due();
  return made;
}

void Recordings::arm() {
  crash_file_.emplace(crash_path_, recorder_, programs_);
}

void Recordings::log_notes() {
  for (const RecordingNote& note : files_->consume_notes()) {
    log_.event(note.severity, note.event);
  }
}

RecordingMetrics Recordings::poll() {
  if (!files_) return {};
  log_notes();
  const RecordingStatus status = files_->status();
  if (status.degraded != std::exchange(degraded_, status.degraded)) {
    if (status.degraded) {
      log_.event(Severity::Error,
                 {"recording_degraded", {{"path", status.path}, {"reason", status.reason}}});
    } else {
      log_.event(Severity::Info,
                 {"recording_resumed",
                  {{"path", status.path}, {"ticks_lost", files_->stats().ticks_lost}}});
    }
  }
  return {.bytes = status.bytes,
          .errors = status.errors,
          .queue_bytes = status.queue_bytes,
          .ticks_lost = files_->stats().ticks_lost,
          .degraded = status.degraded};
}

std::expected<void, std::string> Recordings::close() {
  if (!files_) return {};
  files_->finish();
  auto closed = files_->close();
  log_notes();
  if (!closed) return closed;
  const record::LogFileStats stats = files_->stats();
  log_.event(Severity::Info, {"recording_ended",
                              {{"room", room_.value},
                               {"ticks", stats.ticks_recorded},
                               {"bytes", stats.bytes},
                               {"ticks_lost", stats.ticks_lost}}});
  return {};
}

void Recordings::remove_old() {
  if (!files_) return;
  files_->remove_old();
  log_notes();
}

}  // namespace tickbox::server
