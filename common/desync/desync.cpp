#include "desync/desync.h"

#include "core/assert.h"
#include "core/text.h"
#include "engine/declared.h"
#include "engine/log/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace tickbox::desync {

std::string_view name_of(DesyncEnd end) {
  return name_among<DesyncEnd::Unanswered>({"compared", "forgotten", "unanswered"}, end);
}

std::string_view name_of(DesyncSide side) {
  return name_among<DesyncSide::Client>({"server", "client"}, side);
}

std::string_view name_of(Cause::Kind kind) {
  return name_among<Cause::Kind::InFull>({"input", "outcome", "strike", "room", "exit", "in_full"},
                                         kind);
}

void Causes::add(Tick tick, BodyId entity, Cause::Kind kind, std::string what) {
  causes_.push_back({.tick = tick, .entity = entity, .kind = kind, .what = std::move(what)});
}

void Causes::add_strike(Tick tick, BodyId entity, std::uint64_t shooter_seat) {
  add(tick, entity, Cause::Kind::Strike, "by player " + std::to_string(shooter_seat));
}

void Causes::add_outcome(Tick tick, BodyId entity, std::size_t type, engine::BitReader value) {
  const TypeInfo& outcome = game_.outcomes[type];
  const std::string values = in_words(outcome, value);
  add(tick, entity, Cause::Kind::Outcome,
      std::string{outcome.name} + (values.empty() ? "" : " ") + values);
}

void Causes::add_room(Tick tick, engine::BitReader value) {
  add(tick, sim::kNoBody, Cause::Kind::Room, in_words(game_.room, value));
}

void Causes::add_input(Tick tick, BodyId entity, engine::BitReader change, MutableBytes held) {
  const std::vector<std::byte> before{held.begin(), held.end()};
  const bool is_read = engine::unpack_change(game_.input, change, held);
  TICKBOX_ASSERT(is_read);
  add(tick, entity, Cause::Kind::Input, engine::changes_in_words(game_.input, before, held));
  engine::release_input(game_, engine::default_of(game_.kinds[game_.avatar].type), held);
}

std::string Causes::in_words(const TypeInfo& type, engine::BitReader& value) const {
  std::vector<std::byte> bytes(type.bytes);
  const bool is_read = engine::unpack_sparse(type, value, bytes);
  TICKBOX_ASSERT(is_read);
  return engine::value_in_words(type, bytes);
}

std::vector<Cause> Causes::finish() {
  std::ranges::stable_sort(causes_, {}, [](const Cause& cause) {
    return std::tuple{cause.tick, cause.entity, cause.kind};
  });
  return std::move(causes_);
}

namespace {

void add_difference(const engine::WorldDifference& difference, LogFields& fields) {
  const engine::FieldDifference& first = difference.first_fields[0];
  std::string all;
  for (const engine::FieldDifference& field : difference.first_fields) {
    fmt::format_to(std::back_inserter(all), "{}{}:{}/{}", all.empty() ? "" : ",", field.field,
                   field.expected, field.got);
  }
  // "Hero #17", or "room".
  const std::string_view kind =
      std::string_view{difference.subject}.substr(0, difference.subject.find(' '));
  const std::string entity =
      difference.entity ? std::to_string(difference.entity->value) : std::string{"none"};
  fields.insert(fields.end(), {{"entity", entity},
                               {"kind", kind},
                               {"field", first.field},
                               {"server", first.expected},
                               {"client", first.got},
                               {"fields", all},
                               {"entities_differ", difference.entities},
                               {"fields_differ", difference.fields + difference.others}});
}

}  // namespace

LogFields fields_of(const Desync& desync) {
  const protocol::ViewName& view = desync.view;
  LogFields fields;
  if (desync.room != RoomId{}) fields.emplace_back("room", desync.room.value);
  fields.insert(fields.end(), {{"seat", desync.seat.value},
                               {"tick", view.tick.value},
                               {"base_age", view.base_age},
                               {"server_hash", fmt::format("{:08x}", view.server_hash)},
                               {"client_hash", fmt::format("{:08x}", view.client_hash)},
                               {"ended", name_of(desync.end)}});
  if (desync.difference) add_difference(*desync.difference, fields);
  return fields;
}

std::string in_words(const Desync& desync) {
  return fields_as_text(fields_of(desync));
}

}  // namespace tickbox::desync
