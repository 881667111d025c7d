#include "engine/tick_codec.h"

#include "core/numbers.h"
#include "engine/bits.h"
#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <set>

namespace tickbox::engine {
namespace {

constexpr std::uint8_t kHasOutcomes = 1;
constexpr std::uint8_t kHasInputs = 2;
constexpr std::uint8_t kHasStrikes = 4;
constexpr std::uint8_t kListsKnown = kHasOutcomes | kHasInputs | kHasStrikes;
constexpr std::size_t kOutcomeKinds = static_cast<std::size_t>(OutcomeKind::Secret) + 1;

/// The most outcomes of one tick: every player leaves and joins, and every entity is removed,
/// spawned and decided upon.
constexpr std::size_t kOutcomesMax = std::size_t{16} * kSeatsMax;

std::uint32_t count_of(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

void write_sparse(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out) {
  BitWriter writer{out};
  pack_sparse(type, bytes, writer);
}

/// The types of what an outcome holds in its bytes; nullptr for none.
const TypeInfo* type_of(const GameTable& game, const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::Spawned:
      return outcome.type < game.kinds.size() ? &game.kinds[outcome.type].type : nullptr;
    case OutcomeKind::Commanded:
      return outcome.type < game.commands.size() ? &game.commands[outcome.type].type : nullptr;
    case OutcomeKind::Decided:
      return outcome.type < game.outcomes.size() ? &game.outcomes[outcome.type] : nullptr;
    case OutcomeKind::Seat:
      return &game.seat;
    case OutcomeKind::Room:
      return &game.room;
    case OutcomeKind::Secret:
      return &game.secret;
    default:
      return nullptr;
  }
}

void write_outcome(const GameTable& game, const Outcome& outcome, ConstBytes bytes,
                   std::vector<std::byte>& out) {
  NumberWriter writer{out};
  writer.fixed(static_cast<std::uint8_t>(static_cast<unsigned>(outcome.kind) << 1U |
                                         static_cast<unsigned>(outcome.phase)));
  const auto place = [&] {
    writer.fixed(outcome.min.x);
    writer.fixed(outcome.min.y);
  };
  // kNobody and kNoPath become 0.
  const auto one_more = [](std::uint16_t number) {
    return static_cast<std::uint32_t>(static_cast<std::uint16_t>(number + 1));
  };
  switch (outcome.kind) {
    case OutcomeKind::Left:
    case OutcomeKind::Seat:
      writer.number(outcome.player.seat);
      break;
    case OutcomeKind::Joined:
      writer.number(outcome.player.seat);
      writer.number(count_of(bytes.size()));
      writer.bytes(bytes);
      break;
    case OutcomeKind::Spawned:
      writer.number(outcome.type);
      writer.number(one_more(outcome.player.seat));
      writer.fixed(outcome.ref.id);
      place();
      writer.number(one_more(outcome.path));
      break;
    case OutcomeKind::Removed:
      writer.fixed(outcome.ref.id);
      break;
    case OutcomeKind::Focused:
      writer.number(outcome.player.seat);
      writer.fixed(outcome.ref.id);
      place();
      break;
    case OutcomeKind::Commanded:
      writer.number(outcome.player.seat);
      writer.number(outcome.type);
      break;
    case OutcomeKind::Decided:
      writer.number(outcome.type);
      writer.fixed(outcome.ref.id);
      break;
    case OutcomeKind::Room:
      break;
    case OutcomeKind::Secret:
      writer.fixed(outcome.random);
      break;
  }
  if (const TypeInfo* type = type_of(game, outcome)) write_sparse(*type, bytes, out);
}

class TickReader {
 public:
  TickReader(const GameTable& game, ConstBytes bytes) : game_(game), in_(bytes) {}

  std::optional<TickRecord> read() {
    TickRecord record;
    if (in_.left() == 0) return record;
    const auto lists = in_.fixed<std::uint8_t>();
    if (lists == 0 || (lists & ~kListsKnown) != 0) return std::nullopt;
    if ((lists & kHasOutcomes) != 0) read_outcomes(record);
    if ((lists & kHasInputs) != 0) read_inputs(record);
    if ((lists & kHasStrikes) != 0) read_strikes(record);
    if (in_.failed() || in_.left() > 0) return std::nullopt;
    return record;
  }

 private:
  Player seat() { return {static_cast<std::uint16_t>(in_.number(kSeatsMax - 1))}; }

