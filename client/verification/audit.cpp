#include "client/verification/audit.h"

#include "core/assert.h"
#include "game/restore.h"
#include "game/step.h"
#include "net/handshake.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

constexpr std::unexpected kMalformed{net::DropReason::Malformed};

}  // namespace

StreamReassembly::Taken StreamReassembly::take(const protocol::AuditSegment& segment) {
  const auto runs_ahead = static_cast<std::int8_t>(segment.head.run - run_);
  if (has_run_ && runs_ahead < 0) return Taken::Useless;
  const bool begins_run = !has_run_ || runs_ahead > 0;
  const std::uint64_t number =
      protocol::expand_segment(segment.head.segment, begins_run ? 0 : next_);
  // A number before the first one wraps to a very large value.
  if (number - (begins_run ? 0 : next_) >= protocol::kAuditWindow) return Taken::Useless;
  if (begins_run) begin(segment.head.run);
  if (came_.find(number) != nullptr) return Taken::Useless;
  came_.insert(number) = segment.bytes;
  while (const SegmentBytes* next = came_.find(next_)) {
    bytes_.insert(bytes_.end(), next->begin(), next->end());
    ++next_;
  }
  return begins_run ? Taken::BeginsRun : Taken::Stored;
}

void StreamReassembly::begin(std::uint8_t run) {
  has_run_ = true;
  run_ = run;
  next_ = 0;
  bytes_.clear();
  came_.clear();
}

void StreamReassembly::drop(std::size_t count) {
  TICKBOX_ASSERT(count <= bytes_.size());
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
}

protocol::AuditAck StreamReassembly::ack() const {
  protocol::AuditAck ack{.next = static_cast<std::uint16_t>(next_ & 0xffff), .run = run_};
  for (std::uint64_t i = 0; i + 1 < protocol::kAuditWindow; ++i) {
    if (came_.find(next_ + 1 + i) != nullptr) ack.bits |= std::uint64_t{1} << i;
  }
  return ack;
}

Auditor::Auditor(game::SharedMap map, std::shared_ptr<const game::Rules> rules, BodyId own)
    : map_(std::move(map)), rules_(std::move(rules)), own_(own) {}

std::expected<std::optional<View>, net::DropReason> Auditor::take(
    const protocol::AuditSegment& segment) {
  const StreamReassembly::Taken taken = segments_.take(segment);
  if (taken == StreamReassembly::Taken::BeginsRun) state_ = State::Waiting;
  if (state_ == State::Broken) segments_.drop(segments_.bytes().size());
  if (taken == StreamReassembly::Taken::Useless || state_ == State::Broken) {
    return std::unexpected{net::DropReason::Unexpected};
  }
  const std::uint64_t before = runs_ + ticks_;
  if (auto read = read_entries(); !read) {
    state_ = State::Broken;
    return std::unexpected{read.error()};
  }
  if (runs_ + ticks_ == before) return std::nullopt;
  return view();
}

Auditor::Result Auditor::read_entries() {
  ConstBytes stream = segments_.bytes();
  for (;;) {
    const auto entry = protocol::take_entry(stream);
    if (!entry) return kMalformed;
    if (!*entry) break;
    const Result taken = state_ == State::Waiting ? begin(**entry) : step(**entry);
    if (!taken) return taken;
  }
  segments_.drop(segments_.bytes().size() - stream.size());
  return {};
}

Auditor::Result Auditor::begin(ConstBytes entry) {
  if (!game::decode_keyframe(entry, keyframe_) || keyframe_.tick.value > net::kTickMax) {
    return kMalformed;
  }
  if (viewed_ && keyframe_.tick <= *viewed_) return kMalformed;  // time does not go back
  auto world = game::restore(keyframe_.fields(), map_, *rules_);
  if (!world) return kMalformed;
  world_.emplace(*std::move(world));
  log_.begin(keyframe_);
  state_ = State::Stepping;
  touched_ = world_->tick;
  ++runs_;
  return compare(keyframe_.state_hash);
}

Auditor::Result Auditor::step(ConstBytes entry) {
  const auto logged = protocol::decode_tick_entry(entry);
  if (!logged || !log_.read(logged->bytes, tick_) || world_->tick.value >= net::kTickMax ||
      !game::is_valid(*world_, tick_.commands())) {
    return kMalformed;
  }
  const sim::StepReport& report =
      game::step(*world_, *rules_, tick_.commands(), game::Authority::Server, stepper_);
  ++ticks_;
  const bool was_teleported =
      std::ranges::find(stepper_.events.teleports, game::player_of(own_),
                        &game::Teleport::player) != stepper_.events.teleports.end();
  if (was_teleported || was_touched(report, own_)) touched_ = world_->tick;
  return compare(logged->state_hash);
}

Auditor::Result Auditor::compare(std::uint64_t expected) {
  const std::uint64_t got = game::state_hash(*world_);
  if (got == expected) return {};
  ++mismatches_;
  if (!first_mismatch_) first_mismatch_ = {.tick = world_->tick, .expected = expected, .got = got};
  return std::unexpected{net::DropReason::Unexpected};
}

View Auditor::view() {
  entities_.clear();
  world_->append_entities(entities_);
  viewed_ = world_->tick;
  return {.tick = world_->tick, .entities = entities_, .touched = touched_};
}

protocol::AuditAck Auditor::ack() const {
  protocol::AuditAck ack = segments_.ack();
  ack.wants_new_run = state_ == State::Broken;
  return ack;
}

}  // namespace tickbox::client
