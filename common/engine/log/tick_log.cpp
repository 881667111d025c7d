#include "engine/log/tick_log.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::engine {
namespace {

constexpr std::uint8_t kHasLeaves = 1;
constexpr std::uint8_t kHasJoins = 2;
constexpr std::uint8_t kHasInputs = 4;
constexpr std::uint8_t kHasOutcomes = 8;
constexpr std::uint8_t kListsKnown = kHasLeaves | kHasJoins | kHasInputs | kHasOutcomes;

/// Stands alone for an idle tick.
constexpr std::uint8_t kIdle = 16;
constexpr std::array kIdleTick{std::byte{kIdle}};

constexpr std::uint32_t kClientBytes = 8;
constexpr std::uint32_t kJoinBytesMax = kClientBytes + kUserDataMax;

/// Ascending seats, written as gaps.
class Gaps {
 public:
  std::uint32_t gap(Player player) {
    TICKBOX_ASSERT(player.seat >= next_);
    return player.seat - std::exchange(next_, std::uint32_t{player.seat} + 1);
  }

  Player player(NumberReader& in, std::size_t seats) {
    const std::uint64_t seat = std::uint64_t{next_} + in.number();
    if (in.failed() || seat >= seats) return {in.fail()};
    next_ = static_cast<std::uint32_t>(seat) + 1;
    return {static_cast<std::uint16_t>(seat)};
  }

