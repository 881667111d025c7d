#include "engine/log/world_difference.h"

#include "core/assert.h"
#include "core/text.h"
#include "engine/declared.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tickbox::engine {
namespace {

constexpr const char* kAbsent = "absent";

std::string text_of(Player player) {
  return player.seat == Player::kNobody ? "nobody" : std::to_string(player.seat);
}

std::string text_of(BodyId id) {
  return id == sim::kNoBody ? "none" : std::to_string(id.value);
}

std::string text_of(const FieldInfo& field, std::size_t i, ConstBytes type) {
  const std::int64_t value = value_of(field, i, type);
  if (field.form == FieldForm::Player) return text_of(Player{static_cast<std::uint16_t>(value)});
  if (field.form == FieldForm::Ref) return text_of(BodyId{static_cast<std::uint64_t>(value)});
  return std::to_string(value);
}

std::string name_of(const World& world, std::size_t row) {
  return std::string{world.kind_of(row).type.name} + " #" + std::to_string(world.id(row).value);
}

/// Counts the differences, and keeps those of what differs first.
class Differences {
 public:
  Differences(const World& expected, const World& got) : expected_(expected), got_(got) {
    TICKBOX_ASSERT(expected.game().hash == got.game().hash);
  }

  void compare_entities(const std::function<bool(BodyId)>& is_compared) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < expected_.size() || j < got_.size()) {
      const bool has_both = i < expected_.size() && j < got_.size();
      const bool is_expected = j == got_.size() || (has_both && expected_.id(i) <= got_.id(j));
      const bool is_got = i == expected_.size() || (has_both && got_.id(j) <= expected_.id(i));
      const BodyId id = is_expected ? expected_.id(i) : got_.id(j);
      if (is_compared(id)) {
        begin_entity(is_expected ? expected_ : got_, is_expected ? i : j);
        if (is_expected && is_got) {
          compare_rows(i, j);
        } else {
          add("id", is_expected ? text_of(id) : kAbsent, is_got ? text_of(id) : kAbsent);
        }
      }
      i += is_expected ? 1U : 0U;
      j += is_got ? 1U : 0U;
    }
  }

  void compare_rest() {
    begin("");
    compare("seats", expected_.seats().size(), got_.seats().size());
    const auto seats =
        static_cast<std::uint16_t>(std::min(expected_.seats().size(), got_.seats().size()));
    for (std::uint16_t seat = 0; seat < seats; ++seat) {
      compare_seats({seat});
    }
    const GameTable& game = expected_.game();
    begin("room");
    compare_values(game.room, expected_.room(), got_.room());
    begin("secret");
    compare_values(game.secret, expected_.secret(), got_.secret());
    begin("");
    compare("tick", expected_.tick.value, got_.tick.value);
    compare_hashes("random", expected_.random.state(), got_.random.state());
    compare_hashes("shared_seed", expected_.shared_seed, got_.shared_seed);
    compare("next_lineage", expected_.next_lineage, got_.next_lineage);
  }

  [[nodiscard]] std::optional<WorldDifference> take() {
    if (found_.first_fields.empty()) return std::nullopt;
    return std::move(found_);
  }

 private:
  /// Begins what is compared next.
  void begin(std::string_view part) {
    world_ = nullptr;
    part_ = part;
    is_counted_ = false;
  }

  /// The name of an entity is made only if it differs.
  void begin_entity(const World& world, std::size_t row) {
    world_ = &world;
    row_ = row;
    is_counted_ = false;
  }

  void add(std::string_view field, std::string expected, std::string got) {
    if (!is_counted_) {
      is_counted_ = true;
      is_first_ = found_.first_fields.empty();
      found_.entities += world_ != nullptr ? 1U : 0U;
      if (is_first_) {
        found_.subject = world_ != nullptr ? name_of(*world_, row_) : std::string{part_};
        if (world_ != nullptr) found_.entity = world_->id(row_);
      }
    }
    ++(world_ != nullptr ? found_.fields : found_.others);
    if (!is_first_) return;
    found_.first_fields.push_back(
        {.field = std::string{field}, .expected = std::move(expected), .got = std::move(got)});
  }

  template <class Number>
  void compare(std::string_view field, Number expected, Number got) {
    if (expected != got) add(field, std::to_string(expected), std::to_string(got));
  }

  void compare_ids(std::string_view field, BodyId expected, BodyId got) {
    if (expected != got) add(field, text_of(expected), text_of(got));
  }

  void compare_hashes(std::string_view field, std::uint64_t expected, std::uint64_t got) {
    if (expected != got) add(field, hash_text(expected), hash_text(got));
  }

  void compare_values(const TypeInfo& type, ConstBytes expected, ConstBytes got,
                      std::string_view prefix = {}) {
    if (are_equal(type, expected, got)) return;
    for (const FieldInfo& field : type.fields()) {
      for (std::size_t i = 0; i < field.times; ++i) {
        if (value_of(field, i, expected) == value_of(field, i, got)) continue;
        std::string name{prefix};
        name += field.name;
        if (field.times > 1) name += "[" + std::to_string(i) + "]";
        add(name, text_of(field, i, expected), text_of(field, i, got));
      }
    }
  }

  void compare_rows(std::size_t i, std::size_t j) {
    const sim::Body& want = expected_.body(i);
    const sim::Body& have = got_.body(j);
    const RowInfo& info = expected_.infos()[i];
    const RowInfo& other = got_.infos()[j];
    const bool is_same_kind = info.kind == other.kind;
    if (!is_same_kind) {
      add("kind", std::string{expected_.kind_of(i).type.name},
          std::string{got_.kind_of(j).type.name});
    }
    if (info.owner != other.owner) add("owner", text_of(info.owner), text_of(other.owner));
    compare("x", want.min.x, have.min.x);
    compare("y", want.min.y, have.min.y);
    compare("vx", want.velocity.x, have.velocity.x);
    compare("vy", want.velocity.y, have.velocity.y);
    if (is_same_kind) {
      compare_values(expected_.kind_of(i).type, expected_.state(i), got_.state(j));
    }
    compare("parent", static_cast<int>(info.parent), static_cast<int>(other.parent));
    compare("is_new", int{info.is_new}, int{other.is_new});
    compare_ids("ignores", want.ignores, have.ignores);
    compare("path", int{want.path}, int{have.path});
    compare("path_ticks", want.path_ticks, have.path_ticks);
    compare_ids("carrier", want.carrier, have.carrier);
  }

  void compare_seats(Player player) {
    const SeatInfo& want = expected_.seats()[player.seat];
    const SeatInfo& have = got_.seats()[player.seat];
    const GameTable& game = expected_.game();
    const std::string name = "seat " + std::to_string(player.seat);
    begin(name);
    compare("generation", want.generation, have.generation);
    compare("taken", int{want.taken}, int{have.taken});
    compare("has_chosen_focus", int{want.has_chosen_focus}, int{have.has_chosen_focus});
    compare_ids("focus", body_id(want.focus), body_id(have.focus));
    compare("focus_x", want.focus_place.x, have.focus_place.x);
    compare("focus_y", want.focus_place.y, have.focus_place.y);
    compare_values(game.seat, expected_.seat_state(player), got_.seat_state(player));
    compare_values(game.input, expected_.input(player), got_.input(player), "input.");
  }

  const World& expected_;
  const World& got_;
  WorldDifference found_;
  const World* world_ = nullptr;  ///< of the entity that is compared; nullptr: none is
  std::size_t row_ = 0;
  std::string_view part_;
  bool is_counted_ = false;  ///< a difference of what is compared was found
  bool is_first_ = false;    ///< what is compared differs first
};

}  // namespace

std::optional<WorldDifference> compare_entities(const World& expected, const World& got,
                                                const std::function<bool(BodyId)>& is_compared) {
  Differences differences{expected, got};
  differences.compare_entities(is_compared);
  return differences.take();
}

std::optional<WorldDifference> compare_worlds(const World& expected, const World& got) {
  Differences differences{expected, got};
  differences.compare_entities([](BodyId) { return true; });
  differences.compare_rest();
  return differences.take();
}

std::string to_text(const WorldDifference& difference) {
  const FieldDifference& first = difference.first_fields.front();
  const std::string subject = difference.subject.empty() ? "" : difference.subject + " ";
  return subject + first.field + ": expected " + first.expected + ", got " + first.got;
}

}  // namespace tickbox::engine
