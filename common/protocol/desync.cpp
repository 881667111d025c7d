#include "protocol/desync.h"

#include "core/text.h"

#include <fmt/core.h>

#include <iterator>

namespace tickbox::protocol {

std::string_view name_of(DesyncEnd end) {
  return name_among<DesyncEnd::Unanswered>({"compared", "forgotten", "unanswered"}, end);
}

std::string_view name_of(DesyncSide side) {
  return name_among<DesyncSide::Client>({"server", "client"}, side);
}

std::string_view name_of(DesyncCause::Kind kind) {
  return name_among<DesyncCause::Kind::InFull>(
      {"input", "outcome", "strike", "room", "exit", "in_full"}, kind);
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
  const ViewName& view = desync.view;
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

}  // namespace tickbox::protocol