 private:
  std::uint32_t next_ = 0;
};

std::uint32_t count_of(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

}  // namespace

ConstBytes idle_tick_bytes() {
  return kIdleTick;
}

std::size_t tick_bytes_of(const GameTable& game, std::size_t seats) {
  // Of a record: the byte that names its lists, and the count of each. Of an element: its seat or
  // size, and its head.
  constexpr std::size_t kListsBytes = 1 + 4 * 3;
  constexpr std::size_t kInputHead = 2 + 2;
  constexpr std::size_t kOutcomeHead = 2 + 1 + 2 + 8;
  const auto bytes = [](const TypeInfo& type) { return (sparse_bits_max(type) + 7) / 8; };
  std::size_t outcome = bytes(game.seat);
  for (const TypeInfo& type : game.outcomes) {
    outcome = std::max(outcome, bytes(type));
  }
  return kListsBytes + seats * (kInputHead + bytes(game.input) + 2 * (kOutcomeHead + outcome));
}

// --- HeldSources ---

void HeldSources::begin(const World& world, std::span<const InputSource> sources) {
  TICKBOX_ASSERT(sources.size() == world.seats().size());
  begin(world);
  for (std::size_t seat = 0; seat < seats(); ++seat) {
    if (taken_[seat] != 0) sources_[seat] = sources[seat];
  }
}

void HeldSources::begin(const World& world) {
  sources_.assign(world.seats().size(), InputSource::Neutral);
  taken_.resize(world.seats().size());
  std::ranges::transform(world.seats(), taken_.begin(),
                         [](const SeatInfo& seat) { return std::uint8_t{seat.taken}; });
  players_ = static_cast<std::size_t>(std::ranges::count(taken_, 1));
}

void HeldSources::set(Player player, InputSource source) {
  TICKBOX_ASSERT(has(player));
  sources_[player.seat] = source;
}

void HeldSources::leave(Player player) {
  TICKBOX_ASSERT(has(player));
  sources_[player.seat] = InputSource::Neutral;
  taken_[player.seat] = 0;
  --players_;
}

void HeldSources::join(Player player) {
  TICKBOX_ASSERT(player.seat < seats() && !has(player));
  taken_[player.seat] = 1;
  ++players_;
}

// --- TickLog ---

TickLog::TickLog(const World& world) : game_(&world.game()), tick_(world.tick) {
  const std::size_t seats = world.seats().size();
  held_.begin(world);
  leaves_.reserve(seats);
  joins_.reserve(seats);
  changed_.reserve(seats);
  bytes_.reserve(tick_bytes_of(*game_, seats));
}

/// Finds who leaves and who joins.
void TickLog::gather_moves(const TickRecord& record) {
  leaves_.clear();
  joins_.clear();
  for (const Outcome& outcome : record.outcomes) {
    if (outcome.kind == OutcomeKind::Left) {
      TICKBOX_ASSERT(joins_.empty());
      held_.leave(outcome.player);
      leaves_.push_back(outcome);
    } else if (outcome.kind == OutcomeKind::Joined) {
      TICKBOX_ASSERT(outcome.size <= kUserDataMax);
      held_.join(outcome.player);
      joins_.push_back(outcome);
    }
  }
}

/// Finds the inputs and sources that differ from the tick before, by player.
void TickLog::gather_changes(const TickRecord& record, std::span<const PlayerSource> sources) {
  TICKBOX_ASSERT(std::ranges::is_sorted(record.inputs, {},
                                        [](const auto& input) { return input.player.seat; }));
  changed_.clear();
  auto input = record.inputs.begin();
  const auto gather = [&](Player player, InputSource source, bool has_input) {
    const bool is_other = held_.source_of(player) != source;
    held_.set(player, source);
    if (!is_other && !has_input) return;
    ConstBytes bytes;
    if (has_input) bytes = ConstBytes{record.bytes}.subspan(input->first, game_->input.bytes);
    changed_.push_back({.player = player, .source = source, .input = bytes});
  };
  const auto gather_before = [&](std::uint32_t seat) {
    for (; input != record.inputs.end() && input->player.seat < seat; ++input) {
      gather(input->player, held_.source_of(input->player), true);
    }
  };
  for (const auto& [player, source] : sources) {
    gather_before(player.seat);
    const bool has_input = input != record.inputs.end() && input->player == player;
    gather(player, source, has_input);
    if (has_input) ++input;
  }
  gather_before(kSeatsMax);
}

void TickLog::write_leaves() {
  NumberWriter out{bytes_};
  Gaps gaps;
  out.number(count_of(leaves_.size()));
  for (const Outcome& leave : leaves_) {
    out.number(gaps.gap(leave.player));
  }
}

void TickLog::write_joins(const TickRecord& record, std::span<const std::uint64_t> clients) {
  NumberWriter out{bytes_};
  Gaps gaps;
  out.number(count_of(joins_.size()));
  for (std::size_t i = 0; i < joins_.size(); ++i) {
    out.number(gaps.gap(joins_[i].player));
    out.number(kClientBytes + count_of(joins_[i].size));
    out.fixed(clients[i]);
    out.bytes(record.bytes_of(joins_[i]));
  }
}

void TickLog::write_inputs() {
  NumberWriter out{bytes_};
  Gaps gaps;
  out.number(count_of(changed_.size()));
  for (const Change& change : changed_) {
    const bool has_input = !change.input.empty();
    const std::size_t bits = has_input ? sparse_bits(game_->input, change.input) : 0;
    out.number(gaps.gap(change.player));
    out.number(count_of((bits + 7) / 8) << kSourceBits | static_cast<std::uint32_t>(change.source));
    if (has_input) pack_sparse(game_->input, change.input, bytes_);
  }
}

void TickLog::write_outcomes(const TickRecord& record) {
  NumberWriter out{bytes_};
  out.number(count_of(record.outcomes.size() + record.strikes.size()));
  const auto write = [&] {
    out.number(count_of(outcome_.size()));
    out.bytes(outcome_);
  };
  const auto write_phase = [&](OutcomePhase phase) {
    for (const Outcome& outcome : record.outcomes) {
      if (outcome.phase != phase) continue;
      outcome_.clear();
      write_outcome(*game_, outcome, record.bytes_of(outcome), outcome_);
      write();
    }
  };
  write_phase(OutcomePhase::Joining);
  for (const Strike& strike : record.strikes) {
    outcome_.clear();
    write_strike(strike, outcome_);
    write();
  }
  write_phase(OutcomePhase::Deciding);
}

ConstBytes TickLog::tick(const TickRecord& record, const TickOrigins& origins) {
  tick_ = tick_ + 1;
  is_idle_ = record.is_idle;
  if (record.is_idle) {
    TICKBOX_ASSERT(held_.players() == 0 && origins.clients.empty());
    bytes_.assign(kIdleTick.begin(), kIdleTick.end());
    return bytes_;
  }
  gather_moves(record);
  TICKBOX_ASSERT(origins.clients.size() == joins_.size());
  gather_changes(record, origins.sources);
  bytes_.clear();
  const std::size_t outcomes = record.outcomes.size() + record.strikes.size();
  TICKBOX_ASSERT(outcomes <= kOutcomesMax);
  const auto lists = static_cast<std::uint8_t>(
      (leaves_.empty() ? 0U : kHasLeaves) | (joins_.empty() ? 0U : kHasJoins) |
      (changed_.empty() ? 0U : kHasInputs) | (outcomes == 0 ? 0U : kHasOutcomes));
  if (lists == 0) return bytes_;
  bytes_.push_back(std::byte{lists});
  if (!leaves_.empty()) write_leaves();
  if (!joins_.empty()) write_joins(record, origins.clients);
  if (!changed_.empty()) write_inputs();
  if (outcomes > 0) write_outcomes(record);
  TICKBOX_ASSERT(bytes_.size() <= kTickBytesMax);
  return bytes_;
}

void TickLog::keyframe(const World& world, std::uint64_t state_hash,
                       std::vector<std::byte>& out) const {
  TICKBOX_ASSERT(world.tick == tick_);
  encode_keyframe(world, state_hash, held_.sources(), out);
}

// --- TickLogReader ---

void TickLogReader::read_leaves(NumberReader& in, DecodedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 1);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const Player player = gaps.player(in, held_.seats());
    if (in.failed() || !held_.has(player)) return void(in.fail());
    held_.leave(player);
    tick.leaves.push_back(player);
  }
}

void TickLogReader::read_joins(NumberReader& in, DecodedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 2 + kClientBytes);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const Player player = gaps.player(in, held_.seats());
    NumberReader join{in.bytes(in.number(kJoinBytesMax))};
    const auto client = join.fixed<std::uint64_t>();
    if (in.failed() || join.failed() || held_.has(player)) return void(in.fail());
    held_.join(player);
    tick.joins.push_back(player);
    tick.clients.push_back(client);
    user_data_.push_back(join.rest());
  }
}

