#include "client/commands/replay/replay_world.h"

#include "client/commands/replay/replay_commands.h"
#include "scenario/trace.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace tickbox::commands {
namespace {

/// `"name":[item,item]`, each item written by `write(out, item)`.
template <class Items, class Write>
void append_list(std::string& out, std::string_view name, const Items& items, Write&& write) {
  fmt::format_to(std::back_inserter(out), "\"{}\":[", name);
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) out += ',';
    is_first = false;
    write(out, item);
  }
  out += ']';
}

void append_player(std::string& out, PlayerId player) {
  out += std::to_string(player.value);
}

void append_strike(std::string& out, const game::Strike& strike) {
  fmt::format_to(std::back_inserter(out), R"({{"shooter":{},"victim":{}}})", strike.shooter.value,
                 strike.victim.value);
}

void append_body(std::string& out, const game::EntityState& entity) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"id":{},"kind":"{}","min":[{},{}],"velocity":[{},{}],"move":{},"timer":{}}})",
                 entity.id.value, kind_name(entity.id), scenario::units_text(entity.min.x),
                 scenario::units_text(entity.min.y), scenario::units_text(entity.velocity.x),
                 scenario::units_text(entity.velocity.y), entity.traits.move, entity.traits.timer);
}

}  // namespace

void append_bodies(std::string& out, const game::World& world) {
  out += "\"bodies\":[";
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (i > 0) out += ',';
    append_body(out, world.entity(i));
  }
  out += ']';
}

void append_commands(std::string& out, const record::RecordedTick& tick) {
  append_list(out, "leaves", tick.leaves, append_player);
  out += ',';
  append_list(out, "joins", tick.joins, append_player);
  out += ",\"inputs\":[";
  for (std::size_t i = 0; i < tick.inputs.size(); ++i) {
    const game::PlayerInput& each = tick.inputs[i];
    const bool arrived = tick.sources[i] == record::InputSource::Arrived;
    fmt::format_to(
        std::back_inserter(out),
        R"({}{{"seat":{},"move":{},"buttons":{},"aim":{},"look_back":{},"source":"{}"}})",
        i > 0 ? "," : "", each.player.value, each.input.move, each.input.buttons, each.input.aim,
        each.input.look_back, arrived ? "arrived" : "substituted");
  }
  out += "],";
  append_list(out, "strikes", tick.strikes, append_strike);
}

}  // namespace tickbox::commands
