#include "desync/document.h"

#include "engine/declared.h"
#include "engine/log/words.h"
#include "views/view_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string_view>
#include <utility>

namespace tickbox::desync {
namespace {

using Json = nlohmann::ordered_json;

/// The format number in the file, raised when old readers would misread the file.
constexpr int kFormat = 5;

/// The most causes and fields of an explanation.
constexpr std::size_t kExplained = 8;

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

Json document_of(const std::vector<Cause>& causes) {
  Json list = Json::array();
  for (const Cause& cause : causes) {
    Json document = {{"tick", cause.tick.value}, {"cause", name_of(cause.kind)}};
    if (cause.entity != sim::kNoBody) document["entity"] = text_of(cause.entity);
    if (!cause.what.empty()) document["what"] = cause.what;
    list.push_back(std::move(document));
  }
  return list;
}

// --- the explanation ---

/// Returns a view of one entity; nothing if the view does not have it.
std::optional<views::ViewState> only(const std::optional<views::ViewState>& view, BodyId entity) {
  if (!view || !view->rows.contains(entity)) return std::nullopt;
  views::ViewState one{.rows = views::Rows{view->rows.game()}, .room = view->room};
  one.rows.add(view->rows.row(view->rows.index_of(entity)));
  return one;
}

/// Returns whether a field of an entity has another value than in the base; nothing if one of them
/// does not have the entity.
std::optional<bool> has_changed(const Desync& desync, const std::optional<views::ViewState>& view,
                                std::string_view field) {
  const auto before = only(desync.base_view, *desync.difference->entity);
  const auto after = only(view, *desync.difference->entity);
  if (!before || !after) return std::nullopt;
  const auto changed = views::compare_views(*before, *after);
  return changed && std::ranges::any_of(changed->first_fields,
                                        [&](const auto& each) { return each.field == field; });
}

std::string_view change_in_words(const Desync& desync) {
  const engine::WorldDifference& difference = *desync.difference;
  if (!difference.entity) return "";
  const std::string& field = difference.first_fields.front().field;
  const auto server = has_changed(desync, desync.server_view, field);
  const auto client = has_changed(desync, desync.client_view, field);
  if (!server || !client) return "";
  if (*server && *client) return "  since base  both values have changed\n";
  return *server ? "  since base  only the server's value has changed\n"
                 : "  since base  only the client's value has changed\n";
}

std::string name_in(const Desync& desync, BodyId entity) {
  for (const auto* view : {&desync.server_view, &desync.client_view, &desync.base_view}) {
    if (!*view || !(*view)->rows.contains(entity)) continue;
    const views::Rows& rows = (*view)->rows;
    return engine::entity_in_words(rows.kind_of(rows.index_of(entity)).type.name, entity);
  }
  return engine::entity_in_words("entity", entity);
}

std::string difference_in_words(const Desync& desync) {
  const engine::WorldDifference& difference = *desync.difference;
  std::string lines =
      fmt::format("  differ      entities: {}, their fields: {}, other values: {}; first {}:\n",
                  difference.entities, difference.fields, difference.others,
                  difference.entity ? name_in(desync, *difference.entity) : difference.subject);
  for (const auto& field : difference.first_fields | std::views::take(kExplained)) {
    lines += fmt::format("              {} is {} at the server, {} at the client\n", field.field,
                         field.expected, field.got);
  }
  return lines;
}

/// Those of the entity that differs first come first.
std::string causes_in_words(const Desync& desync) {
  const auto entity = desync.difference ? desync.difference->entity : std::nullopt;
  std::vector<Cause> causes = desync.causes;
  const auto others = std::ranges::stable_partition(
      causes, [&](const Cause& cause) { return entity && cause.entity == *entity; });
  const auto own = static_cast<std::size_t>(others.begin() - causes.begin());
  std::string lines;
  if (entity && own == 0) {
    lines +=
        "  cause       nothing entered for it: its state depends on another entity, on memory\n"
        "              outside the world, or on a fault\n";
  }
  for (std::size_t i = 0; i < std::min(causes.size(), kExplained); ++i) {
    const Cause& cause = causes[i];
    lines += fmt::format("  {:<11} tick {}: {}{}{}{}\n", i < own ? "cause" : "also entered",
                         cause.tick.value, name_of(cause.kind),
                         cause.entity == sim::kNoBody ? "" : " of " + name_in(desync, cause.entity),
                         cause.what.empty() ? "" : ": ", cause.what);
  }
  if (causes.size() > kExplained) {
    lines += fmt::format("              and {} more\n", causes.size() - kExplained);
  }
  return lines;
}

/// Returns what the file says for a person: what differs first, what entered since the base, and
/// what to run next.
std::string explanation_of(const Desync& desync, const cli::BuildInfo& build) {
  const protocol::ViewName& view = desync.view;
  const std::uint32_t base = view.tick.value - view.base_age;
  std::string lines = fmt::format(
      "the view of seat {} at tick {}, made from {}: hash {:08x} at the server, {:08x} at the "
      "client\n",
      desync.seat.value, view.tick.value,
      view.base_age > 0 ? fmt::format("the one at tick {}", base) : "nothing", view.server_hash,
      view.client_hash);
  if (desync.difference) {
    lines += difference_in_words(desync);
    lines += change_in_words(desync);
  } else {
    lines += fmt::format("  differ      not known: the report ended as {}\n", name_of(desync.end));
  }
  lines += causes_in_words(desync);
  return lines +
         fmt::format(
             "  written by  the {}, version {} ({}), simulation {}\n"
             "  next        tickbox replay verify RECORDING --from {} --to {}\n"
             "              RECORDING is the server's file of --record with these ticks. If "
             "it verifies, the client's\n              copy is wrong; if not, the server's "
             "world did not follow from its inputs\n",
             name_of(desync.side), build.version, build.commit, build.simulation_hash, base,
             view.tick.value);
}

}  // namespace

std::string to_json(const Desync& desync, const cli::BuildInfo& build) {
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
                         {"explanation", explanation_of(desync, build)},
                         {"difference", document_of(desync.difference)},
                         {"server_view", document_of(desync.server_view)},
                         {"client_view", document_of(desync.client_view)},
                         {"base_view", document_of(desync.base_view)},
                         {"causes", document_of(desync.causes)}};
  return document.dump() + "\n";
}

}  // namespace tickbox::desync