void TickLogReader::read_inputs(NumberReader& in, DecodedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 2);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const Player player = gaps.player(in, held_.seats());
    const std::uint32_t head = in.number();
    const std::uint32_t source = head & kSourceMask;
    NumberReader input{in.bytes(head >> kSourceBits)};
    if (in.failed() || source >= kInputSources || !held_.has(player)) return void(in.fail());
    const auto given = static_cast<InputSource>(source);
    if (input.remaining() > 0) {
      tick.record.inputs.push_back({.player = player, .first = tick.record.bytes.size()});
      read_sparse(game_->input, input, tick.record.bytes);
      if (input.failed() || input.remaining() > 0) return void(in.fail());
    } else if (held_.source_of(player) == given) {
      return void(in.fail());
    }
    held_.set(player, given);
  }
}

/// Adds the next leave of the list to the outcomes. Fails: false, if none is left or a join came
/// before.
bool TickLogReader::read_leave(DecodedTick& tick) {
  if (leaves_done_ == tick.leaves.size() || joins_done_ > 0) return false;
  tick.record.outcomes.push_back({.kind = OutcomeKind::Left,
                                  .player = tick.leaves[leaves_done_++],
                                  .first = tick.record.bytes.size()});
  return true;
}

/// Adds the next join of the list to the outcomes. Fails: false, if none is left.
bool TickLogReader::read_join(DecodedTick& tick) {
  if (joins_done_ == tick.joins.size()) return false;
  std::vector<std::byte>& bytes = tick.record.bytes;
  const ConstBytes user = user_data_[joins_done_];
  tick.record.outcomes.push_back({.kind = OutcomeKind::Joined,
                                  .player = tick.joins[joins_done_++],
                                  .first = bytes.size(),
                                  .size = user.size()});
  bytes.insert(bytes.end(), user.begin(), user.end());
  return true;
}

bool TickLogReader::read_outcome(ConstBytes bytes, DecodedTick& tick) {
  NumberReader in{bytes};
  const std::optional<OutcomeHead> head = read_outcome_head(in);
  if (!head) return false;
  const bool is_strike = head->number == OutcomeHead::kStrike;
  const bool decides = head->phase == OutcomePhase::Deciding;
  if (decides && (is_strike || head->is(OutcomeKind::Left) || head->is(OutcomeKind::Joined))) {
    return false;
  }
  const Part part = is_strike ? Part::Strikes : decides ? Part::Deciding : Part::Joining;
  if (part < part_) return false;
  part_ = part;
  if (head->is(OutcomeKind::Left)) return read_leave(tick) && in.remaining() == 0;
  if (head->is(OutcomeKind::Joined)) return read_join(tick) && in.remaining() == 0;
  if (is_strike) {
    read_strike(in, tick.record);
  } else {
    engine::read_outcome(*game_, *head, in, tick.record);
  }
  return !in.failed() && in.remaining() == 0;
}

void TickLogReader::read_outcomes(NumberReader& in, DecodedTick& tick) {
  const std::uint32_t count = in.count(kOutcomesMax, 2);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const ConstBytes outcome = in.bytes(in.number());
    if (in.failed() || !read_outcome(outcome, tick)) return void(in.fail());
  }
}

std::expected<void, LogError> TickLogReader::read(ConstBytes bytes, DecodedTick& tick) {
  tick.record.clear();
  tick.leaves.clear();
  tick.joins.clear();
  tick.clients.clear();
  tick.sources.clear();
  user_data_.clear();
  leaves_done_ = 0;
  joins_done_ = 0;
  part_ = Part::Joining;
  if (bytes.size() > kTickBytesMax) return std::unexpected{LogError::Malformed};
  if (std::ranges::equal(bytes, kIdleTick)) {
    if (held_.players() > 0) return std::unexpected{LogError::Malformed};
    tick.record.is_idle = true;
    return {};
  }
  NumberReader in{bytes};
  const std::uint8_t lists = bytes.empty() ? std::uint8_t{0} : in.fixed<std::uint8_t>();
  if ((lists & ~kListsKnown) != 0 || (lists == 0 && !bytes.empty())) in.fail();
  if ((lists & kHasLeaves) != 0) read_leaves(in, tick);
  if ((lists & kHasJoins) != 0) read_joins(in, tick);
  if ((lists & kHasInputs) != 0) read_inputs(in, tick);
  if ((lists & kHasOutcomes) != 0) read_outcomes(in, tick);
  const bool have_taken_effect =
      leaves_done_ == tick.leaves.size() && joins_done_ == tick.joins.size();
  if (in.failed() || in.remaining() > 0 || !have_taken_effect) {
    return std::unexpected{LogError::Malformed};
  }
  const auto seats = static_cast<std::uint16_t>(held_.seats());
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    if (held_.has({seat})) {
      tick.sources.push_back({.player = {seat}, .source = held_.source_of({seat})});
    }
  }
  return {};
}

}  // namespace tickbox::engine
