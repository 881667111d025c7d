#include "server/shard/desync_reports.h"

#include "core/assert.h"
#include "engine/entity_id.h"
#include "net/packet.h"
#include "protocol/history_depths.h"
#include "protocol/messages.h"
#include "server/shard/hosted_room.h"
#include "views/content.h"
#include "views/view_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace tickbox::server {
namespace {

using Kind = desync::Cause::Kind;

/// The least time between two answers to repeated parts: parts of one round arrive together.
constexpr Duration kAnswerAgain = std::chrono::milliseconds{200};

DesyncReports::Refused limited() {
  return {.reason = net::DropReason::RateLimited, .is_limited = true};
}

/// The view sent to a session for a tick, while both the view and the state are remembered.
struct SentView {
  std::optional<Members> members;
  const StateAt* state = nullptr;
  const BodySlots* slots = nullptr;

  [[nodiscard]] bool is_remembered() const { return members && state != nullptr; }

  [[nodiscard]] views::ViewState copy() const {
    views::ViewState view{.rows = views::Rows{state->rows.game()}, .room = state->room};
    view.rows.reserve(members->size());
    for (const SlotId slot : *members) {
      const std::size_t row = state->rows.index_of(slots->slot(slot).id);
      TICKBOX_ASSERT(row != state->rows.size());
      view.rows.add(state->rows.row(row));
    }
    return view;
  }
};

SentView sent_view(const Session& session, const Match& match, Tick tick) {
  return {.members = session.snapshots.views->find(tick, match.world().tick),
          .state = match.state_after(tick),
          .slots = &match.history().slots()};
}

/// Returns whether a client's view has the hash that it names.
bool makes(const std::optional<views::ViewState>& view, const protocol::ViewName& name) {
  return view &&
         static_cast<std::uint32_t>(views::hash_of(*view) & 0xffff'ffff) == name.client_hash;
}

/// The bits of one cause, as a content has them.
class PayloadBits {
 public:
  PayloadBits(const MatchHistory& log, Tick tick, const Payload& payload) {
    const bool is_short = payload.bits <= 64;
    engine::BitWriter out{bytes_};
    if (is_short) out.write(payload.value, payload.bits);
    if (!is_short) engine::copy_bits(log.payloads(tick), payload.value, payload.bits, out);
  }

  [[nodiscard]] engine::BitReader read() const { return engine::BitReader{bytes_}; }

 private:
  std::vector<std::byte> bytes_;
};

/// Gathers the causes of one tick after the other.
class Gatherer {
 public:
  Gatherer(const Match& match, const std::function<bool(BodyId)>& is_member)
      : match_(match),
        history_(match.history()),
        game_(match.world().game()),
        is_member_(is_member),
        causes_(game_) {}

  void gather(Tick tick) {
    tick_ = tick;
    ago_ = static_cast<std::uint32_t>(history_.tick() - tick);
    add_inputs();
    add_outcomes();
    if ((history_.room().ticks_since(0, before()) >> ago_ & 1) == 0) return;
    causes_.add_room(tick_, bits_of(history_.room().change(0, ago_)).read());
  }

  [[nodiscard]] std::vector<desync::Cause> finish() { return causes_.finish(); }

 private:
  [[nodiscard]] Tick before() const { return {tick_.value - 1}; }

  [[nodiscard]] PayloadBits bits_of(const Payload& payload) const {
    return {history_, tick_, payload};
  }

  /// The change of an input stands at each of its player's avatars in view.
  void add_inputs() {
    const StateAt* state = match_.state_after(tick_);
    const StateAt* past = match_.state_after(before());
    if (state == nullptr) return;
    for (std::size_t row = 0; row < state->rows.size(); ++row) {
      const BodyId id = state->rows.head(row).id;
      if (!views::is_controlled(id)) break;
      const Player player = views::owner_of(id);
      const bool has_changed =
          (history_.inputs().ticks_since(player.seat, before()) >> ago_ & 1) != 0;
      if (!has_changed || !is_member_(id)) continue;
      std::vector<std::byte> held(game_.input.bytes);
      game_.input.write_default(held.data());
      if (past != nullptr && past->rows.contains(id)) {
        std::ranges::copy(past->rows.input(past->rows.index_of(id)), held.begin());
      }
      const PayloadBits bits = bits_of(history_.inputs().change(player.seat, ago_));
      causes_.add_input(tick_, id, bits.read(), held);
    }
  }

  void add_outcomes() {
    for (const OutcomeCause& cause : history_.outcomes().causes_of(tick_)) {
      const BodyId id = history_.slots().slot(cause.slot).id;
      if (!is_member_(id)) continue;
      const PayloadBits bits = bits_of(cause.payload);
      engine::BitReader in = bits.read();
      if (cause.payload.bits == 0) {
        causes_.add(tick_, id, cause.is_strike ? Kind::Strike : Kind::Outcome);
      } else if (in.read(1) != 0) {
        causes_.add_strike(tick_, id, in.read(engine::kSeatBits));
      } else {
        in.read(1);  // the phase
        const std::size_t type = in.read(views::outcome_bits(game_));
        causes_.add_outcome(tick_, id, type, in);
      }
    }
  }

  const Match& match_;
  const MatchHistory& history_;
  const GameTable& game_;
  const std::function<bool(BodyId)>& is_member_;
  Tick tick_;
  std::uint32_t ago_ = 0;
  desync::Causes causes_;
};

}  // namespace

std::vector<desync::Cause> causes_since(const Match& match, Tick since, Tick until,
                                        const std::function<bool(BodyId)>& is_member) {
  constexpr std::uint32_t kBack = protocol::kTicksRemembered - 1;
  const std::uint32_t now = match.history().tick().value;
  const Tick first = std::max(since, Tick{now > kBack ? now - kBack : 0});
  Gatherer gatherer{match, is_member};
  for (Tick tick = first + 1; tick <= until; tick = tick + 1) {
    gatherer.gather(tick);
  }
  return gatherer.finish();
}

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
    Session& session, const Match& match, const protocol::ViewName& view, Instant now) {
  if (view.tick > match.world().tick) return std::unexpected{Refused{}};
  const SentView sent = sent_view(session, match, view.tick);
  if (sent.is_remembered() && !session.snapshots.receipts.has_sent(view.tick, view.server_hash)) {
    return std::unexpected{Refused{}};
  }
  const bool is_too_soon = session.reported && now - *session.reported < kDesyncReportInterval;
  if (is_too_soon) return std::unexpected{limited()};
  Report* report = free_report();
  if (report == nullptr) return std::unexpected{limited()};
  if (!begun_.consume(kDesyncReports, now)) return std::unexpected{limited()};
  session.reported = now;
  if (!sent.is_remembered()) return nullptr;
  *report = {.is_used = true,
             .session = &session,
             .room = session.room->id(),
             .seat = session.player,
             .began = now,
             .view = view,
             .truth = sent.copy()};
  views::encode_view_state(report->truth, view.tick, report->truth_bytes);
  if (view.base_age > 0) {
    const SentView base = sent_view(session, match, {view.tick.value - view.base_age});
    if (base.is_remembered()) report->base = base.copy();
    const Tick since{view.tick.value - view.base_age};
    report->causes = causes_since(match, since, view.tick, [report](BodyId id) {
      return report->truth.rows.contains(id) || (report->base && report->base->rows.contains(id));
    });
  }
  return report;
}

