#include "viewer/moment.h"

#include "engine/declared.h"
#include "engine/row.h"

#include <algorithm>
#include <cstddef>

namespace tickbox::viewer {
namespace {

constexpr std::int32_t kNobody = -1;

std::int32_t low_half(BodyId id) {
  return static_cast<std::int32_t>(id.value);
}

std::int32_t high_half(BodyId id) {
  return static_cast<std::int32_t>(id.value >> 32U);
}

std::int32_t number_of(Player player) {
  return player.seat == Player::kNobody ? kNobody : player.seat;
}

std::int32_t flags_of(const sim::Body& body, const engine::RowInfo& info, const KindTable& kind) {
  return (engine::is_controlled(body.id) ? Row::kControlled : 0) | (info.is_new ? Row::kNew : 0) |
         (body.one_way != OneWay::None ? Row::kOneWay : 0) | (body.sensor ? Row::kSensor : 0) |
         (kind.has_look ? Row::kHasLook : 0);
}

Row entity_row(const engine::World& world, std::size_t i) {
  const sim::Body& body = world.body(i);
  const engine::RowInfo& info = world.infos()[i];
  const Look look = world.kind_of(i).look(world.state(i).data());
  return {.id_low = low_half(body.id),
          .id_high = high_half(body.id),
          .kind = info.kind,
          .owner = number_of(info.owner),
          .min = body.min,
          .size = body.size,
          .velocity = body.velocity,
          .look = static_cast<unsigned char>(look.glyph) | static_cast<int>(look.colour) << 8 |
                  static_cast<int>(look.shape) << 16,
          .flags = flags_of(body, info, world.kind_of(i))};
}

/// Returns the first player that an event names.
std::int32_t seat_in(const TypeInfo& type, ConstBytes event) {
  for (const FieldInfo& field : type.fields()) {
    if (field.form != FieldForm::Player) continue;
    for (std::size_t i = 0; i < field.times; ++i) {
      const std::int64_t seat = engine::value_of(field, i, event);
      if (seat != Player::kNobody) return static_cast<std::int32_t>(seat);
    }
  }
  return kNobody;
}

}  // namespace

void write_rows(const engine::World& world, std::vector<Row>& rows) {
  rows.clear();
  for (std::size_t i = 0; i < world.size(); ++i) {
    rows.push_back(entity_row(world, i));
  }
}

void write_events(const GameTable& game, const engine::TickReport& report,
                  std::vector<EventRow>& events) {
  events.clear();
  for (const engine::Emitted& emitted : report.emitted) {
    const TypeInfo& type = game.events[emitted.type];
    events.push_back(
        {.type = emitted.type,
         .seat = seat_in(type, report.event(type, emitted)),
         .middle = {emitted.place.x + emitted.size.x / 2, emitted.place.y + emitted.size.y / 2}});
  }
}

void write_contacts(const engine::TickReport& report, std::vector<ContactRow>& contacts) {
  contacts.clear();
  if (report.physics == nullptr) return;
  for (const sim::Contact& contact : report.physics->contacts) {
    contacts.push_back({.a_low = low_half(contact.a),
                        .a_high = high_half(contact.a),
                        .b_low = low_half(contact.b),
                        .b_high = high_half(contact.b),
                        .normal_x = contact.normal_x,
                        .normal_y = contact.normal_y});
  }
}

}  // namespace tickbox::viewer
