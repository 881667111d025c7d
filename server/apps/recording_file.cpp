#include "server/apps/recording_file.h"

#include "net/handshake.h"
#include "os/build_info.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <utility>

namespace tickbox::server {

std::expected<RecordingFile, std::string> create_recording(const Options& options, const Room& room,
                                                           std::uint64_t seed, Entropy& entropy) {
  std::error_code failed;
  std::filesystem::create_directories(options.record, failed);
  if (failed) {
    return std::unexpected(
        fmt::format("cannot make the directory {}: {}; choose another with --record",
                    options.record, failed.message()));
  }
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto since_epoch = now.time_since_epoch();
  const std::string name = fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-room0.tickbox",
                                       fmt::gmtime(std::chrono::floor<std::chrono::seconds>(now)),
                                       since_epoch.count() % 1'000);
  RecordingFile recording{.path = (std::filesystem::path{options.record} / name).string()};
  recording.header = {.schema_hash = net::schema_hash(),
                      .map_hash = game::map_hash(*room.world().map()),
                      .seed = seed,
                      .start_ms = since_epoch.count(),
                      .tick_rate = options.tick_rate,
                      .map_seats = room.world().map()->seats,
                      .room = 0,
                      .rules = std::string{room.rules().name()},
                      .simulation = std::string{os::build_info().simulation_hash}};
  entropy.fill(recording.header.salt);
  auto sink = os::FileSink::create({.path = recording.path});
  if (!sink) {
    return std::unexpected(std::move(sink.error()));
  }
  recording.sink = *std::move(sink);
  return recording;
}

}  // namespace tickbox::server
