#include "server/shard/desync_reports.h"

#include "core/assert.h"
#include "net/packet.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tickbox::server {
namespace {

using Members = std::vector<game::EntityState>;

/// The least time between two answers to repeated parts: parts of one round arrive together.
constexpr Duration kAnswerAgain = std::chrono::milliseconds{200};

DesyncReports::Refused limited() {
  return {.reason = net::DropReason::RateLimited, .is_limited = true};
}

/// The bodies sent to a session for a tick, while both the view and the state are remembered.
struct SentView {
  const ViewMembers* members = nullptr;
  const StateAt* state = nullptr;
  const BodySlots* slots = nullptr;

  [[nodiscard]] bool is_remembered() const { return members != nullptr && state != nullptr; }

  [[nodiscard]] Members bodies() const {
    Members bodies;
    bodies.reserve(members->size());
    for (const SlotId slot : *members) {
      const game::EntityState* body = game::find_entity(state->entities, slots->slot(slot).id);
      TICKBOX_ASSERT(body != nullptr);
      bodies.push_back(*body);
    }
    return bodies;
  }
};

SentView sent_view(const Session& session, const Room& room, Tick tick) {
  return {.members = session.snapshots.views->find(tick, room.world().tick),
          .state = room.state_after(tick),
          .slots = &room.replication_log().slots()};
}

/// Returns all causes of members of the base or the view since the base, by tick and id.
std::vector<protocol::DesyncCause> causes_of(const Room& room, const protocol::ViewName& view,
                                             std::span<const game::EntityState> base,
                                             std::span<const game::EntityState> truth) {
  using Kind = protocol::DesyncCause::Kind;
  std::vector<protocol::DesyncCause> causes;
  const ReplicationLog& log = room.replication_log();
  const auto add = [&](Tick tick, SlotId slot, Kind kind, std::uint16_t value) {
    const BodyId id = log.slots().slot(slot).id;
    const bool is_member =
        game::find_entity(base, id) != nullptr || game::find_entity(truth, id) != nullptr;
    if (is_member) causes.push_back({tick, id, kind, value});
  };
  for (Tick tick{view.tick.value - view.base_age + 1}; tick <= view.tick; tick = tick + 1) {
    const std::size_t first = causes.size();
    for (const StickChange& change : log.sticks().changes_of(tick)) {
      add(tick, change.slot, Kind::Input, change.move);
    }
    for (const ShotFired& shot : log.shots().causes_of(tick)) {
      add(tick, shot.slot, protocol::kind_of(shot.weapon), shot.aim);
    }
    for (const BodyTeleport& teleport : log.teleports().causes_of(tick)) {
      add(tick, teleport.slot, Kind::Teleport, teleport.place);
    }
    std::ranges::sort(std::span{causes}.subspan(first), {}, [](const protocol::DesyncCause& each) {
      return std::pair{each.entity, each.kind};
    });
  }
  return causes;
}

std::uint8_t all_parts(std::size_t members) {
  return static_cast<std::uint8_t>((1U << protocol::parts_of(members)) - 1);
}

}  // namespace

DesyncReports::Report* DesyncReports::find(const Session& session) {
  const auto is_its = [&](const Report& report) {
    return report.is_used && report.session == &session;
  };
  const auto found = std::ranges::find_if(reports_, is_its);
  return found == reports_.end() ? nullptr : &*found;
}

DesyncReports::Report* DesyncReports::free_report() {
  const auto found = std::ranges::find(reports_, false, &Report::is_used);
  if (found != reports_.end()) return &*found;
  return reports_.size() < kReportsHeld ? &reports_.emplace_back() : nullptr;
}