std::expected<DesyncReports::Taken, DesyncReports::Refused> DesyncReports::receive(
    Session& session, const Match& match, const protocol::ViewPart& part, std::size_t bytes,
    Instant now) {
  if (part.parts == 0) return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  Report* report = find(session);
  if (report != nullptr && report->view != part.view) return std::unexpected{limited()};
  if (report == nullptr) {
    const auto begun = begin(session, match, part.view, now);
    if (!begun) return std::unexpected{begun.error()};
    report = *begun;
    if (report == nullptr) return Taken{.is_forgotten = true};
  }
  report->bytes_left += bytes;
  const GameTable& game = match.world().game();
  const bool fits = report->client_view.add(part);
  const bool is_new = fits && report->client_view.is_whole() && !report->is_compared;
  std::optional<views::ViewState> client_view;
  if (is_new)
    client_view = views::decode_view_state(game, report->client_view.bytes(), part.view.tick);
  if (!fits || (is_new && !makes(client_view, part.view))) {
    report->is_used = false;
    return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  }
  if (!report->client_view.is_whole()) return Taken{};
  if (is_new || now - report->answered >= kAnswerAgain) {
    report->to_send =
        protocol::all_parts(protocol::parts_of(report->truth_bytes.size())) & ~part.arrived;
    report->answered = now;
  }
  if (!is_new) return Taken{};
  report->is_compared = true;
  auto difference = views::compare_views(report->truth, *client_view);
  return Taken{.compared = desync::Desync{.side = desync::DesyncSide::Server,
                                          .end = desync::DesyncEnd::Compared,
                                          .room = report->room,
                                          .seat = report->seat,
                                          .view = report->view,
                                          .server_view = report->truth,
                                          .client_view = std::move(client_view),
                                          .base_view = report->base,
                                          .causes = report->causes,
                                          .difference = std::move(difference)}};
}

