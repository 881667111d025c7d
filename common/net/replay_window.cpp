#include "net/replay_window.h"

#include "core/assert.h"

namespace tickbox::net {
namespace {

constexpr std::size_t word_of(std::uint64_t sequence) {
  return sequence % kReplayWindow / 64;
}

constexpr std::uint64_t bit_of(std::uint64_t sequence) {
  return std::uint64_t{1} << (sequence % 64);
}

}  // namespace

bool ReplayWindow::accepts(std::uint64_t sequence) const {
  if (sequence == 0) return false;
  if (sequence > newest_) return true;
  if (newest_ - sequence >= kReplayWindow) return false;
  return (seen_[word_of(sequence)] & bit_of(sequence)) == 0;
}

void ReplayWindow::advance(std::uint64_t sequence) {
  TICKBOX_ASSERT(accepts(sequence));
  if (sequence > newest_ && sequence - newest_ >= kReplayWindow) {
    seen_.fill(0);
    newest_ = sequence;
  }
  while (newest_ < sequence) {
    ++newest_;
    seen_[word_of(newest_)] &= ~bit_of(newest_);
  }
  seen_[word_of(sequence)] |= bit_of(sequence);
  ++count_;
}

}  // namespace tickbox::net
