#include "client/verification/causes.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "engine/log/words.h"
#include "sim/body.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace tickbox::client {
namespace {

using Kind = protocol::DesyncCause::Kind;

class Causes {
 public:
  explicit Causes(const WrongView& wrong)
      : wrong_(wrong), content_(*wrong.content), game_(content_.rows.game()) {}

  void add_all() {
    if (wrong_.base != nullptr) add_causes(wrong_.base->rows);
    for (const views::RowHead& head : content_.rows.heads()) {
      add(0, head.id, Kind::InFull, {});
    }
    std::ranges::sort(causes_, {}, [](const protocol::DesyncCause& each) {
      return std::tuple{each.tick, each.entity, each.kind};
    });
  }

  std::vector<protocol::DesyncCause> finish() { return std::move(causes_); }

 private:
  void add_causes(const views::Rows& base) {
    for (const std::uint16_t index : content_.exits) {
      add(0, base.head(index).id, Kind::Exit, {});
    }
    for (const views::Content::Outcome& outcome : content_.outcomes) {
      const BodyId entity = base.head(outcome.index).id;
      if (outcome.is_strike) {
        add(outcome.ago, entity, Kind::Strike, "by player " + std::to_string(outcome.shooter.seat));
        continue;
      }
      const TypeInfo& type = game_.outcomes[outcome.type];
      const std::string words = sparse_in_words(type, outcome.first);
      add(outcome.ago, entity, Kind::Outcome,
          std::string{type.name} + (words.empty() ? "" : " " + words));
    }
    for (const views::Content::Room& room : content_.room) {
      add(room.ago, sim::kNoBody, Kind::Room, sparse_in_words(game_.room, room.first));
    }
    add_inputs(base);
  }

  /// An input is a change of the one that its player held in the tick before.
  void add_inputs(const views::Rows& base) {
    for (std::size_t row = 0; row < base.size(); ++row) {
      const ConstBytes held = base.input(row);
      std::vector<std::byte> input{held.begin(), held.end()};
      for (const views::Content::Input& cause : content_.inputs) {
        if (cause.index != row) continue;
        const std::vector<std::byte> before = input;
        engine::BitReader reader{wrong_.bytes, cause.first};
        const bool is_read = engine::unpack_change(game_.input, reader, input);
        TICKBOX_ASSERT(is_read);
        add(cause.ago, base.head(row).id, Kind::Input,
            engine::changes_in_words(game_.input, before, input));
        engine::release_presses(game_.input, input);
      }
    }
  }

  [[nodiscard]] std::string sparse_in_words(const TypeInfo& type, std::size_t first) const {
    std::vector<std::byte> value(type.bytes);
    engine::BitReader reader{wrong_.bytes, first};
    const bool is_read = engine::unpack_sparse(type, reader, value);
    TICKBOX_ASSERT(is_read);
    return engine::value_in_words(type, value);
  }

  void add(std::uint8_t ago, BodyId entity, Kind kind, std::string what) {
    causes_.push_back({.tick = {wrong_.head.tick.value - ago},
                       .entity = entity,
                       .kind = kind,
                       .what = std::move(what)});
  }

  const WrongView& wrong_;
  const views::Content& content_;
  const GameTable& game_;
  std::vector<protocol::DesyncCause> causes_;
};

}  // namespace

std::vector<protocol::DesyncCause> causes_of(const WrongView& wrong) {
  Causes causes{wrong};
  causes.add_all();
  return causes.finish();
}

}  // namespace tickbox::client
