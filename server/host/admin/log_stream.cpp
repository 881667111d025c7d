#include "server/host/admin/log_stream.h"

#include "core/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

class LogSource final : public os::HttpSource {
 public:
  LogSource(std::unique_ptr<Follower> follower, Duration delay, const Clock& clock)
      : follower_(std::move(follower)), delay_(delay), clock_(clock) {}

  Next read(std::string& to, std::size_t most) override;

 private:
  /// What the log gave at one time.
  struct Piece {
    Instant came;
    std::vector<std::byte> bytes;
  };

  std::unique_ptr<Follower> follower_;
  Duration delay_;
  const Clock& clock_;
  std::vector<std::byte> taken_;  ///< keeps its memory, in exchange with the follower's
  std::deque<Piece> pieces_;
  std::size_t sent_ = 0;    ///< bytes of the first piece
  bool has_ended_ = false;  ///< the log; what is left of it is sent without a delay
};

os::HttpSource::Next LogSource::read(std::string& to, std::size_t most) {
  const Instant now = clock_.now();
  if (follower_->is_too_slow()) return Next::Broken;
  const auto is_due = [&] {
    return !pieces_.empty() && (has_ended_ || now - pieces_.front().came >= delay_);
  };
  // While something is to be sent, what follows waits for its limit.
  if (!is_due()) {
    has_ended_ = follower_->read(taken_) == Follower::State::Ended;
    if (!taken_.empty()) pieces_.push_back({.came = now, .bytes = {taken_.begin(), taken_.end()}});
    if (pieces_.empty() && has_ended_) return Next::End;
    if (!is_due()) return Next::More;
  }
  const Piece& first = pieces_.front();
  const std::size_t bytes = std::min(most, first.bytes.size() - sent_);
  to.append(reinterpret_cast<const char*>(first.bytes.data()) + sent_, bytes);
  sent_ += bytes;
  if (sent_ == first.bytes.size()) {
    pieces_.pop_front();
    sent_ = 0;
  }
  return Next::More;
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

os::HttpResponse stream_log(const LogTail& tail, std::string_view query, const Clock& clock) {
  Duration delay{};
  if (const auto text = os::form_value(query, "delay")) {
    const auto parsed = parse_duration_between(*text, {}, kLogDelayMax);
    if (!parsed) return refused(400, "delay: " + parsed.error());
    delay = *parsed;
  }
  std::unique_ptr<Follower> follower = tail.follow();
  if (follower == nullptr) {
    return refused(503,
                   fmt::format("{} readers follow this log; close one of them, or try again later",
                               kFollowersMax));
  }
  return {.content_type = "application/octet-stream",
          .source = std::make_unique<LogSource>(std::move(follower), delay, clock)};
}

}  // namespace tickbox::server
