#include "server/shard/desync/past_causes.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "engine/log/words.h"
#include "protocol/history_depths.h"
#include "views/content.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

namespace tickbox::server {
namespace {

using protocol::DesyncCause;
using Kind = DesyncCause::Kind;

/// The bits of one cause, as a content has them.
class PayloadBits {
 public:
  PayloadBits(const MatchHistory& log, Tick tick, const Payload& payload) {
    const bool is_short = payload.bits <= 64;
    engine::BitWriter out{bytes_};
    if (is_short) out.write(payload.value, payload.bits);
    if (!is_short) engine::copy_bits(log.payloads(tick), payload.value, payload.bits, out);
  }

  [[nodiscard]] engine::BitReader read() const { return engine::BitReader{bytes_}; }

 private:
  std::vector<std::byte> bytes_;
};

/// Returns an outcome or a strike in words, as in "Opened door 7" or "by player 3".
std::string outcome_in_words(const GameTable& game, engine::BitReader& in) {
  if (in.read(1) != 0) return "by player " + std::to_string(in.read(engine::kSeatBits));
  in.read(1);  // the phase
  const std::uint64_t type = in.read(views::outcome_bits(game));
  if (in.failed() || type >= game.outcomes.size()) return {};
  const TypeInfo& info = game.outcomes[type];
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> value{};
  const MutableBytes bytes = MutableBytes{value}.first(info.bytes);
  if (!engine::unpack_sparse(info, in, bytes)) return {};
  const std::string values = engine::value_in_words(info, bytes);
  return std::string{info.name} + (values.empty() ? "" : " ") + values;
}

/// Gathers the causes of one tick after the other.
class Gatherer {
 public:
  Gatherer(const Match& match, const std::function<bool(BodyId)>& is_member)
      : match_(match),
        history_(match.history()),
        game_(match.world().game()),
        is_member_(is_member) {}

  void gather(Tick tick) {
    tick_ = tick;
    ago_ = static_cast<std::uint32_t>(history_.tick() - tick);
    add_inputs();
    add_outcomes();
    if ((history_.room().ticks_since(0, before()) >> ago_ & 1) != 0) add_room();
  }

  [[nodiscard]] std::vector<DesyncCause> finish() {
    std::ranges::stable_sort(causes_, {}, [](const DesyncCause& cause) {
      return std::tuple{cause.tick, cause.entity, cause.kind};
    });
    return std::move(causes_);
  }

 private:
  [[nodiscard]] Tick before() const { return {tick_.value - 1}; }

  [[nodiscard]] PayloadBits bits_of(const Payload& payload) const {
    return {history_, tick_, payload};
  }

  /// The change of an input stands at each of its player's avatars in view.
  void add_inputs() {
    const StateAt* state = match_.state_after(tick_);
    const StateAt* past = match_.state_after(before());
    if (state == nullptr) return;
    for (std::size_t row = 0; row < state->rows.size(); ++row) {
      const BodyId id = state->rows.head(row).id;
      if (!views::is_controlled(id)) break;
      const Player player = views::owner_of(id);
      const bool has_changed =
          (history_.inputs().ticks_since(player.seat, before()) >> ago_ & 1) != 0;
      if (!has_changed || !is_member_(id)) continue;
      std::vector<std::byte> held(game_.input.bytes);
      game_.input.write_default(held.data());
      if (past != nullptr && past->rows.contains(id)) {
        std::ranges::copy(past->rows.input(past->rows.index_of(id)), held.begin());
      }
      std::vector<std::byte> given = held;
      const PayloadBits bits = bits_of(history_.inputs().change(player.seat, ago_));
      engine::BitReader in = bits.read();
      const bool is_read = engine::unpack_change(game_.input, in, given);
      TICKBOX_ASSERT(is_read);
      causes_.push_back({.tick = tick_,
                         .entity = id,
                         .kind = Kind::Input,
                         .what = engine::changes_in_words(game_.input, held, given)});
    }
  }

  void add_outcomes() {
    for (const OutcomeCause& cause : history_.outcomes().causes_of(tick_)) {
      const BodyId id = history_.slots().slot(cause.slot).id;
      if (!is_member_(id)) continue;
      const PayloadBits bits = bits_of(cause.payload);
      engine::BitReader in = bits.read();
      causes_.push_back({.tick = tick_,
                         .entity = id,
                         .kind = cause.is_strike ? Kind::Strike : Kind::Outcome,
                         .what = cause.payload.bits > 0 ? outcome_in_words(game_, in) : ""});
    }
  }

  void add_room() {
    std::vector<std::byte> room(game_.room.bytes);
    const PayloadBits bits = bits_of(history_.room().change(0, ago_));
    engine::BitReader in = bits.read();
    const bool is_read = engine::unpack_sparse(game_.room, in, room);
    TICKBOX_ASSERT(is_read);
    causes_.push_back({.tick = tick_,
                       .entity = sim::kNoBody,
                       .kind = Kind::Room,
                       .what = engine::value_in_words(game_.room, room)});
  }

  const Match& match_;
  const MatchHistory& history_;
  const GameTable& game_;
  const std::function<bool(BodyId)>& is_member_;
  Tick tick_;
  std::uint32_t ago_ = 0;
  std::vector<DesyncCause> causes_;
};

}  // namespace

std::vector<DesyncCause> causes_since(const Match& match, Tick since, Tick until,
                                      const std::function<bool(BodyId)>& is_member) {
  constexpr std::uint32_t kBack = protocol::kTicksRemembered - 1;
  const std::uint32_t now = match.history().tick().value;
  const Tick first = std::max(since, Tick{now > kBack ? now - kBack : 0});
  Gatherer gatherer{match, is_member};
  for (Tick tick = first + 1; tick <= until; tick = tick + 1) {
    gatherer.gather(tick);
  }
  return gatherer.finish();
}

}  // namespace tickbox::server
