#include "server/recording/black_box.h"

#include "core/assert.h"
#include "server/recording/recorder.h"

namespace tickbox::server {
namespace {

/// How often a seat may come, go and be struck on average in a stretch before the next begins
/// early.
constexpr std::size_t kTurnsPerSeat = 8;

template <class T>
bool has_room(const std::vector<T>& list, std::size_t more) {
  return list.capacity() - list.size() >= more;
}

template <class T>
void append(std::vector<T>& list, std::span<const T> more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// The next `count` of a list.
template <class T>
std::span<const T> take(std::span<const T>& list, std::uint32_t count) {
  const std::span<const T> taken = list.first(count);
  list = list.subspan(count);
  return taken;
}

}  // namespace

BlackBox::BlackBox(const Room& room, std::uint32_t tick_rate)
    : ticks_max_(std::size_t{tick_rate} * kBlackBoxSeconds) {
  const std::size_t seats = room.world().seats().size();
  for (Stretch& stretch : stretches_) {
    stretch.ticks.reserve(ticks_max_);
    stretch.leaves.reserve(seats * kTurnsPerSeat);
    stretch.joins.reserve(seats * kTurnsPerSeat);
    stretch.inputs.reserve(seats * ticks_max_);
    stretch.sources.reserve(seats * ticks_max_);
    stretch.strikes.reserve(seats * kTurnsPerSeat);
  }
}

bool BlackBox::fits(const Stretch& stretch, const game::TickCommands& commands) const {
  return stretch.ticks.size() < ticks_max_ && has_room(stretch.leaves, commands.leaves.size()) &&
         has_room(stretch.joins, commands.joins.size()) &&
         has_room(stretch.inputs, commands.inputs.size()) &&
         has_room(stretch.strikes, commands.strikes.size());
}

void BlackBox::begin_stretch(const game::World& world) {
  filling_ = 1 - filling_;
  Stretch& stretch = stretches_[filling_];
  stretch.ticks.clear();
  stretch.leaves.clear();
  stretch.joins.clear();
  stretch.inputs.clear();
  stretch.sources.clear();
  stretch.strikes.clear();
  stretch.world = world;
}

void BlackBox::stepping(const Room& room, const game::TickCommands& commands,
                        std::span<const InputSource> sources) {
  if (!stretches_[filling_].world || !fits(stretches_[filling_], commands)) {
    begin_stretch(room.world());
  }
  Stretch& stretch = stretches_[filling_];
  TICKBOX_ASSERT(fits(stretch, commands));
  stretch.ticks.push_back({.leaves = static_cast<std::uint32_t>(commands.leaves.size()),
                           .joins = static_cast<std::uint32_t>(commands.joins.size()),
                           .inputs = static_cast<std::uint32_t>(commands.inputs.size()),
                           .strikes = static_cast<std::uint32_t>(commands.strikes.size())});
  append(stretch.leaves, commands.leaves);
  append(stretch.joins, commands.joins);
  append(stretch.inputs, commands.inputs);
  append(stretch.strikes, commands.strikes);
  for (const InputSource source : sources) {
    stretch.sources.push_back(recorded(source));
  }
  in_step_ = true;
}

void BlackBox::stepped(const Room& room) {
  stretches_[filling_].ticks.back().hash = room.hash();
  in_step_ = false;
}

bool BlackBox::write(ByteSink& sink, const record::Header& header) const {
  record::Writer writer{sink, header};
  const Stretch& before = stretches_[1 - filling_];
  if (before.world && !write(writer, before)) return false;
  const Stretch& last = stretches_[filling_];
  if (!last.world || !write(writer, last)) return false;
  return (in_step_ || writer.finish()) && writer.stats().records_refused == 0;
}

/// The last tick of the stretch that fills is the one that may be in its step.
bool BlackBox::write(record::Writer& writer, const Stretch& stretch) const {
  writer.keyframe(*stretch.world);
  Tick tick = stretch.world->tick;
  std::span<const PlayerId> leaves{stretch.leaves};
  std::span<const PlayerId> joins{stretch.joins};
  std::span<const game::PlayerInput> inputs{stretch.inputs};
  std::span<const record::InputSource> sources{stretch.sources};
  std::span<const game::Strike> strikes{stretch.strikes};
  for (const TickEntry& entry : stretch.ticks) {
    tick = tick + 1;
    const game::TickCommands commands{.leaves = take(leaves, entry.leaves),
                                      .joins = take(joins, entry.joins),
                                      .inputs = take(inputs, entry.inputs),
                                      .strikes = take(strikes, entry.strikes)};
    const auto source = take(sources, entry.inputs);
    const bool ended =
        !in_step_ || &stretch != &stretches_[filling_] || &entry != &stretch.ticks.back();
    if (!ended) return writer.unfinished(tick, commands, source);
    writer.tick(tick, commands, source, entry.hash);
  }
  return true;
}

}  // namespace tickbox::server
