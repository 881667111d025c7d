#include "protocol/desync.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>

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

std::string text_of(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "absent";
}

std::string difference_in_words(const game::ViewDifference& difference) {
  const game::FieldDifference& first = difference.first_fields[0];
  std::string all;
  for (const game::FieldDifference& field : difference.first_fields) {
    fmt::format_to(std::back_inserter(all), "{}{}:{}/{}", all.empty() ? "" : ",", field.field,
                   text_of(field.expected), text_of(field.got));
  }
  return fmt::format(
      "entity={} kind={} field={} server={} client={} fields={} entities_differ={} "
      "fields_differ={}",
      difference.first.value, game::kind_name(difference.first), first.field,
      text_of(first.expected), text_of(first.got), all, difference.entities, difference.fields);
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

std::vector<DesyncCause> causes_of(const Snapshot& snapshot, Tick tick,
                                   std::span<const game::EntityState> base) {
  std::vector<DesyncCause> causes;
  const auto add = [&](std::uint8_t ago, std::uint8_t base_index, DesyncCause::Kind kind,
                       std::uint16_t value) {
    causes.push_back({{tick.value - ago}, base[base_index].id, kind, value});
  };
  for (const InputCause& cause : snapshot.causes.inputs) {
    add(cause.ago, cause.base_index, DesyncCause::Kind::Input, cause.move);
  }
  for (const ShotCause& cause : snapshot.causes.shots) {
    add(cause.ago, cause.base_index, kind_of(cause.weapon), cause.aim);
  }
  for (const TeleportCause& cause : snapshot.causes.teleports) {
    add(cause.ago, cause.base_index, DesyncCause::Kind::Teleport, cause.place);
  }
  for (const std::uint8_t base_index : snapshot.causes.exits) {
    add(0, base_index, DesyncCause::Kind::Exit, 0);
  }
  for (const game::EntityState& body : snapshot.bodies) {
    causes.push_back({tick, body.id, DesyncCause::Kind::InFull, 0});
  }
  std::ranges::sort(causes, {}, [](const DesyncCause& each) {
    return std::tuple{each.tick, each.entity, each.kind};
  });
  return causes;
}

}  // namespace tickbox::protocol
