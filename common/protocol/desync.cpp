#include "protocol/desync.h"

#include <fmt/core.h>

#include <iterator>

namespace tickbox::protocol {

std::string_view name_of(DesyncEnd end) {
  switch (end) {
    case DesyncEnd::Compared:
      return "compared";
    case DesyncEnd::Forgotten:
      return "forgotten";
    case DesyncEnd::Unanswered:
      return "unanswered";
  }
  return "unknown";
}

std::string_view name_of(DesyncSide side) {
  return side == DesyncSide::Server ? "server" : "client";
}

std::string_view name_of(DesyncCause::Kind kind) {
  switch (kind) {
    case DesyncCause::Kind::Input:
      return "input";
    case DesyncCause::Kind::Outcome:
      return "outcome";
    case DesyncCause::Kind::Strike:
      return "strike";
    case DesyncCause::Kind::Room:
      return "room";
    case DesyncCause::Kind::Exit:
      return "exit";
    case DesyncCause::Kind::InFull:
      return "in_full";
  }
  return "unknown";
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
  LogFields fields{{"seat", desync.seat.value},
                   {"tick", view.tick.value},
                   {"base_age", view.base_age},
                   {"server_hash", fmt::format("{:08x}", view.server_hash)},
                   {"client_hash", fmt::format("{:08x}", view.client_hash)},
                   {"ended", name_of(desync.end)}};
  if (desync.difference) add_difference(*desync.difference, fields);
  return fields;
}

std::string in_words(const Desync& desync) {
  return fields_as_text(fields_of(desync));
}

}  // namespace tickbox::protocol
