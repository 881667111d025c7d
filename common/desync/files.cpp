#include "desync/files.h"

#include "core/bytes.h"
#include "desync/document.h"
#include "os/files/file.h"
#include "os/files/private_file.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <utility>

namespace tickbox::desync {
namespace {

/// Desyncs in the queue, each with up to three views: some 300 KB.
constexpr std::size_t kWaitingMax = 8;

}  // namespace

std::string file_name_of(const Desync& desync, WallTime today) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(today);
  const std::string room =
      desync.room == RoomId{} ? std::string{} : fmt::format("-room{}", desync.room.value);
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-desync-{}{}-seat{}-tick{}.json",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::system_clock::time_point{seconds.time_since_epoch()})),
                     (today - seconds).count(), name_of(desync.side), room, desync.seat.value,
                     desync.view.tick.value);
}

Quota::Fault Quota::fault_of(const Desync& desync) {
  if (!desync.difference) return {};
  const engine::WorldDifference& difference = *desync.difference;
  const std::string field =
      difference.first_fields.empty() ? std::string{} : difference.first_fields.front().field;
  return {difference.subject.substr(0, difference.subject.find(' ')),
          field.substr(0, field.find('['))};
}

bool Quota::count(const Desync& desync, Instant now) {
  if (!hour_began_ || now - *hour_began_ >= std::chrono::hours{1}) {
    hour_began_ = now;
    files_this_hour_ = 0;
  }
  const Fault fault = fault_of(desync);
  const std::size_t part = faults_.contains(fault) ? 2 : 1;
  if (files_ >= kDesyncFilesMax / part || files_this_hour_ >= kDesyncFilesPerHourMax / part) {
    return false;
  }
  if (desync.client) {
    std::size_t& files = files_of_client_[*desync.client];
    if (files == kFilesOfClientMax) return false;
    ++files;
  }
  ++files_;
  ++files_this_hour_;
  faults_.insert(fault);
  return true;
}

std::expected<std::unique_ptr<Files>, std::string> Files::open(const std::string& folder,
                                                               const Clock& clock) {
  if (auto prepared = os::prepare_folder(folder, "--desync-dir"); !prepared) {
    return std::unexpected(std::move(prepared.error()));
  }
  std::unique_ptr<Files> files{new Files{folder, clock}};
  auto thread = os::start_thread("desync_files", [self = files.get()] { self->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  files->thread_ = *std::move(thread);
  return files;
}

Files::Files(const std::string& folder, const Clock& clock) : folder_(folder), clock_(clock) {}

Files::~Files() {
  closing_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Files::record(const Desync& desync) {
  const std::scoped_lock lock{mutex_};
  if (waiting_.size() == kWaitingMax || !quota_.count(desync, clock_.now())) {
    ++stats_.left_out;
    return;
  }
  const std::string name = file_name_of(desync, os::SystemCalendar{}.now());
  waiting_.push_back({.path = (folder_ / name).string(), .desync = desync});
  wake_.notify_one();
}

void Files::run() {
  std::unique_lock lock{mutex_};
  while (wake_.wait(lock, closing_.get_token(), [this] { return !waiting_.empty(); })) {
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const std::string text = to_json(job.desync, cli::build_info());
    const auto written = os::create_private_file(job.path, as_bytes_of(text));
    lock.lock();
    ++(written ? stats_.written : stats_.failed);
  }
}

FileStats Files::stats() const {
  const std::scoped_lock lock{mutex_};
  return stats_;
}

}  // namespace tickbox::desync
