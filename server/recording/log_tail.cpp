#include "server/recording/log_tail.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace tickbox::server {

struct Follower::Stretch {
  std::uint32_t segment = 0;  ///< number of the first
  Tick began;
  std::vector<std::byte> bytes{};  ///< whole records, the first a keyframe
};

/// Only the log's thread changes the last two stretches, under the lock: it reads them without. A
/// failed assertion can need them at any moment, so they stay valid throughout.
struct Follower::Shared {
  record::Header header;
  std::size_t stretch_bytes = 0;
  std::shared_ptr<LateLogBytes> late_left;
  std::mutex mutex;
  std::list<Stretch> stretches{2};  ///< the newest last
  std::int64_t late_bytes = 0;      ///< of those before the last two
  std::uint64_t logged = 0;         ///< bytes of the log so far
  bool has_ended = false;
  std::vector<Follower*> followers;

  [[nodiscard]] Stretch& newest() { return stretches.back(); }

  [[nodiscard]] std::list<Stretch>::iterator before() { return std::prev(stretches.end(), 2); }

  /// Returns whether a keyframe of this tick begins a stretch.
  [[nodiscard]] bool begins_stretch(Tick keyframe) {
    const std::int64_t ticks = std::int64_t{header.tick_rate} * record::kKeyframeSeconds;
    return newest().bytes.empty() || keyframe - newest().began >= ticks;
  }

  [[nodiscard]] bool is_oldest_read() {
    return std::ranges::any_of(
        followers, [this](const Follower* each) { return each->stretch_ == stretches.begin(); });
  }

  void add_late_bytes(std::int64_t bytes) {
    late_bytes += bytes;
    *late_left -= bytes;
  }

  void remove_oldest() {
    for (Follower* each : followers) {
      if (each->stretch_ == stretches.begin()) each->stretch_ = stretches.end();
    }
    add_late_bytes(-std::ssize(stretches.front().bytes));
    stretches.pop_front();
  }

  /// Removes the stretches that nobody reads any more.
  void remove_read() {
    while (stretches.size() > 2 && !is_oldest_read())
      remove_oldest();
  }

  /// Begins a stretch: in the memory of the oldest one, unless somebody reads that.
  void begin_stretch() {
    if (stretches.size() == 2 && !is_oldest_read()) {
      stretches.splice(stretches.end(), stretches, stretches.begin());
      return newest().bytes.clear();
    }
    add_late_bytes(std::ssize(before()->bytes));
    stretches.emplace_back().bytes.reserve(stretch_bytes);
    while (stretches.size() > 2 && late_bytes > *late_left)
      remove_oldest();
    remove_read();
  }
};

Follower::~Follower() {
  const std::scoped_lock lock{shared_->mutex};
  std::erase(shared_->followers, this);
  shared_->remove_read();
}

Follower::State Follower::read(std::string& to, std::size_t most) {
  const auto append = [&](ConstBytes bytes) {
    const std::size_t count = std::min(most, bytes.size());
    to.append(reinterpret_cast<const char*>(bytes.data()), count);
    most -= count;
    return count;
  };
  const std::scoped_lock lock{shared_->mutex};
  if (stretch_ == shared_->stretches.end()) return State::TooSlow;
  header_read_ += append(ConstBytes{header_}.subspan(header_read_));
  const auto newest = std::prev(shared_->stretches.end());
  for (;;) {
    at_ += append(ConstBytes{stretch_->bytes}.subspan(at_));
    if (at_ < stretch_->bytes.size()) return State::Live;
    if (stretch_ == newest) break;
    ++stretch_;
    at_ = 0;
    shared_->remove_read();
  }
  return shared_->has_ended && header_read_ == header_.size() ? State::Ended : State::Live;
}

Follower::Progress Follower::progress() const {
  const std::scoped_lock lock{shared_->mutex};
  return {.bytes = header_.size() + shared_->logged - logged_before_,
          .has_ended = shared_->has_ended};
}

LogTail::LogTail(const record::Header& header, std::size_t stretch_bytes,
                 std::shared_ptr<LateLogBytes> late)
    : shared_(std::make_shared<Follower::Shared>()) {
  shared_->header = header;
  shared_->stretch_bytes = stretch_bytes;
  shared_->late_left = std::move(late);
  shared_->followers.reserve(kFollowersMax);
  for (Follower::Stretch& stretch : shared_->stretches) {
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
    shared.begin_stretch();
    shared.newest().segment = record.head.count;
    shared.newest().began = record.head.tick;
  }
  std::vector<std::byte>& newest = shared.newest().bytes;
  newest.insert(newest.end(), record.bytes.begin(), record.bytes.end());
  shared.logged += record.bytes.size();
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
  for (auto stretch = shared_->before(); stretch != shared_->stretches.end(); ++stretch) {
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
  const std::scoped_lock lock{shared.mutex};
  if (shared.followers.size() == kFollowersMax) return nullptr;
  follower->stretch_ = shared.before();
  if (follower->stretch_->bytes.empty()) ++follower->stretch_;
  record::Header header = shared.header;
  header.first_segment = follower->stretch_->segment;
  follower->header_ = record::encode_header(header);
  follower->logged_before_ = shared.logged;
  for (auto each = follower->stretch_; each != shared.stretches.end(); ++each) {
    follower->logged_before_ -= each->bytes.size();
  }
  shared.followers.push_back(follower.get());
  return follower;
}

}  // namespace tickbox::server
