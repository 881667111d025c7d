#include "record/verify.h"

#include "game/entity_state.h"
#include "game/possible.h"
#include "game/step.h"
#include "record/restore.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tickbox::record {
namespace {

std::string hex(std::uint64_t hash) {
  std::array<char, 16> digits{};
  digits.fill('0');
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), hash, 16).ptr;
  std::copy_backward(text.data(), end, digits.data() + digits.size());
  return {digits.data(), digits.size()};
}

struct Difference {
  std::optional<BodyId> entity;
  std::string field;
  std::string expected;
  std::string got;
};

/// Every field of an entity as text, in wire order.
std::vector<std::pair<std::string_view, std::string>> texts_of(const game::EntityState& entity) {
  std::vector<std::pair<std::string_view, std::string>> texts;
  game::for_each_field(entity, [&](const char* name, auto field) {
    if constexpr (std::is_enum_v<decltype(field)>) {
      texts.emplace_back(name, std::to_string(std::to_underlying(field)));
    } else {
      texts.emplace_back(name, std::to_string(field));
    }
  });
  return texts;
}

std::optional<Difference> entity_difference(const game::EntityState& expected,
                                            const game::EntityState& got) {
  const auto want = texts_of(expected);
  const auto have = texts_of(got);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i].second != have[i].second) {
      return Difference{expected.id, std::string{want[i].first}, want[i].second, have[i].second};
    }
  }
  return std::nullopt;
}

/// What differs first: entities by id, then seats, then the random sequence.
std::optional<Difference> first_difference(const Keyframe& expected, const game::World& got) {
  constexpr std::string_view kAbsent = "absent";
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.entities.size() || j < got.size()) {
    const bool want = i < expected.entities.size();
    const bool have = j < got.size();
    const BodyId wanted = want ? expected.entities[i].id : BodyId{};
    const BodyId had = have ? got.entity(j).id : BodyId{};
    if (!have || (want && wanted < had)) {
      return Difference{wanted, "id", std::to_string(wanted.value), std::string{kAbsent}};
    }
    if (!want || had < wanted) {
      return Difference{had, "id", std::string{kAbsent}, std::to_string(had.value)};
    }
    if (auto difference = entity_difference(expected.entities[i], got.entity(j))) {
      return difference;
    }
    ++i;
    ++j;
  }
  for (std::size_t seat = 0; seat < expected.seats.size(); ++seat) {
    const auto text = [](const game::Seat& s) {
      return "generation " + std::to_string(s.generation) + " score " + std::to_string(s.score) +
             (s.taken ? " taken" : " free");
    };
    if (expected.seats[seat] != got.seats()[seat]) {
      return Difference{std::nullopt, "seat " + std::to_string(seat), text(expected.seats[seat]),
                        text(got.seats()[seat])};
    }
  }
  if (expected.random != got.rng.state()) {
    return Difference{std::nullopt, "rng", hex(expected.random), hex(got.rng.state())};
  }
  return std::nullopt;
}

/// Counts segments: those that damage took something from are lost, the others whole.
class SegmentCount {
 public:
  void damage() { damaged_ = true; }

  /// Segment `number` begins; `previous` is the tick at which the one before it did, `last_tick`
  /// the last tick read.
  void begin(std::uint32_t number, Tick previous, std::optional<Tick> last_tick) {
    end(number, previous, last_tick);
    current_ = number;
    damaged_ = false;
  }

  /// The trailer tells how many there were, and at which tick the last one began.
  void trailer(const Trailer& trailer, std::optional<Tick> last_tick) {
    end(trailer.segments, trailer.last_keyframe, last_tick);
    closed_ = true;
  }

  void finish() {
    if (!closed_ && (current_ || damaged_)) {
      ++(damaged_ ? lost_ : whole_);
    }
  }

  [[nodiscard]] std::uint32_t whole() const { return whole_; }

  [[nodiscard]] std::uint32_t lost() const { return lost_; }

 private:
  void end(std::uint32_t next, Tick previous, std::optional<Tick> last_tick) {
    if (!current_) {
      lost_ += next;
      return;
    }
    // Damage that begins where the next keyframe was has left this segment whole: the one after
    // knows at which tick that keyframe was.
    const bool reached_next = next == *current_ + 2 && last_tick == previous;
    ++(damaged_ && !reached_next ? lost_ : whole_);
    lost_ += next - *current_ - 1;
  }

  std::optional<std::uint32_t> current_;
  bool damaged_ = false;
  bool closed_ = false;
  std::uint32_t whole_ = 0;
  std::uint32_t lost_ = 0;
};

class Replay {
 public:
  Replay(const game::SharedMap& map, const game::Rules& rules, const VerifyOptions& options,
         Tick start)
      : map_(map), rules_(rules), options_(options), start_(start) {}

  void keyframe(const Keyframe& keyframe);
  void ticks(std::span<const RecordedTick> ticks);
  void trailer(const Trailer& trailer);
  void unfinished(const RecordedTick& tick);
  void damage(const Damage& damage);

  void ends_early() { result_.ends_early = true; }

  VerifyResult finish();

 private:
  void tick(game::World& world, const RecordedTick& recorded);
  void impossible();
  void mismatch(Tick tick, Difference difference);

  const game::SharedMap& map_;
  const game::Rules& rules_;
  const VerifyOptions& options_;
  Tick start_;  ///< of the keyframe to begin with

  game::Stepper stepper_;
  std::optional<game::World> world_;  ///< none before the start, and from damage to a keyframe
  bool diverged_ = false;             ///< a tick of this segment had another hash
  bool unexplained_ = false;          ///< the first mismatch waits for a keyframe to name its field
  std::optional<Tick> last_tick_;
  bool trailer_read_ = false;
  SegmentCount segments_;
  VerifyResult result_;
};

