#include "client/spectator/segments.h"

#include "core/assert.h"

namespace tickbox::client {

Segments::Taken Segments::take(const protocol::AuditSegment& segment) {
  const auto runs_ahead = static_cast<std::int8_t>(segment.head.run - run_);
  if (has_run_ && runs_ahead < 0) return Taken::Useless;
  const bool begins_run = !has_run_ || runs_ahead > 0;
  const std::uint64_t number =
      protocol::expand_segment(segment.head.segment, begins_run ? 0 : next_);
  // A number before the first one wraps to the far end.
  if (number - (begins_run ? 0 : next_) >= protocol::kAuditWindow) return Taken::Useless;
  if (begins_run) begin(segment.head.run);
  if (came_.find(number) != nullptr) return Taken::Useless;
  came_.insert(number) = segment.bytes;
  while (const SegmentBytes* next = came_.find(next_)) {
    bytes_.insert(bytes_.end(), next->begin(), next->end());
    ++next_;
  }
  return begins_run ? Taken::BeginsRun : Taken::Stored;
}

void Segments::begin(std::uint8_t run) {
  has_run_ = true;
  run_ = run;
  next_ = 0;
  bytes_.clear();
  came_.clear();
}

void Segments::drop(std::size_t count) {
  TICKBOX_ASSERT(count <= bytes_.size());
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
}

protocol::AuditAck Segments::ack() const {
  protocol::AuditAck ack{.next = static_cast<std::uint16_t>(next_ & 0xffff), .run = run_};
  for (std::uint64_t i = 0; i + 1 < protocol::kAuditWindow; ++i) {
    if (came_.find(next_ + 1 + i) != nullptr) ack.bits |= std::uint64_t{1} << i;
  }
  return ack;
}

}  // namespace tickbox::client
