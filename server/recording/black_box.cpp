#include "server/recording/black_box.h"

#include "core/assert.h"

namespace tickbox::server {

BlackBox::BlackBox(const Room& room, std::uint32_t tick_rate)
    : ticks_max_(std::size_t{tick_rate} * kBlackBoxSeconds),
      tick_bytes_max_(game::tick_bytes_max(room.world().seats().size())) {
  // Stick and button of every seat in every tick, and one tick of the largest size.
  constexpr std::size_t kBytesPerSeat = 6;
  const std::size_t seats = room.world().seats().size();
  for (Stretch& stretch : stretches_) {
    stretch.keyframe.reserve(game::keyframe_bytes_of(room.world()));
    stretch.ticks.reserve(ticks_max_);
    stretch.bytes.reserve(ticks_max_ * kBytesPerSeat * (seats + 1) + tick_bytes_max_);
  }
}

bool BlackBox::is_full(const Stretch& stretch) const {
  return stretch.ticks.size() == ticks_max_ ||
         stretch.bytes.capacity() - stretch.bytes.size() < tick_bytes_max_;
}

void BlackBox::prepare(const Room& room) {
  if (stretches_[filling_].begin && !is_full(stretches_[filling_])) return;
  // A failed assertion can need the contents at any moment, so they stay valid throughout.
  Stretch& next = stretches_[1 - filling_];
  next.begin.reset();
  next.ticks.clear();
  next.bytes.clear();
  room.log().keyframe(room.world(), room.hash(), next.keyframe);
  next.begin = room.world().tick;
  filling_ = 1 - filling_;
}

void BlackBox::stepping(const game::TickLog& log) {
  Stretch& stretch = stretches_[filling_];
  TICKBOX_ASSERT(stretch.begin && !is_full(stretch));
  const ConstBytes bytes = log.bytes();
  stretch.ticks.push_back({.bytes = bytes.size(), .is_quiet = log.is_quiet()});
  stretch.bytes.insert(stretch.bytes.end(), bytes.begin(), bytes.end());
  in_step_ = true;
}

void BlackBox::stepped(const Room& room) {
  stretches_[filling_].ticks.back().state_hash = room.hash();
  in_step_ = false;
}

bool BlackBox::write(ByteSink& sink, const record::Header& header) const {
  record::Writer writer{sink, header};
  const Stretch& before = stretches_[1 - filling_];
  if (before.begin && !write(writer, before)) return false;
  const Stretch& last = stretches_[filling_];
  if (!last.begin || !write(writer, last)) return false;
  return (in_step_ || writer.finish()) && writer.stats().records_refused == 0;
}

/// Writes one stretch. Only the last tick of the stretch being filled can be in its step.
bool BlackBox::write(record::Writer& writer, const Stretch& stretch) const {
  writer.keyframe(*stretch.begin, stretch.keyframe);
  Tick tick = *stretch.begin;
  ConstBytes rest{stretch.bytes};
  for (const Entry& entry : stretch.ticks) {
    tick = tick + 1;
    const ConstBytes bytes = rest.first(entry.bytes);
    rest = rest.subspan(entry.bytes);
    const bool ended =
        !in_step_ || &stretch != &stretches_[filling_] || &entry != &stretch.ticks.back();
    if (!ended) return writer.unfinished(tick, bytes);
    writer.tick(
        {.tick = tick, .bytes = bytes, .state_hash = entry.state_hash, .is_quiet = entry.is_quiet});
  }
  return true;
}

}  // namespace tickbox::server
