#include "client/verification/audit.h"

#include "core/assert.h"
#include "engine/entity_id.h"
#include "engine/log/tick_codec.h"
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

Auditor::Auditor(const engine::World& like, Player own, engine::Stepper& stepper)
    : like_(like),
      own_(own),
      entry_bytes_max_(protocol::entry_bytes_max(like.game(), like.map()->seats)),
      stepper_(stepper),
      log_(like.game()) {}

std::expected<std::optional<match::View>, net::DropReason> Auditor::take(
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
    const auto entry = protocol::take_entry(stream, entry_bytes_max_);
    if (!entry) return kMalformed;
    if (!*entry) break;
    const Result taken = state_ == State::Waiting ? begin(**entry) : step(**entry);
    if (!taken) return taken;
  }
  segments_.drop(segments_.bytes().size() - stream.size());
  return {};
}

Auditor::Result Auditor::begin(ConstBytes entry) {
  auto keyframe = engine::decode_keyframe(entry, like_);
  if (!keyframe || keyframe->world.tick.value > net::kTickMax) return kMalformed;
  if (viewed_ && keyframe->world.tick <= *viewed_) return kMalformed;  // time does not go back
  log_.begin(*keyframe);
  world_.emplace(std::move(keyframe->world));
  state_ = State::Stepping;
  touched_ = world_->tick;
  ++runs_;
  return compare(keyframe->state_hash);
}

Auditor::Result Auditor::step(ConstBytes entry) {
  const auto logged = protocol::decode_tick_entry(entry);
  if (!logged || !log_.read(logged->bytes, tick_) || world_->tick.value >= net::kTickMax ||
      !engine::is_valid(*world_, tick_.record)) {
    return kMalformed;
  }
  const engine::TickReport& report = stepper_.replay(*world_, tick_.record);
  if (stepper_.gave_up()) return kMalformed;
  ++ticks_;
  if (concerns_own(report)) touched_ = world_->tick;
  return compare(logged->state_hash);
}

/// Returns whether something that the player does not own, or a decision of the server, had a part
/// in the last step of what the player owns.
bool Auditor::concerns_own(const engine::TickReport& report) const {
  const auto is_own = [this](Ref ref) {
    const BodyId id = engine::body_id(ref);
    return engine::is_entity(id) && views::owner_of(id) == own_;
  };
  const auto decides_own = [&](const engine::Outcome& outcome) {
    return outcome.kind == engine::OutcomeKind::Room ||
           (outcome.kind != engine::OutcomeKind::Focused && is_own(outcome.ref));
  };
  return match::was_touched(report, own_) ||
         std::ranges::any_of(tick_.record.outcomes, decides_own) ||
         std::ranges::any_of(tick_.record.strikes, is_own, &engine::Strike::victim);
}

Auditor::Result Auditor::compare(std::uint64_t expected) {
  const std::uint64_t got = hasher_.hash(*world_);
  if (got == expected) return {};
  ++mismatches_;
  if (!first_mismatch_) first_mismatch_ = {.tick = world_->tick, .expected = expected, .got = got};
  return std::unexpected{net::DropReason::Unexpected};
}

match::View Auditor::view() {
  views_.clear();
  const std::shared_ptr<match::HeldView> view = views_.add(world_->tick);
  view->rows.assign(*world_);
  const ConstBytes room = std::as_const(*world_).room();
  view->room.assign(room.begin(), room.end());
  viewed_ = world_->tick;
  return {.tick = world_->tick,
          .rows = {view, &view->rows},
          .room = {view, &view->room},
          .touched = touched_,
          .centre = std::as_const(*world_).seats()[own_.seat].focus_place};
}

protocol::AuditAck Auditor::ack() const {
  protocol::AuditAck ack = segments_.ack();
  ack.wants_new_run = state_ == State::Broken;
  return ack;
}

}  // namespace tickbox::client