void Replay::keyframe(const Keyframe& keyframe) {
  segments_.begin(keyframe.segment, keyframe.previous, last_tick_);
  last_tick_ = keyframe.tick;
  result_.gaps += keyframe.gap_before ? 1U : 0U;
  if (keyframe.tick < start_) {
    return;
  }
  auto restored = restore(keyframe, map_, rules_);
  if (!restored) {
    impossible();
    return;
  }
  const std::uint64_t hash = game::state_hash(*restored);
  const bool continues = world_ && world_->tick == keyframe.tick;
  const bool in_range = keyframe.tick >= options_.from && keyframe.tick <= options_.to;
  const auto difference = continues ? first_difference(keyframe, *world_) : std::nullopt;
  if (unexplained_ && difference && result_.first_mismatch) {
    Mismatch& first = *result_.first_mismatch;
    first.entity = difference->entity;
    first.field = difference->field;
    first.expected = difference->expected;
    first.got = difference->got;
  } else if (in_range && !diverged_ && (difference || hash != keyframe.state_hash)) {
    mismatch(keyframe.tick, difference.value_or(Difference{std::nullopt, "state_hash",
                                                           hex(keyframe.state_hash), hex(hash)}));
  }
  unexplained_ = false;
  diverged_ = false;
  if (!continues || difference) {
    world_.emplace(*std::move(restored));
  }
}

void Replay::ticks(std::span<const RecordedTick> ticks) {
  for (const RecordedTick& recorded : ticks) {
    const bool wanted = recorded.tick <= options_.to || unexplained_;
    if (world_ && wanted) {
      tick(*world_, recorded);
    }
  }
  last_tick_ = ticks.back().tick;
}

void Replay::tick(game::World& world, const RecordedTick& recorded) {
  if (!game::possible(world, recorded.commands())) {
    impossible();
    return;
  }
  game::step(world, rules_, recorded.commands(), game::Authority::Server, stepper_);
  if (recorded.tick < options_.from || recorded.tick > options_.to) {
    return;
  }
  ++result_.ticks;
  result_.recovered_ticks += result_.damages > 0 ? 1U : 0U;
  const std::uint64_t hash = game::state_hash(world);
  if (hash == recorded.state_hash) {
    return;
  }
  const bool first = !result_.first_mismatch;
  mismatch(recorded.tick, {std::nullopt, "state_hash", hex(recorded.state_hash), hex(hash)});
  diverged_ = true;
  unexplained_ = unexplained_ || first;
}

void Replay::trailer(const Trailer& trailer) {
  segments_.trailer(trailer, last_tick_);
  result_.gaps += trailer.gap_before ? 1U : 0U;
  trailer_read_ = true;
}

void Replay::unfinished(const RecordedTick& tick) {
  result_.unfinished = tick.tick;
  if (!world_ || world_->tick + 1 != tick.tick || !options_.step_unfinished) {
    return;
  }
  if (game::possible(*world_, tick.commands())) {
    game::step(*world_, rules_, tick.commands(), game::Authority::Server, stepper_);
  } else {
    impossible();
  }
}

void Replay::damage(const Damage& damage) {
  ++result_.damages;
  if (damage.offset >= kRecordsOffset) {
    segments_.damage();
    world_.reset();
    unexplained_ = false;
  }
}

/// A record that is whole, and yet nothing that can have happened.
void Replay::impossible() {
  ++result_.damages;
  segments_.damage();
  world_.reset();
  unexplained_ = false;
}

void Replay::mismatch(Tick tick, Difference difference) {
  ++result_.mismatched;
  if (!result_.first_mismatch) {
    result_.first_mismatch = Mismatch{.tick = tick,
                                      .entity = difference.entity,
                                      .field = std::move(difference.field),
                                      .expected = std::move(difference.expected),
                                      .got = std::move(difference.got)};
  }
}

VerifyResult Replay::finish() {
  segments_.finish();
  result_.segments_whole = segments_.whole();
  result_.segments_lost = segments_.lost();
  result_.complete = trailer_read_ && result_.damages == 0 && result_.gaps == 0;
  result_.last_tick = last_tick_.value_or(Tick{0});
  return std::move(result_);
}

/// The tick of the last keyframe that is not behind `from`: where stepping has to begin.
Tick start_for(Reader reader, Tick from) {
  Tick start{0};
  if (from == Tick{0}) {
    return start;
  }
  for (Reader::Item item = reader.next(); item != Reader::Item::Finished; item = reader.next()) {
    if (item == Reader::Item::Keyframe && reader.keyframe().tick < from) {
      start = reader.keyframe().tick;
    }
  }
  return start;
}

}  // namespace

VerifyResult verify(Reader reader, const game::SharedMap& map, const game::Rules& rules,
                    const VerifyOptions& options) {
  Replay replay{map, rules, options, start_for(reader, options.from)};
  for (;;) {
    const Reader::Item item = reader.next();
    switch (item) {
      case Reader::Item::Keyframe:
        replay.keyframe(reader.keyframe());
        break;
      case Reader::Item::Ticks:
        replay.ticks(reader.ticks());
        break;
      case Reader::Item::Trailer:
        replay.trailer(reader.trailer());
        break;
      case Reader::Item::Unfinished:
        replay.unfinished(reader.unfinished());
        break;
      case Reader::Item::Damage:
        replay.damage(reader.damage());
        break;
      case Reader::Item::EndsEarly:
        replay.ends_early();
        break;
      case Reader::Item::Finished:
        return replay.finish();
    }
    if (options.progress) {
      options.progress(
          static_cast<std::uint32_t>(std::uint64_t{1'000} * reader.offset() / reader.file_bytes()));
    }
  }
}

}  // namespace tickbox::record