  std::uint16_t one_less() {
    return static_cast<std::uint16_t>(static_cast<std::uint16_t>(in_.number(UINT16_MAX)) - 1);
  }

  Vec2 place() {
    const std::int32_t x = in_.coordinate();
    return {x, in_.coordinate()};
  }

  /// Reads a sparse value and appends it to the record's bytes.
  void read_value(const TypeInfo& type, TickRecord& record) {
    record.bytes.resize(record.bytes.size() + type.bytes);
    const MutableBytes value = MutableBytes{record.bytes}.last(type.bytes);
    if (!unpack_sparse(type, in_, value)) in_.fail();
  }

  void read_outcomes(TickRecord& record) {
    const std::uint32_t count = in_.count(kOutcomesMax, 1);
    if (count == 0) in_.fail();
    for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
      read_outcome(record);
    }
  }

  void read_outcome(TickRecord& record) {
    const unsigned both = in_.fixed<std::uint8_t>();
    if (both >> 1U >= kOutcomeKinds) return void(in_.fail());
    Outcome outcome{.kind = static_cast<OutcomeKind>(both >> 1U),
                    .phase = static_cast<OutcomePhase>(both & 1U),
                    .first = record.bytes.size()};
    switch (outcome.kind) {
      case OutcomeKind::Left:
      case OutcomeKind::Seat:
        outcome.player = seat();
        break;
      case OutcomeKind::Joined: {
        outcome.player = seat();
        const ConstBytes user = in_.bytes(in_.number(kUserDataMax));
        record.bytes.insert(record.bytes.end(), user.begin(), user.end());
        break;
      }
      case OutcomeKind::Spawned:
        outcome.type = static_cast<std::uint8_t>(in_.number(UINT8_MAX));
        outcome.player = {one_less()};
        outcome.ref = {in_.fixed<std::uint64_t>()};
        outcome.min = place();
        outcome.path = one_less();
        break;
      case OutcomeKind::Removed:
        outcome.ref = {in_.fixed<std::uint64_t>()};
        break;
      case OutcomeKind::Focused:
        outcome.player = seat();
        outcome.ref = {in_.fixed<std::uint64_t>()};
        outcome.min = place();
        break;
      case OutcomeKind::Commanded:
        outcome.player = seat();
        outcome.type = static_cast<std::uint8_t>(in_.number(UINT8_MAX));
        break;
      case OutcomeKind::Decided:
        outcome.type = static_cast<std::uint8_t>(in_.number(UINT8_MAX));
        outcome.ref = {in_.fixed<std::uint64_t>()};
        break;
      case OutcomeKind::Room:
        break;
      case OutcomeKind::Secret:
        outcome.random = in_.fixed<std::uint64_t>();
        break;
    }
    const bool has_type = outcome.kind == OutcomeKind::Spawned ||
                          outcome.kind == OutcomeKind::Commanded ||
                          outcome.kind == OutcomeKind::Decided || outcome.kind >= OutcomeKind::Seat;
    const TypeInfo* type = type_of(game_, outcome);
    if (has_type && type == nullptr) return void(in_.fail());
    if (type != nullptr) read_value(*type, record);
    outcome.size = record.bytes.size() - outcome.first;
    record.outcomes.push_back(outcome);
  }

  void read_inputs(TickRecord& record) {
    const std::uint32_t count = in_.count(kSeatsMax, 1);
    if (count == 0) in_.fail();
    for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
      const TickRecord::Input input{.player = seat(), .first = record.bytes.size()};
      const bool is_in_order =
          record.inputs.empty() || record.inputs.back().player.seat < input.player.seat;
      if (!is_in_order) in_.fail();
      read_value(game_.input, record);
      record.inputs.push_back(input);
    }
  }

  void read_strikes(TickRecord& record) {
    const std::uint32_t count = in_.count(kSeatsMax, 1 + 8);
    if (count == 0) in_.fail();
    for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
      const Player shooter = seat();
      record.strikes.push_back({.shooter = shooter, .victim = {in_.fixed<std::uint64_t>()}});
    }
  }

  const GameTable& game_;
  NumberReader in_;
};

/// What a record assumes of the world, followed outcome by outcome.
class RecordCheck {
 public:
  explicit RecordCheck(const World& world) : world_(world) {
    for (const SeatInfo& seat : world.seats()) {
      seats_.push_back(seat);
    }
  }

