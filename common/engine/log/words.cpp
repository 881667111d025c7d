#include "engine/log/words.h"

#include "core/assert.h"
#include "core/text.h"
#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace tickbox::engine {
namespace {

std::string field_json(const FieldInfo& field, std::size_t i, ConstBytes bytes) {
  const std::int64_t value = value_of(field, i, bytes);
  switch (field.form) {
    case FieldForm::Whole:
      break;
    case FieldForm::Flag:
    case FieldForm::Press:
      return value != 0 ? "true" : "false";
    case FieldForm::Player:
      return value == Player::kNobody ? "null" : std::to_string(value);
    case FieldForm::Ref: {
      const Ref ref{static_cast<std::uint64_t>(value)};
      return ref == Ref{} ? "null" : '"' + std::to_string(ref.id) + '"';
    }
  }
  return std::to_string(value);
}

std::string field_json(const FieldInfo& field, ConstBytes bytes) {
  if (field.times == 1) return field_json(field, 0, bytes);
  std::string list = "[";
  for (std::size_t i = 0; i < field.times; ++i) {
    if (i > 0) list += ',';
    list += field_json(field, i, bytes);
  }
  return list + "]";
}

/// The input of an avatar is compared with its seat.
RowRef without_input(const World& world, std::size_t row) {
  return {.head = head_of(world, row), .state = world.state(row), .input = {}};
}

void compare_rows(const World& expected, const World& got, FunctionRef<bool(BodyId)> is_compared,
                  Differences& differences) {
  const auto want = [&](std::size_t row) { return without_input(expected, row); };
  const auto have = [&](std::size_t row) { return without_input(got, row); };
  differences.compare_entities({.size = expected.size(), .row = want},
                               {.size = got.size(), .row = have}, is_compared);
}

void compare_seats(const World& expected, const World& got, Player player,
                   Differences& differences) {
  const SeatInfo& want = expected.seats()[player.seat];
  const SeatInfo& have = got.seats()[player.seat];
  const GameTable& game = expected.game();
  const std::string name = "seat " + std::to_string(player.seat);
  differences.begin(name);
  differences.compare("generation", want.generation, have.generation);
  differences.compare("taken", int{want.taken}, int{have.taken});
  differences.compare("has_chosen_focus", int{want.has_chosen_focus}, int{have.has_chosen_focus});
  differences.compare_ids("focus", body_id(want.focus), body_id(have.focus));
  differences.compare("focus_x", want.focus_place.x, have.focus_place.x);
  differences.compare("focus_y", want.focus_place.y, have.focus_place.y);
  differences.compare_values(game.seat, expected.seat_state(player), got.seat_state(player));
  differences.compare_values(game.input, expected.input(player), got.input(player), "input.");
}

/// Compares what is no entity.
void compare_rest(const World& expected, const World& got, Differences& differences) {
  differences.begin("");
  differences.compare("seats", expected.seats().size(), got.seats().size());
  const auto seats =
      static_cast<std::uint16_t>(std::min(expected.seats().size(), got.seats().size()));
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    compare_seats(expected, got, {seat}, differences);
  }
  const GameTable& game = expected.game();
  differences.begin("room");
  differences.compare_values(game.room, expected.room(), got.room());
  differences.begin("secret");
  differences.compare_values(game.secret, expected.secret(), got.secret());
  differences.begin("");
  differences.compare("tick", expected.tick.value, got.tick.value);
  differences.compare_hashes("random", expected.random.state(), got.random.state());
  differences.compare_hashes("shared_seed", expected.shared_seed, got.shared_seed);
  differences.compare("next_lineage", expected.next_lineage, got.next_lineage);
}

constexpr const char* kAbsent = "absent";

std::string text_of(BodyId id) {
  return id == sim::kNoBody ? "none" : std::to_string(id.value);
}

}  // namespace

