#include "viewer/answers.h"

#include "core/text.h"
#include "engine/declared.h"
#include "engine/log/words.h"
#include "engine/row.h"
#include "views/sight.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

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

std::int32_t flags_of(const sim::Body& body, const engine::RowInfo& info, const KindTable& kind,
                      const Look& look) {
  return (engine::is_controlled(body.id) ? Row::kControlled : 0) | (info.is_new ? Row::kNew : 0) |
         (body.one_way != OneWay::None ? Row::kOneWay : 0) | (body.sensor ? Row::kSensor : 0) |
         (kind.has_look ? Row::kHasLook : 0) | (look.is_team ? Row::kTeam : 0);
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
          .flags = flags_of(body, info, world.kind_of(i), look)};
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

std::string json_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += {'\\', letter};
    } else if (code < ' ' || code > '~') {
      // Names are ASCII; a byte that is none must not make the text invalid.
      out += std::string{"\\u00"} + kDigits[code >> 4U] + kDigits[code & 15U];
    } else {
      out += letter;
    }
  }
  return out + '"';
}

/// Returns a caption as JSON. It is a text of the game's own source, in UTF-8.
std::string json_of(const Caption& caption) {
  std::string words;
  engine::append_caption(caption, {}, words);
  std::string out = "\"";
  for (const char letter : words) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter < 0 || letter >= ' ') out += letter;
  }
  return out + '"';
}

template <class Number>
  requires std::is_integral_v<Number>
std::string json_of(Number number) {
  if constexpr (std::is_same_v<Number, bool>) {
    return number ? "true" : "false";
  } else {
    return std::to_string(number);
  }
}

std::string json_of(Tick tick) {
  return std::to_string(tick.value);
}

std::string json_of(Vec2 place) {
  return "[" + std::to_string(place.x) + "," + std::to_string(place.y) + "]";
}

/// An id is text, because not every reader of JSON keeps 64 bits of a number.
std::string json_of(BodyId id) {
  return json_of(std::to_string(id.value));
}

template <class Value>
std::string json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : "null";
}

/// Builds an object, key by key.
class Object {
 public:
  template <class Value>
  Object& add(std::string_view key, const Value& value) {
    return add_json(key, json_of(value));
  }

  /// Requires: `json` is valid JSON.
  Object& add_json(std::string_view key, std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json_of(key);
    text_ += ':';
    text_ += json;
    return *this;
  }

  [[nodiscard]] std::string text() const { return text_ + '}'; }

 private:
  std::string text_ = "{";
};

template <class Items, class Text>
std::string list_of(const Items& items, Text text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text(item);
  }
  return out + ']';
}

std::string_view name_of(FieldForm form) {
  return name_among<FieldForm::Ref>({"whole", "flag", "press", "player", "ref"}, form);
}

std::string_view name_of(engine::BuildDifference difference) {
  using enum engine::BuildDifference;
  return name_among<Rules>({"version", "map", "rules"}, difference);
}

std::string field_json(const FieldInfo& field) {
  return Object{}.add("name", field.name).add("form", name_of(field.form)).text();
}

std::string type_json(const TypeInfo& type) {
  return Object{}
      .add("name", type.name)
      .add_json("fields", list_of(type.fields(), field_json))
      .text();
}

/// Returns place, size, and the side that is solid (0: all).
std::string wall_json(const sim::Body& wall) {
  return Object{}
      .add("min", wall.min)
      .add("size", wall.size)
      .add("one_way", std::to_underlying(wall.one_way))
      .text();
}

std::string refusal_json(const record::LogRefusal& refusal) {
  return Object{}
      .add("what", refusal.build ? name_of(*refusal.build) : "file")
      .add("words", refusal.words)
      .text();
}

std::string recorded_json(const record::Header& header) {
  return Object{}
      .add("game", header.game)
      .add("version", header.game_version)
      .add("simulation", header.simulation)
      .add("commit", header.commit)
      .add("room", header.room)
      .add("part", header.part)
      .add("start_ms", header.start_ms)
      .add("tick_rate", header.tick_rate)
      .text();
}

/// Returns what this module has of the game of a log; without it, no version.
std::string here_json(const record::Header* header, engine::Games games, const Build& here) {
  const GameTable* const game =
      header != nullptr ? engine::find_game(games, header->game) : nullptr;
  const std::string version = game != nullptr ? json_of(game->version) : "null";
  return Object{}
      .add_json("version", version)
      .add("simulation", here.simulation)
      .add("commit", here.commit)
      .text();
}

