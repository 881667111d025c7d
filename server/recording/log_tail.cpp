#include "server/recording/log_tail.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::server {

/// Only the log's thread changes the stretches, under the lock: it reads them without. A failed
/// assertion can need them at any moment, so they stay valid throughout.
struct Follower::Shared {
  struct Stretch {
    std::uint32_t segment = 0;  ///< number of the first
    Tick began;
    std::vector<std::byte> bytes;  ///< whole records, the first a keyframe
  };

  record::Header header;
  std::mutex mutex;
  std::array<Stretch, 2> stretches;
  std::size_t filling = 0;  ///< index of the newest
  bool has_ended = false;
  std::vector<Follower*> followers;

  [[nodiscard]] const Stretch& newest() const { return stretches[filling]; }

  [[nodiscard]] const Stretch& before() const { return stretches[1 - filling]; }

  /// Returns whether a keyframe of this tick begins a stretch.
  [[nodiscard]] bool begins_stretch(Tick keyframe) const {
    const std::int64_t ticks = std::int64_t{header.tick_rate} * record::kKeyframeSeconds;
    return newest().bytes.empty() || keyframe - newest().began >= ticks;
  }
};

Follower::Follower(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Follower::~Follower() {
  const std::scoped_lock lock{shared_->mutex};
  std::erase(shared_->followers, this);
}

void Follower::append(ConstBytes bytes) {
  if (is_too_slow_) return;
  is_too_slow_ = !waiting_.empty() && waiting_.size() + bytes.size() > limit_;
  if (!is_too_slow_) waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

Follower::State Follower::read(std::vector<std::byte>& out) {
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

LogTail::LogTail(const record::Header& header, std::size_t stretch_bytes)
    : shared_(std::make_shared<Follower::Shared>()) {
  shared_->header = header;
  shared_->followers.reserve(kFollowersMax);
  for (Follower::Shared::Stretch& stretch : shared_->stretches) {
    stretch.bytes.reserve(stretch_bytes);
  }
}

LogTail::~LogTail() {
  end();
}

void LogTail::append(const record::LogRecord& record) {
  Follower::Shared& shared = *shared_;
  const std::scoped_lock lock{shared.mutex};
  const bool is_keyframe = record.head.type == record::RecordType::Keyframe;
  if (is_keyframe && shared.begins_stretch(record.head.tick)) {
    shared.filling = 1 - shared.filling;
    Follower::Shared::Stretch& next = shared.stretches[shared.filling];
    next.segment = record.head.count;
    next.began = record.head.tick;
    next.bytes.clear();
  }
  std::vector<std::byte>& newest = shared.stretches[shared.filling].bytes;
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
  for (const auto* stretch : {&shared_->before(), &shared_->newest()}) {
    for (ConstBytes rest{stretch->bytes}; !rest.empty();) {
      const auto head = record::load_head(rest);
      const ConstBytes bytes = rest.first(record::record_bytes(*head));
      sink.append({.head = *head, .bytes = bytes});
      rest = rest.subspan(bytes.size());
    }
  }
}

std::unique_ptr<Follower> LogTail::follow() const {
  std::unique_ptr<Follower> follower{new Follower{shared_}};
  Follower::Shared& shared = *shared_;
  std::vector<std::byte>& waiting = follower->waiting_;
  const auto bytes_now = [&shared] {
    return record::kFileHeaderBytes + shared.before().bytes.size() + shared.newest().bytes.size();
  };
  std::unique_lock lock{shared.mutex};
  while (waiting.capacity() < bytes_now() + kFollowerBytesMax) {
    const std::size_t bytes = 2 * bytes_now() + kFollowerBytesMax;
    lock.unlock();  // the log's thread may wait for it
    waiting.resize(bytes);
    lock.lock();
  }
  waiting.clear();
  if (shared.followers.size() == kFollowersMax) return nullptr;
  follower->limit_ = bytes_now() + kFollowerBytesMax;
  record::Header header = shared.header;
  const bool is_first = shared.before().bytes.empty();
  header.first_segment = (is_first ? shared.newest() : shared.before()).segment;
  follower->append(record::encode_header(header));
  for (const auto* stretch : {&shared.before(), &shared.newest()}) {
    follower->append(stretch->bytes);
  }
  shared.followers.push_back(follower.get());
  return follower;
}

}  // namespace tickbox::server