  [[nodiscard]] bool is_valid(const TickRecord& record) {
    bool is_deciding = false;
    std::size_t spawned = 0;
    for (const Outcome& outcome : record.outcomes) {
      const bool decides = outcome.phase == OutcomePhase::Deciding;
      if (is_deciding && !decides) return false;
      is_deciding = decides;
      if (!is_valid(outcome, record.bytes_of(outcome))) return false;
      spawned += outcome.kind == OutcomeKind::Spawned ? 1 : 0;
    }
    return world_.size() + spawned <= kSeatsMax * std::size_t{4} &&
           std::ranges::all_of(record.inputs,
                               [this](const auto& input) { return has(input.player); }) &&
           std::ranges::all_of(record.strikes, [this](const Strike& strike) {
             return strike.shooter.seat < seats_.size();
           });
  }

 private:
  [[nodiscard]] bool has(Player player) const {
    return player.seat < seats_.size() && seats_[player.seat].taken;
  }

  bool is_valid(const Outcome& outcome, ConstBytes bytes) {
    switch (outcome.kind) {
      case OutcomeKind::Left:
        if (!has(outcome.player)) return false;
        seats_[outcome.player.seat].taken = false;
        return outcome.phase == OutcomePhase::Joining;
      case OutcomeKind::Joined: {
        if (outcome.player.seat >= seats_.size() || has(outcome.player)) return false;
        SeatInfo& seat = seats_[outcome.player.seat];
        seat = {.generation = (seat.generation + 1) % kGenerations, .taken = true};
        return outcome.phase == OutcomePhase::Joining;
      }
      case OutcomeKind::Spawned:
        return is_valid_spawn(outcome, bytes);
      case OutcomeKind::Focused:
      case OutcomeKind::Commanded:
        return has(outcome.player);
      case OutcomeKind::Seat:
        return outcome.player.seat < seats_.size();
      default:
        return true;
    }
  }

  bool is_valid_spawn(const Outcome& outcome, ConstBytes bytes) {
    const BodyId id = body_id(outcome.ref);
    const bool is_avatar = outcome.player.seat != Player::kNobody;
    const AlignedValue state{bytes};
    const NewRow row{.id = id,
                     .info = {.kind = outcome.type, .owner = outcome.player},
                     .min = outcome.min,
                     .velocity = {},
                     .path = outcome.path};
    const ConstBytes aligned{static_cast<const std::byte*>(state.data()), bytes.size()};
    if (!spawned_.insert(id).second || !world_.can_add(row, aligned)) return false;
    if (!is_avatar) {
      return class_of(id) == IdClass::ByServer && lineage_of(id) >= kSeatsMax &&
             spawn_tick_of(id) == world_.tick + 1;
    }
    return has(outcome.player) && class_of(id) == IdClass::Avatar &&
           lineage_of(id) == outcome.player.seat &&
           generation_of(id) == seats_[outcome.player.seat].generation;
  }

  const World& world_;
  std::vector<SeatInfo> seats_;
  std::set<BodyId> spawned_;
};

}  // namespace

void encode_tick(const GameTable& game, const TickRecord& record, std::vector<std::byte>& out) {
  out.clear();
  const auto lists = static_cast<std::uint8_t>((record.outcomes.empty() ? 0U : kHasOutcomes) |
                                               (record.inputs.empty() ? 0U : kHasInputs) |
                                               (record.strikes.empty() ? 0U : kHasStrikes));
  if (lists == 0) return;
  NumberWriter writer{out};
  writer.fixed(lists);
  if (!record.outcomes.empty()) {
    writer.number(count_of(record.outcomes.size()));
    for (const Outcome& outcome : record.outcomes) {
      write_outcome(game, outcome, record.bytes_of(outcome), out);
    }
  }
  if (!record.inputs.empty()) {
    writer.number(count_of(record.inputs.size()));
    for (const TickRecord::Input& input : record.inputs) {
      writer.number(input.player.seat);
      write_sparse(game.input, ConstBytes{record.bytes}.subspan(input.first, game.input.bytes),
                   out);
    }
  }
  if (record.strikes.empty()) return;
  writer.number(count_of(record.strikes.size()));
  for (const Strike& strike : record.strikes) {
    writer.number(strike.shooter.seat);
    writer.fixed(strike.victim.id);
  }
}

std::optional<TickRecord> decode_tick(const GameTable& game, ConstBytes bytes) {
  return TickReader{game, bytes}.read();
}

bool is_valid(const World& world, const TickRecord& record) {
  return RecordCheck{world}.is_valid(record);
}

}  // namespace tickbox::engine