std::string segment_json(const record::Segment& segment) {
  return Object{}
      .add("first", segment.keyframe)
      .add("last", segment.last)
      .add("whole", segment.is_whole)
      .text();
}

std::string seat_json(const engine::World& world, std::uint16_t seat) {
  const engine::SeatInfo& info = world.seats()[seat];
  const Player player{seat};
  Object object;
  object.add("seat", seat).add("taken", info.taken).add("generation", info.generation);
  if (info.taken) {
    object.add_json("state", engine::value_json(world.game().seat, world.seat_state(player)))
        .add("focus", info.focus_place)
        .add("sight", views::sight_of(world, player));
  }
  return object.text();
}

std::string mismatch_json(const std::optional<record::Mismatch>& mismatch) {
  if (!mismatch) return "null";
  return Object{}
      .add("tick", mismatch->tick)
      .add("compared", mismatch->compared)
      .add("entity", mismatch->what.entity)
      .add("subject", mismatch->what.subject)
      .add("field", mismatch->what.field)
      .add("expected", mismatch->what.expected)
      .add("got", mismatch->what.got)
      .text();
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

std::string log_json(const record::Viewing& viewing, engine::Games games, const Build& here) {
  const record::Header* const header = viewing.header();
  const record::Segments& segments = viewing.segments();
  const auto& all = segments.all;
  const std::string_view state = viewing.refusal()   ? "refused"
                                 : viewing.is_open() ? "open"
                                                     : "waits";
  return Object{}
      .add("state", state)
      .add_json("refusal", viewing.refusal() ? refusal_json(*viewing.refusal()) : "null")
      .add_json("recorded", header != nullptr ? recorded_json(*header) : "null")
      .add_json("here", here_json(header, games, here))
      .add_json("first", all.empty() ? "null" : json_of(all.front().keyframe))
      .add_json("last", all.empty() ? "null" : json_of(all.back().last))
      .add_json("segments", list_of(all, segment_json))
      .text();
}

std::string game_json(const record::Viewing& viewing) {
  const GameTable& game = viewing.game();
  const engine::Map& map = viewing.map();
  return Object{}
      .add("game", game.name)
      .add("version", game.version)
      .add("map", map.name)
      .add_json("kinds",
                list_of(game.kinds, [](const KindTable& kind) { return type_json(kind.type); }))
      .add_json("events", list_of(game.events, type_json))
      .add_json("seat", type_json(game.seat))
      .add_json("room", type_json(game.room))
      .add_json("secret", type_json(game.secret))
      .add_json("walls", list_of(map.statics->bodies(), wall_json))
      .text();
}

std::string moment_json(const record::Viewing& viewing) {
  const engine::World& world = *viewing.world();
  const GameTable& game = world.game();
  std::uint16_t seat = 0;
  const auto next_seat = [&](const engine::SeatInfo&) { return seat_json(world, seat++); };
  return Object{}
      .add("tick", world.tick)
      .add("hash", hash_text(viewing.hash()))
      .add("recorded_hash", hash_text(viewing.recorded_hash()))
      .add("random", hash_text(world.random.state()))
      .add_json("room", engine::value_json(game.room, world.room()))
      .add("label", game.label != nullptr ? game.label(world.room().data()) : Caption{})
      .add_json("secret", engine::value_json(game.secret, world.secret()))
      .add_json("seats", list_of(world.seats(), next_seat))
      .text();
}

std::string event_json(const GameTable& game, const engine::TickReport& report,
                       const engine::Emitted& emitted) {
  const TypeInfo& type = game.events[emitted.type];
  const ConstBytes event = report.event(type, emitted);
  const EventText text = game.texts[emitted.type];
  const engine::AlignedValue value{event};
  return Object{}
      .add("text", text != nullptr ? text(value.data()) : Caption{})
      .add_json("value", engine::value_json(type, event))
      .text();
}

std::string verdict_json(const record::VerifyResult& verdict) {
  const std::string segments =
      Object{}.add("whole", verdict.segments_whole).add("lost", verdict.segments_lost).text();
  return Object{}
      .add("ticks", verdict.ticks)
      .add("mismatched", verdict.mismatched)
      .add_json("first_mismatch", mismatch_json(verdict.first_mismatch))
      .add("complete", verdict.complete)
      .add_json("segments", segments)
      .add("recovered_ticks", verdict.recovered_ticks)
      .add("ends_early", verdict.ends_early)
      .add("unfinished", verdict.unfinished)
      .add("damages", verdict.damages)
      .add("gaps", verdict.gaps)
      .add("interrupted", verdict.interrupted)
      .add("last_tick", verdict.last_tick)
      .text();
}

}  // namespace tickbox::viewer
