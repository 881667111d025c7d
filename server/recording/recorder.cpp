#include "server/recording/recorder.h"

#include "core/assert.h"
#include "engine/keyframe.h"
#include "engine/tick_record.h"
#include "record/room_log.h"

#include <utility>

namespace tickbox::server {
namespace {

record::RoomLogOptions options_of(const Match& match) {
  const engine::World& world = match.world();
  return {.keyframe_bytes = engine::keyframe_bytes_of(world),
          .tick_bytes = engine::tick_bytes_of(world.game(), world.seats().size()),
          .present_hash = [&match] { return match.hash(); }};
}

/// Returns the bytes of a segment in which every seat gives an input in every tick, with one tick
/// in which every player also has outcomes.
std::size_t segment_bytes_of(const Match& match, std::uint32_t tick_rate) {
  constexpr std::size_t kBytesPerSeat = 6;
  const std::size_t ticks = std::size_t{tick_rate} * record::kKeyframeSeconds;
  const record::RoomLogOptions options = options_of(match);
  return options.keyframe_bytes + options.tick_bytes +
         ticks * kBytesPerSeat * (match.world().seats().size() + 1);
}

}  // namespace

Recorder::Recorder(const Match& match, const record::Header& header,
                   std::shared_ptr<LateLogBytes> late)
    : match_(match),
      header_(header),
      log_(header, options_of(match)),
      tail_(std::make_shared<LogTail>(log_.header(), segment_bytes_of(match, header.tick_rate),
                                      std::move(late))) {
  keyframe_.reserve(engine::keyframe_bytes_of(match.world()));
  log_.add(*tail_);
}

void Recorder::begin_segment_if_due() {
  if (!log_.needs_keyframe()) return;
  match_.tick_log().keyframe(match_.world(), match_.hash(), keyframe_);
  log_.keyframe(match_.world().tick, keyframe_);
}

void Recorder::stepping(const engine::TickRequest& request, const engine::TickOrigins& origins) {
  request_ = request;
  origins_ = origins;
  begin_segment_if_due();
  if (!request.is_idle) log_.end_idle();
  in_step_ = true;
}

void Recorder::stepped() {
  TICKBOX_ASSERT(in_step_);
  in_step_ = false;
  log_.tick(match_.encoded_tick());
  if (match_.record().closes_match()) log_.match_ended();
}

void Recorder::finish() {
  log_.flush();
  tail_->end();
}

bool Recorder::write_last_seconds(ByteSink& sink) const {
  record::LogFile file{sink, header_};
  tail_->pass_to(file);
  if (file.stats().keyframes == 0) return false;
  if (in_step_) {
    log_.pass_rest(file, unfinished_tick());
  } else {
    log_.pass_rest(file, std::nullopt);
  }
  return file.finish() && file.stats().records_refused == 0;
}

std::vector<std::byte> Recorder::unfinished_tick() const {
  engine::TickRecord record;
  engine::write_request(match_.world().game(), request_, record);
  engine::TickLog log = match_.tick_log();
  const ConstBytes bytes = log.tick(record, origins_);
  return {bytes.begin(), bytes.end()};
}

}  // namespace tickbox::server
