#include "cli/desync_file.h"

#include "engine/declared.h"
#include "engine/log/words.h"
#include "os/files/file.h"
#include "os/files/private_file.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Desyncs in the queue, each with up to three views: some 300 KB.
constexpr std::size_t kWaitingMax = 8;

/// The format number in the file, raised when old readers would misread the file.
constexpr int kFormat = 4;

/// An id is text, because not every reader of JSON keeps 64 bits of a number.
std::string text_of(BodyId id) {
  return std::to_string(id.value);
}

/// A value as a number, or in words for a player or an entity; of an array a list of them.
Json document_of(const FieldInfo& field, ConstBytes state) {
  const auto value = [&](std::size_t i) {
    const std::int64_t number = engine::value_of(field, i, state);
    const bool is_number = field.form != FieldForm::Player && field.form != FieldForm::Ref;
    return is_number ? Json(number) : Json(engine::text_of(field, i, state));
  };
  if (field.times == 1) return value(0);
  Json list = Json::array();
  for (std::size_t i = 0; i < field.times; ++i) {
    list.push_back(value(i));
  }
  return list;
}

Json document_of(const TypeInfo& type, ConstBytes state) {
  Json document = Json::object();
  for (const FieldInfo& field : type.fields()) {
    document[std::string{field.name}] = document_of(field, state);
  }
  return document;
}

Json document_of(const views::Rows& rows, std::size_t row) {
  const views::RowHead& head = rows.head(row);
  Json document{{"id", text_of(head.id)}, {"kind", rows.kind_of(row).type.name},
                {"x", head.min.x},        {"y", head.min.y},
                {"vx", head.velocity.x},  {"vy", head.velocity.y},
                {"new", head.is_new}};
  const Vec2 size = rows.kind_of(row).body(rows.state(row).data()).size;
  document["width"] = size.x;
  document["height"] = size.y;
  if (head.parent != Parent::Collides) document["ignores"] = text_of(head.ignores);
  if (head.carrier != sim::kNoBody) document["carrier"] = text_of(head.carrier);
  if (head.path != kNoPath) {
    document["path"] = head.path;
    document["path_ticks"] = head.path_ticks;
  }
  document["state"] = document_of(rows.kind_of(row).type, rows.state(row));
  if (views::is_controlled(head.id)) {
    document["input"] = document_of(rows.game().input, rows.input(row));
  }
  return document;
}

Json document_of(const std::optional<views::ViewState>& view) {
  if (!view) return nullptr;
  Json entities = Json::array();
  for (std::size_t row = 0; row < view->rows.size(); ++row) {
    entities.push_back(document_of(view->rows, row));
  }
  return {{"entities", std::move(entities)},
          {"room", document_of(view->rows.game().room, view->room)}};
}

Json document_of(const std::optional<engine::WorldDifference>& difference) {
  if (!difference) return nullptr;
  Json fields = Json::array();
  for (const engine::FieldDifference& field : difference->first_fields) {
    fields.push_back({{"field", field.field}, {"server", field.expected}, {"client", field.got}});
  }
  Json first{{"subject", difference->subject}, {"fields", std::move(fields)}};
  if (difference->entity) first["entity"] = text_of(*difference->entity);
  return {{"entities", difference->entities},
          {"fields", difference->fields},
          {"others", difference->others},
          {"first", std::move(first)}};
}

Json document_of(const std::vector<protocol::DesyncCause>& causes) {
  Json list = Json::array();
  for (const protocol::DesyncCause& cause : causes) {
    Json document = {{"tick", cause.tick.value}, {"cause", name_of(cause.kind)}};
    if (cause.entity != sim::kNoBody) document["entity"] = text_of(cause.entity);
    if (!cause.what.empty()) document["what"] = cause.what;
    list.push_back(std::move(document));
  }
  return list;
}

}  // namespace

std::string to_json(const protocol::Desync& desync, const BuildInfo& build) {
  const protocol::ViewName& view = desync.view;
  const bool on_base = view.base_age > 0;
  const Json document = {{"desync", kFormat},
                         {"side", name_of(desync.side)},
                         {"ended", name_of(desync.end)},
                         {"build",
                          {{"version", build.version},
                           {"commit", build.commit},
                           {"simulation", build.simulation_hash}}},
                         {"room", desync.room == RoomId{} ? Json() : Json(desync.room.value)},
                         {"seat", desync.seat.value},
                         {"tick", view.tick.value},
                         {"base_tick", on_base ? Json(view.tick.value - view.base_age) : Json()},
                         {"expected", fmt::format("{:08x}", view.server_hash)},
                         {"got", fmt::format("{:08x}", view.client_hash)},
                         {"difference", document_of(desync.difference)},
                         {"server_view", document_of(desync.server_view)},
                         {"client_view", document_of(desync.client_view)},
                         {"base_view", document_of(desync.base_view)},
                         {"causes", document_of(desync.causes)}};
  return document.dump() + "\n";
}

std::string file_name_of(const protocol::Desync& desync, WallTime today) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(today);
  const std::string room =
      desync.room == RoomId{} ? std::string{} : fmt::format("-room{}", desync.room.value);
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-desync-{}{}-seat{}-tick{}.json",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::system_clock::time_point{seconds.time_since_epoch()})),
                     (today - seconds).count(), name_of(desync.side), room, desync.seat.value,
                     desync.view.tick.value);
}

std::expected<std::unique_ptr<DesyncFiles>, std::string> DesyncFiles::open(
    const std::string& folder, const Clock& clock) {
  if (auto prepared = os::prepare_folder(folder, "--desync-dir"); !prepared) {
    return std::unexpected(std::move(prepared.error()));
  }
  std::unique_ptr<DesyncFiles> files{new DesyncFiles{folder, clock}};
  auto thread = os::start_thread("desync_files", [self = files.get()] { self->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  files->thread_ = *std::move(thread);
  return files;
}

DesyncFiles::DesyncFiles(const std::string& folder, const Clock& clock)
    : folder_(folder), clock_(clock) {}

DesyncFiles::~DesyncFiles() {
  closing_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void DesyncFiles::record(const protocol::Desync& desync) {
  const std::scoped_lock lock{mutex_};
  if (waiting_.size() == kWaitingMax || !quota_.count(desync, clock_.now())) {
    ++stats_.left_out;
    return;
  }
  const std::string name = file_name_of(desync, os::SystemCalendar{}.now());
  waiting_.push_back({.path = (folder_ / name).string(), .desync = desync});
  wake_.notify_one();
}

void DesyncFiles::run() {
  std::unique_lock lock{mutex_};
  while (wake_.wait(lock, closing_.get_token(), [this] { return !waiting_.empty(); })) {
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const std::string text = to_json(job.desync, build_info());
    const auto written = os::create_private_file(job.path, as_bytes_of(text));
    lock.lock();
    ++(written ? stats_.written : stats_.failed);
  }
}

DesyncFileStats DesyncFiles::stats() const {
  const std::scoped_lock lock{mutex_};
  return stats_;
}

}  // namespace tickbox::cli
