#include "server/recording/recorder.h"

namespace tickbox::server {
namespace {

record::WriterStats sum(const record::WriterStats& a, const record::WriterStats& b) {
  return {.records = a.records + b.records,
          .bytes = a.bytes + b.bytes,
          .records_refused = a.records_refused + b.records_refused,
          .ticks_recorded = a.ticks_recorded + b.ticks_recorded,
          .ticks_lost = a.ticks_lost + b.ticks_lost,
          .keyframes = a.keyframes + b.keyframes,
          .gaps = a.gaps + b.gaps};
}

}  // namespace

Recorder::Recorder(ByteSink& sink, const record::Header& header, const Room& room)
    : Recorder({.sink = &sink, .header = header}, room, {}) {}

Recorder::Recorder(const RecordingPart& first, const Room& room, const Rotation& rotation)
    : rotation_(rotation) {
  keyframe_.reserve(game::keyframe_bytes_of(room.world()));
  begin(first, room);
}

void Recorder::begin(const RecordingPart& part, const Room& room) {
  writer_.emplace(*part.sink, part.header);
  began_ = room.world().tick;
  keyframe(room);
}

void Recorder::keyframe(const Room& room) {
  room.log().keyframe(room.world(), room.hash(), keyframe_);
  writer_->keyframe(room.world().tick, keyframe_);
}

void Recorder::ticked(const Room& room) {
  writer_->tick(room.log_entry());
  if (rotation_due(room.world().tick)) {
    if (const auto part = rotation_.store->next()) {
      writer_->finish();
      past_ = sum(past_, writer_->stats());
      rotation_.store->retire();
      begin(*part, room);
      return;
    }
  }
  if (writer_->needs_keyframe()) keyframe(room);
}

bool Recorder::rotation_due(Tick now) const {
  if (rotation_.store == nullptr) return false;
  const auto ticks = static_cast<std::uint32_t>(now - began_);
  return (rotation_.ticks != 0 && ticks >= rotation_.ticks) ||
         (rotation_.bytes != 0 && writer_->stats().bytes >= rotation_.bytes);
}

record::WriterStats Recorder::stats() const {
  return sum(past_, writer_->stats());
}

}  // namespace tickbox::server
