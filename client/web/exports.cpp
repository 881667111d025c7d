// The module that a page loads, compiled for WebAssembly alone: one client of one game, and
// functions over numbers and JSON. page/client.js calls them; tickbox/client.h says what they mean.
//
// The page writes texts and datagrams to play_buffer(). A text that is returned ends with a 0 and
// is valid until the next call that returns one, numbers until the next call of the same function.
// Times are milliseconds.

#include "core/assert.h"
#include "tickbox/client.h"
#include "tickbox/game_table.h"
#include "tickbox/keys.h"
#include "tickbox/program.h"
#include "viewer/row.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Imported: sends a datagram to the server at the address `to`, or drops it.
extern "C" __attribute__((import_module("tickbox"), import_name("send"))) void page_send(
    const char* to, const void* datagram, std::size_t size);

namespace tickbox::web {
namespace {

using Json = nlohmann::ordered_json;
using viewer::Row;

/// The longest text or datagram of the page: a token has at most 2 KiB.
constexpr std::size_t kBufferBytes = 8192;

struct Module {
  tb_client* client = nullptr;
  std::array<char, kBufferBytes> buffer{};
  std::string text;
  std::vector<Row> rows;
  tb_camera camera{};
};

Module& module() {
  static Module& only = *new Module;
  return only;
}

tb_client* client() {
  return module().client;
}

std::uint64_t ns(double ms) {
  return static_cast<std::uint64_t>(ms * 1e6);
}

template <class Element>
std::vector<Element> elements_of(const tb_list& list) {
  std::vector<Element> all;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    all.push_back(*TB_AT(Element, list, i));
  }
  return all;
}

/// Returns what a function of the interface lists; nothing if it does not.
template <class Element, class... Arguments>
std::vector<Element> listed(tb_status (*function)(Arguments...), auto... arguments) {
  tb_list list{};
  return function(arguments..., &list) == TB_OK ? elements_of<Element>(list)
                                                : std::vector<Element>{};
}

const char* keep(std::string text) {
  module().text = std::move(text);
  return module().text.c_str();
}

const char* keep(const Json& document) {
  return keep(document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Returns the text that a function of the interface gives; an empty one if it gives none.
const char* text_of(tb_status (*function)(tb_client*, const char**)) {
  const char* text = "";
  static_cast<void>(function(client(), &text));
  return text;
}

Json json_of(const tb_type& type) {
  static constexpr std::array kForms{"whole", "flag", "press", "player", "ref"};
  Json fields = Json::array();
  for (const auto& field : elements_of<tb_field>(type.fields)) {
    fields.push_back({{"name", field.name},
                      {"form", kForms.at(field.form)},
                      {"min", field.min},
                      {"max", field.max},
                      {"by_default", field.by_default},
                      {"first", field.first},
                      {"count", field.count}});
  }
  return {{"name", type.name}, {"fields", std::move(fields)}};
}

Json types_json(tb_declared of) {
  Json types = Json::array();
  for (const auto& type : listed<tb_type>(tb_client_types, client(), of)) {
    types.push_back(json_of(type));
  }
  return types;
}

Json values_json(const std::int64_t* values, std::size_t count) {
  return std::vector<std::int64_t>{values, values + count};
}

std::int32_t sub_units(double units) {
  return static_cast<std::int32_t>(units * kUnit);
}

Row row_of(const tb_entity& entity, double tick_rate) {
  constexpr std::uint32_t kNobody = 65'535;
  return {.id_low = static_cast<std::int32_t>(entity.id),
          .id_high = static_cast<std::int32_t>(entity.id >> 32U),
          .kind = static_cast<std::int32_t>(entity.kind),
          .owner = entity.owner == kNobody ? -1 : static_cast<std::int32_t>(entity.owner),
          .min = {sub_units(entity.x), sub_units(entity.y)},
          .size = {sub_units(entity.width), sub_units(entity.height)},
          .velocity = {sub_units(entity.velocity_x / tick_rate),
                       sub_units(entity.velocity_y / tick_rate)},
          .look = entity.glyph | entity.colour << 8 | entity.shape << 16,
          .flags = (entity.is_avatar ? Row::kControlled : 0) |
                   (entity.is_new || entity.is_cut ? Row::kNew : 0) |
                   (entity.one_way ? Row::kOneWay : 0) | (entity.is_sensor ? Row::kSensor : 0) |
                   (entity.has_look ? Row::kHasLook : 0) | (entity.is_team ? Row::kTeam : 0)};
}

}  // namespace

// The linker keeps what is exported. An export has the name of its function: `wasm-ld -r`, which
// makes the object for studios, forgets any other name.
#define TICKBOX_EXPORT(NAME) extern "C" __attribute__((export_name("play_" #NAME)))

TICKBOX_EXPORT(buffer) char* play_buffer() {
  return module().buffer.data();
}

TICKBOX_EXPORT(buffer_bytes) std::size_t play_buffer_bytes() {
  return kBufferBytes;
}

/// Opens the client with the four texts of the buffer, each with a 0 after it: address, token,
/// ticket, bot; an empty one is not given. Returns an empty text, or why that fails.
TICKBOX_EXPORT(open) const char* play_open(std::uint32_t seed, double now) {
  TICKBOX_ASSERT(client() == nullptr);
  std::array<char, 256> error{};
  const char* next = module().buffer.data();
  const auto next_text = [&next]() -> const char* {
    const std::string_view text{std::exchange(next, next + std::string_view{next}.size() + 1)};
    return text.empty() ? nullptr : text.data();
  };
  tb_options options{.size = sizeof(tb_options), .abi = TB_ABI};
  options.address = next_text();
  options.token = next_text();
  options.ticket = next_text();
  options.bot = next_text();
  options.seed = seed;
  options.send = [](void*, const char* to, const void* datagram, std::size_t size) {
    page_send(to, datagram, size);
  };
  options.error = error.data();
  options.error_size = error.size();
  const tb_status status = tb_client_open(&options, ns(now), &module().client);
  if (status == TB_OK) return keep(std::string{});
  return keep(std::string{error[0] != 0 ? error.data() : tb_status_text(status)});
}

TICKBOX_EXPORT(close) void play_close() {
  static_cast<void>(tb_client_close(&module().client));
}

TICKBOX_EXPORT(leave) void play_leave() {
  static_cast<void>(tb_client_leave(client()));
}

/// Takes a datagram from the buffer.
TICKBOX_EXPORT(receive) void play_receive(std::size_t size) {
  static_cast<void>(tb_client_receive(client(), nullptr, module().buffer.data(), size));
}

/// Returns the time of the next step.
TICKBOX_EXPORT(step) double play_step(double now) {
  std::uint64_t next = 0;
  static_cast<void>(tb_client_step(client(), ns(now)));
  static_cast<void>(tb_client_next_ns(client(), &next));
  return static_cast<double>(next) / 1e6;
}

TICKBOX_EXPORT(phase) std::uint32_t play_phase() {
  tb_phase phase = TB_ENDED;
  static_cast<void>(tb_client_phase(client(), &phase));
  return phase;
}

TICKBOX_EXPORT(why) const char* play_why() {
  return text_of(tb_client_why);
}

TICKBOX_EXPORT(ticket) const char* play_ticket() {
  return text_of(tb_client_ticket);
}

TICKBOX_EXPORT(desync) const char* play_desync() {
  return text_of(tb_client_desync);
}

/// Returns what the game declares.
TICKBOX_EXPORT(declared) const char* play_declared() {
  const GameTable& game = game_named_by_TICKBOX_GAME();
  Json keys = Json::array();
  for (const KeyTable& key : game.keys) {
    keys.push_back(
        {{"keys", key.keys}, {"sets", game.input.fields()[key.field].name}, {"value", key.value}});
  }
  for (const CommandKeyTable& key : game.command_keys) {
    keys.push_back({{"keys", key.keys}, {"sets", game.commands[key.command].type.name}});
  }
  return keep({{"game", game.name},
               {"events", types_json(TB_EVENTS)},
               {"input", types_json(TB_INPUT).at(0)},
               {"seat", types_json(TB_SEAT).at(0)},
               {"room", types_json(TB_ROOM).at(0)},
               {"keys", std::move(keys)}});
}

/// Returns the session; null before the first one.
TICKBOX_EXPORT(session) const char* play_session() {
  tb_session session{.size = sizeof(tb_session)};
  if (tb_client_session(client(), &session) != TB_OK) return keep(Json());
  return keep({{"number", session.number},
               {"seat", session.seat},
               {"server", session.server},
               {"tick_rate", session.tick_rate},
               {"tick", session.tick},
               {"matches_ended", session.matches_ended}});
}

/// Returns the walls as the viewer's pages draw them.
TICKBOX_EXPORT(walls) const char* play_walls() {
  Json walls = Json::array();
  for (const auto& wall : listed<tb_wall>(tb_client_walls, client())) {
    walls.push_back({{"min", {sub_units(wall.x), sub_units(wall.y)}},
                     {"size", {sub_units(wall.width), sub_units(wall.height)}},
                     {"one_way", wall.one_way}});
  }
  return keep(walls);
}

/// Says that the key in the buffer went down or up. Returns whether the game uses it.
TICKBOX_EXPORT(key) bool play_key(bool is_down) {
  return tb_client_key(client(), module().buffer.data(), is_down ? 1 : 0) == TB_OK;
}

TICKBOX_EXPORT(input) tb_status play_input(std::uint32_t value_number, double value) {
  return tb_client_input(client(), value_number, static_cast<std::int64_t>(value));
}

TICKBOX_EXPORT(release_all) void play_release_all() {
  static_cast<void>(tb_client_release_all(client()));
}

/// Returns the entities to draw; play_count() of them.
TICKBOX_EXPORT(rows) const Row* play_rows(double now, double tick_rate) {
  tb_list list{};
  module().rows.clear();
  if (tb_client_shown(client(), ns(now), &list) == TB_OK) {
    for (std::uint32_t i = 0; i < list.count; ++i) {
      module().rows.push_back(row_of(*TB_AT(tb_entity, list, i), tick_rate));
    }
  }
  return module().rows.data();
}

TICKBOX_EXPORT(count) std::size_t play_count() {
  return module().rows.size();
}

/// Returns the centre of the player's view and half of its size, in units, for the last rows; null
/// before the first view.
TICKBOX_EXPORT(camera) const double* play_camera() {
  module().camera.size = sizeof(tb_camera);
  return tb_client_camera(client(), &module().camera) == TB_OK ? &module().camera.x : nullptr;
}

TICKBOX_EXPORT(label) const char* play_label() {
  return text_of(tb_client_label);
}

/// Returns the events since the last call.
TICKBOX_EXPORT(events) const char* play_events() {
  Json events = Json::array();
  for (const auto& event : listed<tb_event>(tb_client_events, client())) {
    events.push_back({{"type", event.type},
                      {"tick", event.tick},
                      {"text", event.text},
                      {"values", values_json(event.values, event.value_count)}});
  }
  return keep(events);
}

/// Returns the values of the players that are known, by seat.
TICKBOX_EXPORT(seats) const char* play_seats() {
  Json seats = Json::array();
  for (const auto& seat : listed<tb_seat>(tb_client_seats, client())) {
    seats.push_back({{"seat", seat.seat}, {"values", values_json(seat.values, seat.value_count)}});
  }
  return keep(seats);
}

TICKBOX_EXPORT(figures) const char* play_figures() {
  tb_figures of{.size = sizeof(tb_figures)};
  static_cast<void>(tb_client_figures(client(), &of));
  return keep({{"round_trip_ms", of.round_trip_ms},
               {"round_trip_p99_ms", of.round_trip_p99_ms},
               {"delay_ms", of.delay_ms},
               {"gap_p99_ms", of.gap_p99_ms},
               {"loss_up", of.loss_up},
               {"loss_down", of.loss_down},
               {"snapshots", of.snapshots},
               {"bytes_up", of.bytes_up},
               {"bytes_down", of.bytes_down},
               {"hashes_checked", of.hashes_checked},
               {"hashes_wrong", of.hashes_wrong},
               {"predictions", of.predictions},
               {"predictions_exact", of.predictions_exact},
               {"touched", of.touched},
               {"touched_exact", of.touched_exact},
               {"corrections", of.corrections},
               {"inputs", of.inputs},
               {"inputs_late", of.inputs_late},
               {"events_dropped", of.events_dropped},
               {"datagrams_dropped", of.datagrams_dropped}});
}

}  // namespace tickbox::web
