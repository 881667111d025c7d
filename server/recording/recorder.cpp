#include "server/recording/recorder.h"

#include "engine/keyframe.h"

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

Recorder::Recorder(ByteSink& sink, const record::Header& header, const match::Match& match)
    : Recorder({.sink = &sink, .header = header}, match, {}) {}

Recorder::Recorder(const RecordingPart& first, const match::Match& match, const Rotation& rotation)
    : rotation_(rotation) {
  keyframe_.reserve(engine::keyframe_bytes_of(match.world()));
  begin(first, match);
}

void Recorder::begin(const RecordingPart& part, const match::Match& match) {
  const engine::World& world = match.world();
  writer_.emplace(*part.sink, part.header,
                  record::WriterOptions{
                      .keyframe_bytes = engine::keyframe_bytes_of(world),
                      .tick_bytes = engine::tick_bytes_of(world.game(), world.seats().size())});
  began_ = match.world().tick;
  match_ended_ = false;
  keyframe(match);
}

void Recorder::keyframe(const match::Match& match) {
  match.tick_log().keyframe(match.world(), match.hash(), keyframe_);
  writer_->keyframe(match.world().tick, keyframe_);
}

void Recorder::ticked(const match::Match& match) {
  writer_->tick(match.tick_entry());
  match_ended_ = match_ended_ || match.record().closes_match();
  if (rotation_due(match.world().tick)) {
    if (const auto part = rotation_.store->next()) {
      writer_->finish();
      past_ = sum(past_, writer_->stats());
      rotation_.store->retire();
      begin(*part, match);
      return;
    }
  }
  if (writer_->needs_keyframe()) keyframe(match);
}

bool Recorder::rotation_due(Tick now) const {
  if (rotation_.store == nullptr) return false;
  const auto ticks = static_cast<std::uint32_t>(now - began_);
  return match_ended_ || (rotation_.ticks != 0 && ticks >= rotation_.ticks) ||
         (rotation_.bytes != 0 && writer_->stats().bytes >= rotation_.bytes);
}

record::WriterStats Recorder::stats() const {
  return sum(past_, writer_->stats());
}

}  // namespace tickbox::server