/// Begins a report with a copy of the true state. Returns nullptr if the view is not remembered.
std::expected<DesyncReports::Report*, DesyncReports::Refused> DesyncReports::begin(
    Session& session, const Room& room, const protocol::ViewName& view, Instant now) {
  if (view.tick > room.world().tick) return std::unexpected{Refused{}};
  const SentView sent = sent_view(session, room, view.tick);
  if (sent.is_remembered() && !session.snapshots.receipts.has_sent(view.tick, view.server_hash)) {
    return std::unexpected{Refused{}};
  }
  const bool is_too_soon = session.reported && now - *session.reported < kDesyncReportInterval;
  if (is_too_soon) return std::unexpected{limited()};
  Report* report = free_report();
  if (report == nullptr) return std::unexpected{limited()};
  if (!begun_.take(kDesyncReports, now)) return std::unexpected{limited()};
  session.reported = now;
  if (!sent.is_remembered()) return nullptr;
  *report = {.is_used = true,
             .session = &session,
             .seat = session.player,
             .began = now,
             .view = view,
             .truth = sent.bodies()};
  if (view.base_age > 0) {
    const SentView base = sent_view(session, room, {view.tick.value - view.base_age});
    if (base.is_remembered()) report->base = base.bodies();
    report->causes = causes_of(
        room, view, report->base ? std::span{*report->base} : std::span<game::EntityState>{},
        report->truth);
  }
  return report;
}

std::expected<DesyncReports::Taken, DesyncReports::Refused> DesyncReports::take(
    Session& session, const Room& room, const protocol::ViewPart& part, std::size_t bytes,
    Instant now) {
  if (part.parts == 0) return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  Report* report = find(session);
  if (report != nullptr && report->view != part.view) return std::unexpected{limited()};
  if (report == nullptr) {
    const auto begun = begin(session, room, part.view, now);
    if (!begun) return std::unexpected{begun.error()};
    report = *begun;
    if (report == nullptr) return Taken{.is_forgotten = true};
  }
  report->bytes_left += bytes;
  const bool fits = report->client_view.take(part);
  const bool is_new = fits && report->client_view.is_whole() && !report->is_compared;
  if (!fits ||
      (is_new && protocol::view_hash(report->client_view.members()) != report->view.client_hash)) {
    report->is_used = false;
    return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  }
  if (!report->client_view.is_whole()) return Taken{};
  if (is_new || now - report->answered >= kAnswerAgain) {
    report->to_send = all_parts(report->truth.size()) & static_cast<std::uint8_t>(~part.arrived);
    report->answered = now;
  }
  if (!is_new) return Taken{};
  report->is_compared = true;
  const auto members = report->client_view.members();
  return Taken{.compared =
                   protocol::Desync{.side = protocol::DesyncSide::Server,
                                    .end = protocol::DesyncEnd::Compared,
                                    .seat = report->seat,
                                    .view = report->view,
                                    .server_view = report->truth,
                                    .client_view = std::vector(members.begin(), members.end()),
                                    .base_view = report->base,
                                    .causes = report->causes,
                                    .difference = game::compare_views(report->truth, members)}};
}

std::optional<protocol::ViewPart> DesyncReports::next_answer(const Session& session) {
  Report* report = find(session);
  if (report == nullptr || report->to_send == 0) return std::nullopt;
  std::uint8_t number = 0;
  while ((std::uint32_t{report->to_send} >> number & 1U) == 0) {
    ++number;
  }
  protocol::ViewPart part = protocol::part_of(report->view, report->truth, number);
  const std::size_t bytes =
      net::kPacketOverheadBytes + protocol::view_part_bytes(part.bodies.size());
  if (bytes > report->bytes_left) return std::nullopt;
  report->bytes_left -= bytes;
  report->to_send = static_cast<std::uint8_t>(report->to_send & ~(1U << number));
  part.arrived = report->client_view.arrived();
  return part;
}

std::optional<DesyncReports::Unfinished> DesyncReports::end(Report& report) {
  report.is_used = false;
  if (report.is_compared) return std::nullopt;
  return Unfinished{.seat = report.seat,
                    .view = report.view,
                    .arrived = report.client_view.arrived(),
                    .parts = report.client_view.parts()};
}

std::optional<DesyncReports::Unfinished> DesyncReports::forget(const Session& session) {
  Report* report = find(session);
  return report != nullptr ? end(*report) : std::nullopt;
}

std::optional<DesyncReports::Unfinished> DesyncReports::expire(Instant now) {
  for (Report& report : reports_) {
    if (!report.is_used || now - report.began < kDesyncReportKept) continue;
    if (auto unfinished = end(report)) return unfinished;
  }
  return std::nullopt;
}

}  // namespace tickbox::server
