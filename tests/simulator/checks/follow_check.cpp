#include "tests/simulator/checks/follow_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// One look in this number cuts or slows the link.
constexpr std::uint64_t kLooksPerFault = 100;
constexpr std::uint64_t kFaultLooksMax = 60;
constexpr std::size_t kSlowBytes = 60;  ///< in one look

/// The log gives records of a tenth of a second, and of a second while the room is empty. A look
/// may come as late as that again.
constexpr std::uint32_t kLateTenths = 3;
constexpr std::uint32_t kLateTenthsEmpty = 12;

}  // namespace

void FollowCheck::look() {
  disturb();
  if (follower_ == nullptr && (closed_looks_ == 0 || --closed_looks_ == 0)) open();
  receive();
  step();
  compare();
  if (has_ended_ && on_the_way_.empty()) close();
}

FollowCounts FollowCheck::counts() const {
  FollowCounts counts = counts_;
  if (verifier_) counts.ticks += verifier_->result().ticks;
  return counts;
}

void FollowCheck::open() {
  follower_ = match_.log()->follow();
  if (follower_ == nullptr) {
    findings_.add("follow", "a place for a follower", "none");
    return;
  }
  ++counts_.opened;
  log_.clear();
}

/// Ends what is followed; what is on the way is lost.
void FollowCheck::close() {
  if (verifier_) counts_.ticks += verifier_->result().ticks;
  verifier_.reset();
  follower_.reset();
  has_ended_ = false;
  on_the_way_.clear();
}

void FollowCheck::disturb() {
  if (slow_looks_ > 0) --slow_looks_;
  if (follower_ == nullptr || !rng_.chance(1, kLooksPerFault)) return;
  const auto looks = static_cast<std::uint32_t>(1 + rng_.below(kFaultLooksMax));
  if (rng_.chance(1, 2)) {
    ++counts_.slow;
    slow_looks_ = looks;
  } else {
    ++counts_.cut;
    close();
    closed_looks_ = looks;
  }
}

void FollowCheck::receive() {
  if (follower_ == nullptr) return;
  taken_.clear();
  const server::Follower::State state = follower_->read(taken_, SIZE_MAX);
  if (state == server::Follower::State::TooSlow) {
    findings_.add("follow", "a log that waits for a slow follower", "it does not");
  }
  has_ended_ = state == server::Follower::State::Ended;
  const ConstBytes taken = as_bytes_of(taken_);
  on_the_way_.insert(on_the_way_.end(), taken.begin(), taken.end());
}

/// Gives the bytes that the link delivers to the reader, in pieces, and steps what it returns.
void FollowCheck::step() {
  std::size_t left = slow_looks_ > 0 ? kSlowBytes : on_the_way_.size();
  left = std::min(left, on_the_way_.size());
  std::size_t at = 0;
  while (left > 0) {
    const std::size_t bytes = 1 + rng_.below(left);
    const ConstBytes piece = ConstBytes{on_the_way_}.subspan(at, bytes);
    log_.insert(log_.end(), piece.begin(), piece.end());
    at += bytes;
    left -= bytes;
    if (!verifier_ && !begin()) continue;
    verifier_->reader().grow(log_, 0);
    while (verifier_->next() != record::Reader::Item::Waiting) {
    }
  }
  on_the_way_.erase(on_the_way_.begin(), on_the_way_.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Begins to verify, once the header has arrived.
bool FollowCheck::begin() {
  if (log_.size() < record::kRecordsOffset) return false;
  const auto reader = record::Reader::open(ConstBytes{log_}.first(record::kRecordsOffset));
  if (!reader) {
    findings_.add("follow", "a log", record::describe(reader.error(), log_));
    return false;
  }
  verifier_.emplace(*reader, match_.sound_game(), match_.map(), options_);
  return true;
}

void FollowCheck::compare() {
  if (!verifier_) return;
  const record::VerifyResult result = verifier_->result();
  if (!result.held() || result.gaps > 0) {
    findings_.add("follow", "every tick with the room's hash",
                  fmt::format("{} differ, {} damages, {} gaps; the first is {}", result.mismatched,
                              result.damages, result.gaps,
                              result.first_mismatch ? result.first_mismatch->tick.value : 0));
    return;
  }
  if (!on_the_way_.empty() || has_ended_) return;
  const engine::World& world = match_.world();
  const bool is_empty = std::ranges::none_of(world.seats(), &engine::SeatInfo::taken);
  const std::uint32_t tenths = is_empty ? kLateTenthsEmpty : kLateTenths;
  const std::int64_t late = world.tick - result.last_tick;
  if (late > 1 + match_.tick_rate() * tenths / 10) {
    findings_.add("follow", fmt::format("the log within {} ms", 100 * tenths),
                  fmt::format("it is {} ticks late", late));
  }
}

}  // namespace tickbox::simulator
