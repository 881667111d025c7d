#include "tests/simulator/simulated_disk.h"

#include "tests/support/allocations.h"

#include <utility>

namespace tickbox::simulator {
namespace {

constexpr Duration kMakingTakes = std::chrono::milliseconds{20};

}  // namespace

server::RecordingPart SimulatedDisk::begin(const record::Header& header, Tick tick) {
  state_.tick = state_.troubled = tick;
  header_ = header;
  made_ = 0;
  asked_at_.reset();
  return make(present_);
}

server::RecordingPart SimulatedDisk::make(Part& part) {
  const tests::OwnBooks books;
  part = {.file = std::make_unique<SimulatedFile>(clock_, state_), .number = made_++};
  record::Header header = header_;
  header.part = part.number;
  entropy_.fill(header.salt);
  return {.sink = part.file.get(), .header = std::move(header)};
}

void SimulatedDisk::ticked(Tick tick) {
  state_.tick = tick;
  const Instant now = clock_.now();
  if (now < state_.full_until || now < state_.slow_until) state_.troubled = tick;
}

std::optional<server::RecordingPart> SimulatedDisk::next() {
  const Instant now = clock_.now();
  if (!asked_at_) asked_at_ = now;
  const Instant ready_at = std::max(*asked_at_, state_.slow_until) + kMakingTakes;
  if (now < state_.full_until || now < ready_at) return std::nullopt;
  asked_at_.reset();
  return make(ready_);
}

void SimulatedDisk::retire() {
  retired_ = std::exchange(present_, std::move(ready_));
}

std::optional<SimulatedDisk::Ended> SimulatedDisk::take_retired() {
  if (retired_.file == nullptr) return std::nullopt;
  const Part part = std::exchange(retired_, {});
  return ended(part, part.file->close());
}

SimulatedDisk::Ended SimulatedDisk::close() {
  return ended(present_, present_.file->close());
}

SimulatedDisk::Ended SimulatedDisk::kill(Rng& rng) {
  return ended(present_, present_.file->kill(rng));
}

SimulatedDisk::Ended SimulatedDisk::ended(const Part& part, SimulatedFile::Remains remains) {
  return {.from = part.file->began(), .part = part.number, .remains = std::move(remains)};
}

}  // namespace tickbox::simulator
