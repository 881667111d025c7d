#include "tests/simulator/simulated_disk.h"

#include "tests/support/allocations.h"

#include <algorithm>

namespace tickbox::simulator {
namespace {

constexpr std::size_t kQueueBytesMax = std::size_t{16} * 1024;
constexpr std::int64_t kSlowBytesPerSecond = 1'500;
/// What was handed over so recently may be cut anywhere.
constexpr Duration kInFlight = std::chrono::milliseconds{100};

}  // namespace

void SimulatedDisk::open(Tick tick) {
  bytes_ = {};
  written_ = {};
  refused_ = {};
  drained_ = 0;
  opened_at_ = drained_at_ = clock_.now();
  tick_ = tick;
}

bool SimulatedDisk::write(ConstBytes bytes) {
  const tests::OwnBooks books;
  drain();
  const bool has_room = bytes_.size() - drained_ + bytes.size() <= kQueueBytesMax ||
                        bytes_.size() == drained_;  // the first keyframe of a large room
  if (clock_.now() < full_until_ || !has_room) {
    refused_.push_back(tick_);
    refused_at_ = clock_.now();
    return false;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  written_.push_back({.at = clock_.now(), .end = bytes_.size(), .tick = tick_});
  drain();
  return true;
}

void SimulatedDisk::drain() {
  const Instant now = clock_.now();
  if (now >= slow_until_) {
    drained_ = bytes_.size();
  } else {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - drained_at_);
    const std::int64_t could = passed.count() * kSlowBytesPerSecond / 1'000'000;
    if (could == 0) return;
    drained_ = std::min(bytes_.size(), drained_ + static_cast<std::size_t>(could));
  }
  drained_at_ = now;
}

SimulatedDisk::File SimulatedDisk::close() {
  std::size_t bytes = bytes_.size();
  if (loses_last_ && written_.size() > 1) bytes = written_[written_.size() - 2].end;
  const std::optional<Tick> last =
      written_.size() > 1 ? std::optional{written_.back().tick} : std::nullopt;
  File file = file_of(bytes, false);
  file.last_tick = last;
  return file;
}

SimulatedDisk::File SimulatedDisk::kill(Rng& rng) {
  drain();
  std::size_t safe = 0;
  for (const Written& one : written_) {
    if (one.at + kInFlight <= clock_.now() && one.end <= drained_) safe = one.end;
  }
  // Of the header, which is written before anything happens, all is there.
  if (safe == 0 && !written_.empty()) safe = written_.front().end;
  const std::size_t cut = safe + rng.below(std::max(safe, drained_) - safe + 1);
  return file_of(cut, true);
}

SimulatedDisk::File SimulatedDisk::file_of(std::size_t bytes, bool is_cut) {
  const tests::OwnBooks books;
  File file{.bytes = {bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes)},
            .refused = refused_,
            .last_tick = {},
            .taken_to = {},
            .calm = clock_.now() - std::max({opened_at_, refused_at_, full_until_, slow_until_}),
            .is_cut = is_cut,
            .is_whole = refused_.empty()};
  if (!written_.empty()) file.taken_to = written_.back().tick;
  for (std::size_t i = 1; i < written_.size() && written_[i].end <= bytes; ++i) {
    file.last_tick = written_[i].tick;
  }
  return file;
}

}  // namespace tickbox::simulator
