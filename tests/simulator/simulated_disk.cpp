#include "tests/simulator/simulated_disk.h"

#include "tests/support/allocations.h"

#include <algorithm>
#include <utility>

namespace tickbox::simulator {
namespace {

constexpr Duration kMakingTakes = std::chrono::milliseconds{20};

}  // namespace

void SimulatedDisk::begin(const record::Header& header, Tick tick) {
  state_.tick = state_.troubled = state_.logged = tick;
  header_ = header;
  make(tick);
}

void SimulatedDisk::make(Tick from) {
  const tests::OwnBooks books;
  present_ = std::make_unique<Part>(clock_, state_, header_);
  present_->number = header_.part++;
  present_->from = from;
  match_has_ended_ = false;
  asked_at_.reset();
}

void SimulatedDisk::ticked(Tick tick) {
  state_.tick = tick;
  const Instant now = clock_.now();
  if (now < state_.full_until || now < state_.slow_until) state_.troubled = tick;
}

bool SimulatedDisk::is_due() const {
  return match_has_ended_ ||
         (rotation_.ticks != 0 && state_.logged - present_->from >= rotation_.ticks) ||
         (rotation_.bytes != 0 && present_->log.stats().bytes >= rotation_.bytes);
}

/// Returns whether the next file is created.
bool SimulatedDisk::has_next() const {
  const Instant now = clock_.now();
  return asked_at_ && now >= state_.full_until &&
         now >= std::max(*asked_at_, state_.slow_until) + kMakingTakes;
}

void SimulatedDisk::request_next() {
  if (!asked_at_) asked_at_ = clock_.now();
}

void SimulatedDisk::append(const record::LogRecord& record) {
  const record::RecordHead& head = record.head;
  const bool is_keyframe = head.type == record::RecordType::Keyframe;
  if (is_keyframe && is_due() && has_next()) {
    present_->log.finish();
    retired_ = std::move(present_);
    make(head.tick);
  }
  state_.logged = is_keyframe ? head.tick : head.tick + (head.count - 1);
  present_->log.append(record);
  if (is_due()) request_next();
}

bool SimulatedDisk::wants_segment() const {
  return present_->log.wants_segment() || (is_due() && has_next());
}

void SimulatedDisk::match_ended() {
  match_has_ended_ = true;
  request_next();
}

std::optional<SimulatedDisk::Ended> SimulatedDisk::take_retired() {
  if (!retired_) return std::nullopt;
  const std::unique_ptr<Part> part = std::exchange(retired_, nullptr);
  return ended(*part, part->file.close());
}

SimulatedDisk::Ended SimulatedDisk::close() {
  present_->log.finish();
  return ended(*present_, present_->file.close());
}

SimulatedDisk::Ended SimulatedDisk::kill(Rng& rng) {
  return ended(*present_, present_->file.kill(rng));
}

SimulatedDisk::Ended SimulatedDisk::ended(const Part& part, SimulatedFile::Remains remains) {
  return {.from = part.from, .part = part.number, .remains = std::move(remains)};
}

}  // namespace tickbox::simulator