std::string text_of(const FieldInfo& field, std::size_t i, ConstBytes type) {
  const std::int64_t value = value_of(field, i, type);
  if (field.form == FieldForm::Player && value == Player::kNobody) return "nobody";
  if (field.form == FieldForm::Ref) {
    const Ref ref{static_cast<std::uint64_t>(value)};
    return ref == Ref{} ? "none" : std::to_string(ref.id);
  }
  return std::to_string(value);
}

std::string name_of(const FieldInfo& field, std::size_t i) {
  std::string name{field.name};
  if (field.times > 1) name += "[" + std::to_string(i) + "]";
  return name;
}

std::string entity_in_words(std::string_view kind, BodyId id) {
  const std::uint32_t lineage = lineage_of(id);
  const std::uint32_t number = lineage - std::min(lineage, kSeatsMax) + 1;
  const std::string spawned = ", spawned in tick " + std::to_string(spawn_tick_of(id).value);
  std::string name{kind};
  switch (class_of(id)) {
    case IdClass::Controlled:
      return name + " of seat " + std::to_string(lineage);
    case IdClass::ByServer:
      return name + " " + std::to_string(number) + " of the server" + spawned;
    case IdClass::ByEntity:
      return lineage < kSeatsMax
                 ? name + " of the body of seat " + std::to_string(lineage) + spawned
                 : name + " of entity " + std::to_string(number) + " of the server" + spawned;
    case IdClass::Wall:
      break;
  }
  return name + " " + std::to_string(id.value);
}

std::string changes_in_words(const TypeInfo& type, ConstBytes before, ConstBytes after) {
  std::string words;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      if (value_of(field, i, before) == value_of(field, i, after)) continue;
      if (!words.empty()) words += ", ";
      words += name_of(field, i) + " " + text_of(field, i, after);
    }
  }
  return words;
}

std::string value_in_words(const TypeInfo& type, ConstBytes value) {
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
  type.write_default(by_default.data());
  return changes_in_words(type, ConstBytes{by_default}.first(type.bytes), value);
}

std::string value_json(const TypeInfo& type, ConstBytes value) {
  std::string object = "{";
  for (const FieldInfo& field : type.fields()) {
    if (object.size() > 1) object += ',';
    object += '"';
    object += field.name;
    object += "\":";
    object += field_json(field, value);
  }
  return object + "}";
}

void append_caption(const Caption& caption, Player own, std::string& out) {
  const std::size_t begin = out.size();
  std::string_view rest = caption.words;
  for (const Caption::Value& value : caption.values) {
    const std::size_t place = rest.find("{}");
    if (place == std::string_view::npos) break;
    out += rest.substr(0, place);
    rest.remove_prefix(place + 2);
    if (!value.is_player) {
      out += std::to_string(value.number);
    } else if (value.number == Player::kNobody) {
      out += "nobody";
    } else if (value.number == own.seat) {
      out += out.size() == begin ? "You" : "you";
    } else {
      out += 'P' + std::to_string(value.number);
    }
  }
  out += rest;
}

std::optional<WorldDifference> compare_entities(const World& expected, const World& got,
                                                const std::function<bool(BodyId)>& is_compared) {
  TICKBOX_ASSERT(expected.game().hash == got.game().hash);
  Differences differences{expected.game()};
  compare_rows(expected, got, is_compared, differences);
  return differences.finish();
}

std::optional<WorldDifference> compare_worlds(const World& expected, const World& got) {
  TICKBOX_ASSERT(expected.game().hash == got.game().hash);
  Differences differences{expected.game()};
  compare_rows(expected, got, [](BodyId) { return true; }, differences);
  compare_rest(expected, got, differences);
  return differences.finish();
}

std::string to_text(const WorldDifference& difference) {
  const FieldDifference& first = difference.first_fields.front();
  const std::string subject = difference.subject.empty() ? "" : difference.subject + " ";
  return subject + first.field + ": expected " + first.expected + ", got " + first.got;
}

