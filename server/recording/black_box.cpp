#include "server/recording/black_box.h"

#include "core/assert.h"
#include "engine/keyframe.h"
#include "engine/log/request_record.h"

namespace tickbox::server {

BlackBox::BlackBox(const match::Match& match, std::uint32_t tick_rate)
    : ticks_max_(std::size_t{tick_rate} * kBlackBoxSeconds),
      tick_bytes_(engine::tick_bytes_of(match.world().game(), match.world().seats().size())) {
  // An input of every seat in every tick, and one tick in which every player also has outcomes.
  constexpr std::size_t kBytesPerSeat = 6;
  const std::size_t seats = match.world().seats().size();
  for (Stretch& stretch : stretches_) {
    stretch.keyframe.reserve(engine::keyframe_bytes_of(match.world()));
    stretch.ticks.reserve(ticks_max_);
    stretch.bytes.reserve(ticks_max_ * kBytesPerSeat * (seats + 1) + tick_bytes_);
  }
}

bool BlackBox::is_full(const Stretch& stretch) const {
  return stretch.ticks.size() == ticks_max_ ||
         stretch.bytes.capacity() - stretch.bytes.size() < tick_bytes_;
}

void BlackBox::stepping(const match::Match& match, const RequestedTick& requested) {
  match_ = &match;
  requested_ = requested;
  if (!stretches_[filling_].begin || is_full(stretches_[filling_])) {
    // A failed assertion can need the contents at any moment, so they stay valid throughout.
    Stretch& next = stretches_[1 - filling_];
    next.begin.reset();
    next.ticks.clear();
    next.bytes.clear();
    match.tick_log().keyframe(match.world(), match.hash(), next.keyframe);
    next.begin = match.world().tick;
    filling_ = 1 - filling_;
  }
  in_step_ = true;
}

void BlackBox::stepped(const match::Match& match) {
  Stretch& stretch = stretches_[filling_];
  TICKBOX_ASSERT(stretch.begin && in_step_);
  const engine::TickEntry tick = match.tick_entry();
  stretch.bytes.insert(stretch.bytes.end(), tick.bytes.begin(), tick.bytes.end());
  stretch.ticks.push_back(
      {.state_hash = tick.state_hash, .bytes = tick.bytes.size(), .is_quiet = tick.is_quiet});
  in_step_ = false;
}

bool BlackBox::write(ByteSink& sink, const record::Header& header) const {
  record::Writer writer{sink, header};
  const Stretch& before = stretches_[1 - filling_];
  if (before.begin && !write_stretch(writer, before)) return false;
  const Stretch& last = stretches_[filling_];
  if (!last.begin || !write_stretch(writer, last)) return false;
  const bool has_end = in_step_ ? write_unfinished(writer) : writer.finish();
  return has_end && writer.stats().records_refused == 0;
}

bool BlackBox::write_stretch(record::Writer& writer, const Stretch& stretch) const {
  writer.keyframe(*stretch.begin, stretch.keyframe);
  Tick tick = *stretch.begin;
  ConstBytes rest{stretch.bytes};
  for (const Entry& entry : stretch.ticks) {
    tick = tick + 1;
    const ConstBytes bytes = rest.first(entry.bytes);
    rest = rest.subspan(entry.bytes);
    writer.tick(
        {.tick = tick, .bytes = bytes, .state_hash = entry.state_hash, .is_quiet = entry.is_quiet});
  }
  return true;
}

bool BlackBox::write_unfinished(record::Writer& writer) const {
  engine::TickRecord record;
  engine::write_request(match_->world().game(), requested_.request, record);
  engine::TickLog log = match_->tick_log();
  const Tick tick = log.last() + 1;
  return writer.unfinished(tick, log.tick(record, requested_.origins));
}

}  // namespace tickbox::server