std::optional<protocol::ViewPart> DesyncReports::next_answer(const Session& session) {
  Report* report = find(session);
  if (report == nullptr || report->to_send == 0) return std::nullopt;
  const auto number = static_cast<std::uint8_t>(std::countr_zero(report->to_send));
  protocol::ViewPart part = protocol::part_of(report->view, report->truth_bytes, number);
  const std::size_t bytes =
      net::kPacketOverheadBytes + protocol::view_part_bytes(part.bytes.size());
  if (bytes > report->bytes_left) return std::nullopt;
  report->bytes_left -= bytes;
  report->to_send &= report->to_send - 1;
  part.arrived = report->client_view.arrived();
  return part;
}

std::optional<DesyncReports::Unfinished> DesyncReports::end(Report& report) {
  report.is_used = false;
  if (report.is_compared) return std::nullopt;
  return Unfinished{.room = report.room,
                    .seat = report.seat,
                    .view = report.view,
                    .arrived = report.client_view.arrived(),
                    .parts = report.client_view.parts()};
}

std::optional<DesyncReports::Unfinished> DesyncReports::remove(const Session& session) {
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

void log_mismatch(LimitedLog& log, Session& session, Instant now) {
  if (!session.unlogged) return;
  log.event(LogKind::Mismatch, Severity::Error, now, [&] {
    return LogEvent{"state_hash_mismatch",
                    {{"room", session.room->id().value},
                     {"seat", session.player.value},
                     {"tick", session.unlogged->tick.value}}};
  });
  session.unlogged.reset();
}

std::expected<void, net::DropReason> DesyncService::receive(
    Session& session, const net::PacketChannel::Opened& opened, Instant now) {
  Metrics& metrics = context_.metrics;
  const auto part = protocol::decode_view_part(opened.message);
  if (!part) return std::unexpected(part.error());
  const std::size_t bytes = opened.message.size() + net::kPacketOverheadBytes;
  auto taken = reports_.receive(session, session.room->match(), *part, bytes, now);
  if (!taken) {
    if (taken.error().is_limited) metrics.count(DesyncResult::Limited);
    return std::unexpected(taken.error().reason);
  }
  const auto encode = [&](const protocol::ViewPart& answer) {
    return protocol::encode_view_part(answer, context_.message_buffer);
  };
  if (taken->is_forgotten) {
    metrics.count(DesyncResult::Forgotten);
    const ConstBytes answer = encode({.view = part->view, .parts = 0, .bytes = {}});
    if (answer.size() + net::kPacketOverheadBytes > bytes) {
      return std::unexpected(net::DropReason::Malformed);
    }
    context_.send(session, net::PacketType::DesyncState, answer);
    return {};
  }
  session.unlogged.reset();  // the report has a line when it ends
  while (const auto next = reports_.next_answer(session)) {
    context_.send(session, net::PacketType::DesyncState, encode(*next));
  }
  if (!taken->compared) return {};
  taken->compared->client = session.room->seats().seat_of(session.player).client;
  record_compared(*taken->compared, now);
  return {};
}

void DesyncService::end(Session& session, Instant now) {
  if (const auto unfinished = reports_.remove(session)) record_unfinished(*unfinished, now);
  log_mismatch(context_.log, session, now);
}

void DesyncService::expire(Instant now) {
  while (const auto unfinished = reports_.expire(now)) {
    record_unfinished(*unfinished, now);
  }
}

void DesyncService::record_compared(const desync::Desync& desync, Instant now) {
  context_.metrics.count(DesyncResult::Compared);
  context_.log.event(LogKind::Desync, Severity::Error, now,
                     [&] { return LogEvent{"desync", desync::fields_of(desync)}; });
  if (sink_ != nullptr) sink_->record(desync);
}

void DesyncService::record_unfinished(const DesyncReports::Unfinished& report, Instant now) {
  context_.metrics.count(DesyncResult::Unfinished);
  context_.log.event(LogKind::Desync, Severity::Warning, now, [&] {
    return LogEvent{"desync_unfinished",
                    {{"room", report.room.value},
                     {"seat", report.seat.value},
                     {"tick", report.view.tick.value},
                     {"server_hash", fmt::format("{:08x}", report.view.server_hash)},
                     {"client_hash", fmt::format("{:08x}", report.view.client_hash)},
                     {"parts", std::popcount(report.arrived)},
                     {"of", report.parts}}};
  });
}

}  // namespace tickbox::server