void Differences::compare_entities(const ComparedRows& expected, const ComparedRows& got,
                                   FunctionRef<bool(BodyId)> is_compared) {
  const auto next = [](const ComparedRows& rows, std::size_t at) {
    return at < rows.size ? std::optional{rows.row(at)} : std::nullopt;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  auto want = next(expected, i);
  auto have = next(got, j);
  while (want || have) {
    const bool is_expected = want && (!have || want->head.id <= have->head.id);
    const bool is_got = have && (!want || have->head.id <= want->head.id);
    const RowHead& head = is_expected ? want->head : have->head;
    if (is_compared(head.id)) {
      begin_entity(head);
      if (is_expected && is_got) {
        compare_rows(*want, *have);
      } else {
        add("id", is_expected ? text_of(head.id) : kAbsent, is_got ? text_of(head.id) : kAbsent);
      }
    }
    if (is_expected) want = next(expected, ++i);
    if (is_got) have = next(got, ++j);
  }
}

void Differences::begin(std::string_view part) {
  entity_.reset();
  part_ = part;
  is_counted_ = false;
}

void Differences::begin_entity(const RowHead& head) {
  entity_ = head;
  is_counted_ = false;
}

void Differences::compare_ids(std::string_view field, BodyId expected, BodyId got) {
  if (expected != got) add(field, text_of(expected), text_of(got));
}

void Differences::compare_hashes(std::string_view field, std::uint64_t expected,
                                 std::uint64_t got) {
  if (expected != got) add(field, hash_text(expected), hash_text(got));
}

void Differences::compare_values(const TypeInfo& type, ConstBytes expected, ConstBytes got,
                                 std::string_view prefix) {
  if (are_equal(type, expected, got)) return;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      if (value_of(field, i, expected) == value_of(field, i, got)) continue;
      add(std::string{prefix} + engine::name_of(field, i), text_of(field, i, expected),
          text_of(field, i, got));
    }
  }
}

std::optional<WorldDifference> Differences::finish() {
  if (found_.first_fields.empty()) return std::nullopt;
  return std::move(found_);
}

void Differences::compare_rows(const RowRef& expected, const RowRef& got) {
  const RowHead& want = expected.head;
  const RowHead& have = got.head;
  const bool is_same_kind = want.kind == have.kind;
  if (!is_same_kind) {
    add("kind", std::string{game_.kinds[want.kind].type.name},
        std::string{game_.kinds[have.kind].type.name});
  }
  compare("x", want.min.x, have.min.x);
  compare("y", want.min.y, have.min.y);
  compare("vx", want.velocity.x, have.velocity.x);
  compare("vy", want.velocity.y, have.velocity.y);
  if (is_same_kind) {
    compare_values(game_.kinds[want.kind].type, expected.state, got.state);
  }
  compare("parent", static_cast<int>(want.parent), static_cast<int>(have.parent));
  compare("is_new", int{want.is_new}, int{have.is_new});
  compare_ids("ignores", want.ignores, have.ignores);
  compare("path", int{want.path}, int{have.path});
  compare("path_ticks", want.path_ticks, have.path_ticks);
  compare_ids("carrier", want.carrier, have.carrier);
  const bool have_inputs = !expected.input.empty() && !got.input.empty();
  if (have_inputs) compare_values(game_.input, expected.input, got.input, "input.");
}

void Differences::add(std::string_view field, std::string expected, std::string got) {
  if (!is_counted_) {
    is_counted_ = true;
    is_first_ = found_.first_fields.empty();
    found_.entities += entity_ ? 1U : 0U;
    if (is_first_) {
      found_.subject = entity_ ? name_of(*entity_) : std::string{part_};
      if (entity_) found_.entity = entity_->id;
    }
  }
  ++(entity_ ? found_.fields : found_.others);
  if (!is_first_) return;
  found_.first_fields.push_back(
      {.field = std::string{field}, .expected = std::move(expected), .got = std::move(got)});
}

std::string Differences::name_of(const RowHead& head) const {
  return std::string{game_.kinds[head.kind].type.name} + " #" + std::to_string(head.id.value);
}

}  // namespace tickbox::engine
