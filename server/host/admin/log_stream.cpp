#include "server/host/admin/log_stream.h"

#include "core/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// The moments of a delay that are remembered. So a byte may be later by this part of the delay.
constexpr int kMarks = 64;

class LogSource final : public os::HttpSource {
 public:
  LogSource(std::unique_ptr<Follower> follower, Duration delay, const Clock& clock, Place place)
      : follower_(std::move(follower)), delay_(delay), clock_(clock), place_(std::move(place)) {}

  Next read(std::string& to, std::size_t most) override;

 private:
  /// How much the log had given at one time.
  struct Mark {
    Instant at;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::uint64_t due(const Follower::Progress& log);

  std::unique_ptr<Follower> follower_;
  Duration delay_;
  const Clock& clock_;
  Place place_;
  std::deque<Mark> marks_;
  std::uint64_t due_ = 0;  ///< bytes that are late enough
  std::uint64_t sent_ = 0;
};

/// Returns the bytes that may be sent by now, with those that were. Once the log has ended, that is
/// all of it.
std::uint64_t LogSource::due(const Follower::Progress& log) {
  if (log.has_ended || delay_ == Duration::zero()) return log.bytes;
  const Instant now = clock_.now();
  if (marks_.empty() ||
      (log.bytes > marks_.back().bytes && now - marks_.back().at >= delay_ / kMarks)) {
    marks_.push_back({.at = now, .bytes = log.bytes});
  }
  for (; !marks_.empty() && now - marks_.front().at >= delay_; marks_.pop_front()) {
    due_ = marks_.front().bytes;
  }
  return due_;
}

os::HttpSource::Next LogSource::read(std::string& to, std::size_t most) {
  const std::uint64_t left = due(follower_->progress()) - sent_;
  const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(most, left));
  to.reserve(to.size() + bytes);  // now: the log's thread may wait for what follows
  const Follower::State state = follower_->read(to, bytes);
  if (state == Follower::State::TooSlow) return Next::Broken;
  sent_ += bytes;
  return state == Follower::State::Ended ? Next::End : Next::More;
}

os::HttpResponse refused(unsigned status, std::string why) {
  return {.status = status, .body = std::move(why) + '\n'};
}

}  // namespace

std::optional<std::uint32_t> room_in(std::string_view path, std::string_view behind) {
  constexpr std::string_view kBefore = "/rooms/";
  if (!path.starts_with(kBefore)) return std::nullopt;
  path.remove_prefix(kBefore.size());
  if (!path.ends_with(behind)) return std::nullopt;
  path.remove_suffix(behind.size());
  return parse_as<std::uint32_t>(path);
}

os::HttpResponse stream_log(const LogTail& tail, std::string_view query, const Clock& clock,
                            Place place) {
  Duration delay{};
  if (const auto text = os::form_value(query, "delay")) {
    const auto parsed = parse_duration_between(*text, {}, kLogDelayMax);
    if (!parsed) return refused(400, "delay: " + parsed.error());
    delay = *parsed;
  }
  if (place == nullptr) {
    return refused(503, "this server sends as many logs as it can; close one, or try again later");
  }
  std::unique_ptr<Follower> follower = tail.follow();
  if (follower == nullptr) {
    return refused(503,
                   fmt::format("{} readers follow this log; close one of them, or try again later",
                               kFollowersMax));
  }
  return {
      .content_type = "application/octet-stream",
      // No proxy may hold the bytes back, nor wait for more of them to compress.
      .headers = {{"X-Accel-Buffering", "no"}, {"Cache-Control", "no-store, no-transform"}},
      .source = std::make_unique<LogSource>(std::move(follower), delay, clock, std::move(place))};
}

}  // namespace tickbox::server
