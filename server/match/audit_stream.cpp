#include "server/match/audit_stream.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::match {
namespace {

/// The timeout before anything has arrived; then the smallest and the largest timeout.
constexpr Duration kFirstTimeout = std::chrono::milliseconds{250};
constexpr Duration kTimeoutMin = std::chrono::milliseconds{50};
constexpr Duration kTimeoutMax = std::chrono::seconds{1};

/// How many times the timeout doubles at most while the auditor is silent.
constexpr std::uint32_t kDoublingsMax = 3;

/// Bytes cut from the front of the backlog before the rest is moved to the front.
constexpr std::size_t kCutBytesMax = std::size_t{16} * 1024;

/// The size of an entry with only a hash: its length and the hash.
constexpr std::size_t kQuietEntryBytes = 1 + sizeof(std::uint64_t);

}  // namespace

void AuditStream::RoundTrip::add(Duration sample) {
  if (!smoothed) {
    smoothed = sample;
    variation = sample / 2;
    return;
  }
  const Duration off = sample > *smoothed ? sample - *smoothed : *smoothed - sample;
  variation += (off - variation) / 4;
  *smoothed += (sample - *smoothed) / 8;
}

Duration AuditStream::RoundTrip::timeout() const {
  return smoothed ? std::clamp(*smoothed + 4 * variation, kTimeoutMin, kTimeoutMax) : kFirstTimeout;
}

Duration AuditStream::RoundTrip::usual() const {
  return smoothed ? *smoothed + std::max(*smoothed / 8, variation) : kFirstTimeout;
}

AuditStream::AuditStream(std::uint32_t tick_rate) : behind_max_(kAuditBehindSeconds * tick_rate) {
  TICKBOX_ASSERT(behind_max_ < kAuditEndsKept);
}

void AuditStream::begin(ConstBytes keyframe, Tick tick) {
  ++run_;
  is_running_ = true;
  backlog_max_ = keyframe.size() + kAuditBacklogBytes;
  backlog_.reserve(backlog_max_ + kCutBytesMax);
  backlog_.assign(keyframe.begin(), keyframe.end());
  cut_bytes_ = 0;
  has_news_ = true;
  newest_ = tick;
  cut_at_ = tick;
  keyframe_arrived_ = std::nullopt;
  written_ = keyframe.size();
  keyframe_end_ = written_;
  arrived_ = 0;
  ends_.clear();
  oldest_ = 0;
  next_ = 0;
  sent_.clear();
  repeats_ = 0;
}

bool AuditStream::append(ConstBytes entry, Tick tick) {
  TICKBOX_ASSERT(is_running_ && tick == newest_ + 1);
  newest_ = tick;
  const std::size_t waiting = backlog_.size() - cut_bytes_;
  if (waiting + entry.size() > backlog_max_ || is_behind()) {
    is_running_ = false;
    return false;
  }
  if (cut_bytes_ > kCutBytesMax) {
    backlog_.erase(backlog_.begin(), backlog_.begin() + static_cast<std::ptrdiff_t>(cut_bytes_));
    cut_bytes_ = 0;
  }
  backlog_.insert(backlog_.end(), entry.begin(), entry.end());
  has_news_ = has_news_ || entry.size() > kQuietEntryBytes;
  written_ += entry.size();
  ends_.insert(tick) = written_;
  return true;
}

/// Only an auditor that has the keyframe can be behind: how long the keyframe takes depends on the
/// byte budget.
bool AuditStream::is_behind() const {
  if (!keyframe_arrived_ || newest_ - *keyframe_arrived_ <= std::int64_t{behind_max_}) return false;
  return ends_.at({newest_.value - behind_max_}) > arrived_;
}

bool AuditStream::acknowledge(const protocol::AuditAck& ack, Instant now) {
  const std::uint64_t first_missing = protocol::expand_segment(ack.next, oldest_);
  if (!is_running_ || ack.run != run() || first_missing < oldest_ || first_missing > next_) {
    return false;
  }
  repeats_ = 0;
  for (std::uint64_t segment = oldest_; segment < first_missing; ++segment) {
    note_arrival(sent_.at(segment), now);
  }
  for (std::uint64_t i = 0; i < protocol::kAuditWindow && first_missing + 1 + i < next_; ++i) {
    if ((ack.bits >> i & 1) != 0) note_arrival(sent_.at(first_missing + 1 + i), now);
  }
  if (first_missing > oldest_) arrived_ = sent_.at(first_missing - 1).end;
  oldest_ = first_missing;
  if (!keyframe_arrived_ && arrived_ >= keyframe_end_) keyframe_arrived_ = newest_;
  return true;
}

void AuditStream::note_arrival(Sent& sent, Instant now) {
  if (sent.has_arrived) return;
  sent.has_arrived = true;
  newest_arrival_ = std::max(newest_arrival_, sent.order);
  // If a segment was sent twice, the acknowledgement does not show which one arrived.
  if (sent.times == 1) round_trip_.add(now - sent.at);
}

bool AuditStream::is_lost(const Sent& sent, Instant now) const {
  if (sent.has_arrived) return false;
  const Duration passed = now - sent.at;
  if (&sent == sent_.find(oldest_)) {
    const std::uint32_t doublings = std::min(repeats_, kDoublingsMax);
    if (passed >= round_trip_.timeout() * (1U << doublings)) return true;
  }
  return sent.order < newest_arrival_ && passed >= round_trip_.usual();
}

std::optional<AuditStream::Piece> AuditStream::next(Cut cut, Instant now) {
  if (!is_running_) return std::nullopt;
  for (std::uint64_t segment = oldest_; segment < next_; ++segment) {
    if (!is_lost(sent_.at(segment), now)) continue;
    if (segment == oldest_) ++repeats_;
    return send(segment, now);
  }
  const std::size_t waiting = backlog_.size() - cut_bytes_;
  const bool is_worth_it = waiting >= protocol::kAuditSegmentBytesMax || cut == Cut::All;
  if (waiting == 0 || !is_worth_it || next_ - oldest_ == protocol::kAuditWindow)
    return std::nullopt;
  cut_next();
  return send(next_ - 1, now);
}

void AuditStream::cut_next() {
  const std::size_t size =
      std::min(backlog_.size() - cut_bytes_, std::size_t{protocol::kAuditSegmentBytesMax});
  Sent& sent = sent_.insert(next_);
  ++next_;
  sent.bytes.clear();
  for (const std::byte byte : ConstBytes{backlog_}.subspan(cut_bytes_, size)) {
    sent.bytes.push_back(byte);
  }
  cut_bytes_ += size;
  sent.end = written_ - (backlog_.size() - cut_bytes_);
  sent.times = 0;
  sent.has_arrived = false;
  if (cut_bytes_ == backlog_.size()) {
    backlog_.clear();
    cut_bytes_ = 0;
    has_news_ = false;
    cut_at_ = newest_;
  }
}

AuditStream::Piece AuditStream::send(std::uint64_t segment, Instant now) {
  Sent& sent = sent_.at(segment);
  ++sent.times;
  sent.at = now;
  sent.order = ++sendings_;
  return {.run = run(),
          .segment = static_cast<std::uint16_t>(segment & 0xffff),
          .bytes = {sent.bytes.data(), sent.bytes.size()},
          .is_again = sent.times > 1};
}

}  // namespace tickbox::match
