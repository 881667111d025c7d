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

std::string difference_in_words(const engine::WorldDifference& difference) {
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
  return fmt::format(
      "entity={} kind={} field={} server={} client={} fields={} entities_differ={} "
      "fields_differ={}",
      entity, kind, first.field, first.expected, first.got, all, difference.entities,
      difference.fields + difference.others);
}

std::string in_words(const Desync& desync) {
  const ViewName& view = desync.view;
  std::string words =
      fmt::format("seat={} tick={} base_age={} server_hash={:08x} client_hash={:08x} ended={}",
                  desync.seat.value, view.tick.value, view.base_age, view.server_hash,
                  view.client_hash, name_of(desync.end));
  if (desync.difference) words += " " + difference_in_words(*desync.difference);
  return words;
}

}  // namespace tickbox::protocol
