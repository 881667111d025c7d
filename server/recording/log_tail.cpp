#include "server/recording/log_tail.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::server {

/// Only the log's thread changes the segments, under the lock: it reads them without. A failed
/// assertion can need them at any moment, so they stay valid throughout.
struct Follower::Shared {
  struct Segment {
    std::uint32_t number = 0;
    std::vector<std::byte> bytes;  ///< whole records, the first a keyframe
  };

  record::Header header;
  std::mutex mutex;
  std::array<Segment, 2> segments;
  std::size_t filling = 0;  ///< index of the newest segment
  bool has_ended = false;
  std::vector<Follower*> followers;

  [[nodiscard]] const Segment& newest() const { return segments[filling]; }

  [[nodiscard]] const Segment& before() const { return segments[1 - filling]; }
};

Follower::Follower(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Follower::~Follower() {
  const std::scoped_lock lock{shared_->mutex};
  std::erase(shared_->followers, this);
}

void Follower::append(ConstBytes bytes) {
  if (is_too_slow_) return;
  is_too_slow_ = waiting_.size() + bytes.size() > limit_;
  if (!is_too_slow_) waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

Follower::State Follower::take(std::vector<std::byte>& out) {
  out.clear();
  out.reserve(limit_);  // not under the lock: the log's thread may wait for it
  const std::scoped_lock lock{shared_->mutex};
  std::swap(waiting_, out);
  if (is_too_slow_) return State::TooSlow;
  return shared_->has_ended ? State::Ended : State::Live;
}

bool Follower::is_too_slow() const {
  const std::scoped_lock lock{shared_->mutex};
  return is_too_slow_;
}

LogTail::LogTail(const record::Header& header, std::size_t segment_bytes)
    : shared_(std::make_shared<Follower::Shared>()) {
  shared_->header = header;
  shared_->followers.reserve(kFollowersMax);
  for (Follower::Shared::Segment& segment : shared_->segments) {
    segment.bytes.reserve(segment_bytes);
  }
}

LogTail::~LogTail() {
  end();
}

void LogTail::take(const record::LogRecord& record) {
  Follower::Shared& shared = *shared_;
  const std::scoped_lock lock{shared.mutex};
  if (record.head.type == record::RecordType::Keyframe) {
    shared.filling = 1 - shared.filling;
    Follower::Shared::Segment& next = shared.segments[shared.filling];
    next.number = record.head.count;
    next.bytes.clear();
  }
  std::vector<std::byte>& newest = shared.segments[shared.filling].bytes;
  newest.insert(newest.end(), record.bytes.begin(), record.bytes.end());
  for (Follower* follower : shared.followers) {
    follower->append(record.bytes);
  }
}

void LogTail::end() {
  const std::scoped_lock lock{shared_->mutex};
  shared_->has_ended = true;
}

std::size_t LogTail::followers() const {
  const std::scoped_lock lock{shared_->mutex};
  return shared_->followers.size();
}

void LogTail::pass_to(record::Sink& sink) const {
  for (const auto* segment : {&shared_->before(), &shared_->newest()}) {
    for (ConstBytes rest{segment->bytes}; !rest.empty();) {
      const auto head = record::load_head(rest);
      const ConstBytes bytes = rest.first(record::record_bytes(*head));
      sink.take({.head = *head, .bytes = bytes});
      rest = rest.subspan(bytes.size());
    }
  }
}

std::unique_ptr<Follower> LogTail::follow() const {
  std::unique_ptr<Follower> follower{new Follower{shared_}};
  Follower::Shared& shared = *shared_;
  const std::scoped_lock lock{shared.mutex};
  const auto& newest = shared.newest();
  if (shared.followers.size() == kFollowersMax) return nullptr;
  const auto& first = shared.before().bytes.empty() ? newest : shared.before();
  record::Header header = shared.header;
  header.first_segment = first.number;
  const auto header_bytes = record::encode_header(header);
  std::vector<std::byte>& waiting = follower->waiting_;
  follower->limit_ =
      header_bytes.size() + shared.before().bytes.size() + newest.bytes.size() + kFollowerBytesMax;
  waiting.reserve(follower->limit_);
  follower->append(header_bytes);
  for (const auto* segment : {&shared.before(), &newest}) {
    follower->append(segment->bytes);
  }
  shared.followers.push_back(follower.get());
  return follower;
}

}  // namespace tickbox::server
