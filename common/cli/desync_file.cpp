#include "cli/desync_file.h"

#include "os/process/steady_clock.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace tickbox::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The format number in the file, raised when old readers would misread the file.
constexpr int kFormat = 2;

Json document_of(const game::EntityState& entity) {
  Json document = Json::object();
  game::for_each_field(entity, [&](const char* name, auto value) {
    if constexpr (std::is_enum_v<decltype(value)>) {
      document[name] = std::to_underlying(value);
    } else {
      document[name] = value;
    }
  });
  return document;
}

Json document_of(const std::optional<std::vector<game::EntityState>>& view) {
  if (!view) return nullptr;
  Json list = Json::array();
  for (const game::EntityState& entity : *view) {
    list.push_back(document_of(entity));
  }
  return list;
}

Json document_of(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

Json document_of(const std::optional<game::ViewDifference>& difference) {
  if (!difference) return nullptr;
  Json fields = Json::array();
  for (const game::FieldDifference& field : difference->first_fields) {
    fields.push_back({{"field", field.field},
                      {"server", document_of(field.expected)},
                      {"client", document_of(field.got)}});
  }
  return {{"entities", difference->entities},
          {"fields", difference->fields},
          {"first",
           {{"entity", difference->first.value},
            {"kind", game::kind_name(difference->first)},
            {"fields", std::move(fields)}}}};
}

std::pair<const char*, const char*> names_of(protocol::DesyncCause::Kind kind) {
  switch (kind) {
    case protocol::DesyncCause::Kind::Input:
      return {"input", "move"};
    case protocol::DesyncCause::Kind::Shot:
      return {"shot", "aim"};
    case protocol::DesyncCause::Kind::Ray:
      return {"ray", "aim"};
    case protocol::DesyncCause::Kind::Teleport:
      return {"teleport", "place"};
    case protocol::DesyncCause::Kind::Exit:
      return {"exit", nullptr};
    case protocol::DesyncCause::Kind::InFull:
      return {"in_full", nullptr};
  }
  return {"unknown", nullptr};
}

Json document_of(const std::vector<protocol::DesyncCause>& causes) {
  Json list = Json::array();
  for (const protocol::DesyncCause& cause : causes) {
    const auto [what, value] = names_of(cause.kind);
    Json document = {{"tick", cause.tick.value}, {"entity", cause.entity.value}, {"what", what}};
    if (value != nullptr) document[value] = cause.value;
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
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-desync-{}-seat{}-tick{}.json",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::system_clock::time_point{seconds.time_since_epoch()})),
                     (today - seconds).count(), name_of(desync.side), desync.seat.value,
                     desync.view.tick.value);
}

std::expected<std::unique_ptr<DesyncFiles>, std::string> DesyncFiles::open(
    const std::string& folder, const Clock& clock) {
  auto writer = os::BackgroundFileWriter::open({.folder = folder, .flag = "--desync-dir"});
  if (!writer) return std::unexpected(std::move(writer.error()));
  return std::unique_ptr<DesyncFiles>{new DesyncFiles{*std::move(writer), clock}};
}

void DesyncFiles::note(const protocol::Desync& desync) {
  const std::optional<os::FileShare> share = quota_.share_of(desync);
  if (!share) return writer_->leave_out();
  const bool is_taken = writer_->write(
      file_name_of(desync, os::SystemCalendar{}.now()),
      [copy = std::make_shared<const protocol::Desync>(desync)] {
        return to_json(*copy, build_info());
      },
      clock_.now(), *share);
  if (is_taken) quota_.take(desync);
}

}  // namespace tickbox::cli
