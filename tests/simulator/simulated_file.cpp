#include "tests/simulator/simulated_file.h"

#include "tests/support/allocations.h"

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// A fraction of the rate of a match with some players.
constexpr std::int64_t kSlowBytesPerSecond = 400;
/// Writes of this age or less may be cut at any byte.
constexpr Duration kInFlight = std::chrono::milliseconds{100};

}  // namespace

bool SimulatedFile::write(ConstBytes bytes) {
  const tests::OwnBooks books;
  drain();
  const bool is_full = clock_.now() < disk_.full_until;
  const bool has_room = bytes_.size() - drained_ + bytes.size() <= disk_.queue_bytes_max ||
                        bytes_.size() == drained_;  // the first keyframe of a large room
  if (is_full || !has_room) {
    ++(is_full ? disk_.refused_full : disk_.refused_slow);
    refused_.push_back(disk_.logged);
    disk_.troubled = disk_.tick;
    return false;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  written_.push_back({.at = clock_.now(), .end = bytes_.size(), .tick = disk_.logged});
  drain();
  return true;
}

void SimulatedFile::drain() {
  const Instant now = clock_.now();
  if (now >= disk_.slow_until) {
    drained_ = bytes_.size();
  } else {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - drained_at_);
    const std::int64_t could = passed.count() * kSlowBytesPerSecond / 1'000'000;
    if (could == 0) return;
    drained_ = std::min(bytes_.size(), drained_ + static_cast<std::size_t>(could));
  }
  drained_at_ = now;
}

SimulatedFile::Remains SimulatedFile::close() {
  std::size_t bytes = bytes_.size();
  if (disk_.loses_last && written_.size() > 1) bytes = written_[written_.size() - 2].end;
  Remains left = remains(bytes, false);
  left.last_tick = left.taken_to;
  return left;
}

SimulatedFile::Remains SimulatedFile::kill(Rng& rng) {
  drain();
  std::size_t safe = 0;
  for (const Written& one : written_) {
    if (one.at + kInFlight <= clock_.now() && one.end <= drained_) safe = one.end;
  }
  const std::size_t cut = safe + rng.below(std::max(safe, drained_) - safe + 1);
  return remains(cut, true);
}

SimulatedFile::Remains SimulatedFile::remains(std::size_t bytes, bool is_cut) {
  const tests::OwnBooks books;
  Remains left{.bytes = {bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes)},
               .refused = refused_,
               .last_tick = {},
               .taken_to = {},
               .calm_ticks = disk_.tick - std::max(began_, disk_.troubled),
               .was_calm = disk_.troubled <= began_,
               .is_cut = is_cut,
               .is_whole = refused_.empty()};
  if (!written_.empty()) left.taken_to = written_.back().tick;
  for (const Written& one : written_) {
    if (one.end <= bytes) left.last_tick = one.tick;
  }
  return left;
}

}  // namespace tickbox::simulator
