#include "client/commands/replay/recording_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr const char* kAbsent = "absent";

std::string text_of(const game::PlayerInput& each) {
  return fmt::format("move {} buttons {} aim {} look_back {}", each.input.move, each.input.buttons,
                     each.input.aim, each.input.look_back);
}

std::string text_of(const game::Strike& strike) {
  return fmt::format("at {}", strike.victim.value);
}

std::string text_of(PlayerId /*seat*/) {
  return "there";
}

/// The first entry in which two lists in the order of seats differ.
template <class Entry, class Seat>
std::optional<CommandDifference> first_of(const char* kind, std::span<const Entry> a,
                                          std::span<const Entry> b, Seat seat) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  const bool has_a = in_a != a.end();
  const bool has_b = in_b != b.end();
  if (!has_a && !has_b) {
    return std::nullopt;
  }
  const PlayerId of_a = has_a ? std::invoke(seat, *in_a) : PlayerId{};
  const PlayerId of_b = has_b ? std::invoke(seat, *in_b) : PlayerId{};
  const bool a_is_first = has_a && (!has_b || of_a <= of_b);
  const bool b_is_first = has_b && (!has_a || of_b <= of_a);
  return CommandDifference{.tick = {},
                           .kind = kind,
                           .seat = a_is_first ? of_a : of_b,
                           .a = a_is_first ? text_of(*in_a) : kAbsent,
                           .b = b_is_first ? text_of(*in_b) : kAbsent};
}

std::optional<CommandDifference> first_command(const record::RecordedTick& a,
                                               const record::RecordedTick& b) {
  auto found = first_of<PlayerId>("leave", a.leaves, b.leaves, std::identity{});
  if (!found) found = first_of<PlayerId>("join", a.joins, b.joins, std::identity{});
  if (!found) {
    found = first_of<game::PlayerInput>("input", a.inputs, b.inputs, &game::PlayerInput::player);
  }
  if (!found) {
    found = first_of<game::Strike>("strike", a.strikes, b.strikes, &game::Strike::shooter);
  }
  if (found) found->tick = a.tick;
  return found;
}

record::Keyframe keyframe_of(const game::World& world) {
  record::Keyframe keyframe{.tick = world.tick, .random = world.rng.state()};
  keyframe.seats.assign(world.seats().begin(), world.seats().end());
  for (std::size_t i = 0; i < world.size(); ++i) {
    keyframe.entities.push_back(world.entity(i));
  }
  return keyframe;
}

/// A replayer, and what it has gone through.
class Side {
 public:
  Side(record::Replayer& replayer, std::optional<TickRange>& range)
      : replayer_(replayer), range_(range) {}

  bool next() {
    if (!replayer_.next()) return false;
    const Tick tick = replayer_.world().tick;
    if (!range_) range_ = TickRange{.first = tick, .last = tick};
    range_->last = tick;
    return true;
  }

  [[nodiscard]] const record::Replayer& at() const { return replayer_; }

  [[nodiscard]] Tick tick() const { return replayer_.world().tick; }

 private:
  record::Replayer& replayer_;
  std::optional<TickRange>& range_;
};

/// One tick that both hold. True where their worlds differ.
bool compare(const Side& a, const Side& b, RecordingDiff& diff) {
  ++diff.ticks;
  if (!diff.command && a.at().commands() != nullptr && b.at().commands() != nullptr) {
    diff.command = first_command(*a.at().commands(), *b.at().commands());
  }
  if (a.at().hash() == b.at().hash()) {
    return false;
  }
  diff.tick = a.tick();
  diff.what = record::first_difference(keyframe_of(a.at().world()), b.at().world())
                  .value_or(record::hash_difference(a.at().hash(), b.at().hash()));
  return true;
}

}  // namespace

RecordingDiff diff(record::Replayer& a, record::Replayer& b, const std::function<bool()>& stopped) {
  RecordingDiff found;
  const auto goes_on = [&] {
    found.interrupted = found.interrupted || stopped();
    return !found.interrupted;
  };
  Side left{a, found.a};
  Side right{b, found.b};
  bool has_a = left.next();
  bool has_b = right.next();
  while (has_a && has_b && goes_on()) {
    if (left.tick() < right.tick()) {
      has_a = left.next();
    } else if (right.tick() < left.tick()) {
      has_b = right.next();
    } else {
      if (compare(left, right, found)) break;
      has_a = left.next();
      has_b = right.next();
    }
  }
  // To their ends, where nothing differed: then the ranges are the whole ones.
  while (found.same() && has_a && goes_on())
    has_a = left.next();
  while (found.same() && has_b && goes_on())
    has_b = right.next();
  found.damages_a = a.damages();
  found.damages_b = b.damages();
  return found;
}

}  // namespace tickbox::commands
