#include "client/verification/desync_reporter.h"

#include "engine/bits.h"
#include "views/view_state.h"

#include <utility>

namespace tickbox::client {
namespace {

using Kind = desync::Cause::Kind;

/// Gathers what a content says of the way from its base to a view.
class ContentCauses {
 public:
  explicit ContentCauses(const WrongView& wrong)
      : wrong_(wrong), content_(*wrong.content), causes_(content_.rows.game()) {}

  std::vector<desync::Cause> gather() {
    if (wrong_.base != nullptr) add_causes(wrong_.base->rows);
    for (const views::RowHead& head : content_.rows.heads()) {
      causes_.add(tick(0), head.id, Kind::InFull);
    }
    return causes_.finish();
  }

 private:
  void add_causes(const views::Rows& base) {
    for (const std::uint16_t index : content_.exits) {
      causes_.add(tick(0), base.head(index).id, Kind::Exit);
    }
    for (const views::Content::Outcome& outcome : content_.outcomes) {
      const BodyId entity = base.head(outcome.index).id;
      if (outcome.is_strike) {
        causes_.add_strike(tick(outcome.ago), entity, outcome.shooter.seat);
      } else {
        causes_.add_outcome(tick(outcome.ago), entity, outcome.type, bits(outcome.first));
      }
    }
    for (const views::Content::Room& room : content_.room) {
      causes_.add_room(tick(room.ago), bits(room.first));
    }
    for (std::size_t row = 0; row < base.size(); ++row) {
      const ConstBytes input = base.input(row);
      std::vector<std::byte> held{input.begin(), input.end()};
      for (const views::Content::Input& cause : content_.inputs) {
        if (cause.index != row) continue;
        causes_.add_input(tick(cause.ago), base.head(row).id, bits(cause.first), held);
      }
    }
  }

  [[nodiscard]] Tick tick(std::uint8_t ago) const { return {wrong_.head.tick.value - ago}; }

  [[nodiscard]] engine::BitReader bits(std::size_t first) const {
    return engine::BitReader{wrong_.bytes, first};
  }

  const WrongView& wrong_;
  const views::Content& content_;
  desync::Causes causes_;
};

}  // namespace

std::vector<desync::Cause> causes_of(const WrongView& wrong) {
  return ContentCauses{wrong}.gather();
}

namespace {

views::ViewState state_of(const HeldView& view) {
  return {.rows = view.rows, .room = view.room};
}

std::uint32_t low_bits(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash & 0xffff'ffff);
}

}  // namespace

void DesyncReporter::on_desync(const WrongView& wrong, PlayerId seat, Instant now) {
  const protocol::ViewName name{.tick = wrong.head.tick,
                                .server_hash = wrong.head.view_hash,
                                .client_hash = wrong.client_hash,
                                .base_age = static_cast<std::uint8_t>(wrong.head.base_age)};
  if (desyncs_++ == 0) {
    first_mismatch_ = {
        .tick = name.tick, .expected = name.server_hash, .got = name.client_hash, .difference = {}};
  }
  if (is_under_way_ || (began_ && now - *began_ < kReportStartInterval)) return;
  is_under_way_ = true;
  began_ = now;
  view_ = name;
  seat_ = seat;
  wrong_ = state_of(*wrong.view);
  base_ = std::nullopt;
  if (wrong.base != nullptr) base_ = state_of(*wrong.base);
  causes_ = causes_of(wrong);
  views::encode_view_state(wrong_, view_.tick, wrong_bytes_);
  truth_.clear();
  next_ = 0;
  next_round_ = now;
  inputs_since_ = kInputsPerPart - 1;  // the first part at once: the server soon forgets its view
  if (wrong_bytes_.size() > protocol::kViewBytesMax) give_up();
}

std::optional<protocol::ViewPart> DesyncReporter::next_part(Instant now) {
  if (!is_under_way_ || now < next_round_ || ++inputs_since_ < kInputsPerPart) return std::nullopt;
  inputs_since_ = 0;
  protocol::ViewPart part = protocol::part_of(view_, wrong_bytes_, next_);
  part.arrived = truth_.arrived();
  if (++next_ == part.parts) {
    next_ = 0;
    next_round_ = now + kReportRoundPause;
  }
  return part;
}

std::expected<void, net::DropReason> DesyncReporter::receive(const protocol::ViewPart& part) {
  if (!is_under_way_ || part.view != view_) return std::unexpected{net::DropReason::Unexpected};
  if (part.parts == 0) {
    finish(desync::DesyncEnd::Forgotten);
    return {};
  }
  if (!truth_.add(part)) {
    truth_.clear();
    return std::unexpected{net::DropReason::Malformed};
  }
  if (!truth_.is_whole()) return {};
  auto truth = whole_truth();
  if (!truth) {
    truth_.clear();
    return std::unexpected{net::DropReason::Malformed};
  }
  finish(desync::DesyncEnd::Compared, std::move(truth));
  return {};
}

/// Returns the server's view; nothing if its parts do not make the view with the snapshot's hash.
std::optional<views::ViewState> DesyncReporter::whole_truth() const {
  auto truth = views::decode_view_state(wrong_.rows.game(), truth_.bytes(), view_.tick);
  if (truth && low_bits(views::hash_of(*truth)) != view_.server_hash) return std::nullopt;
  return truth;
}

void DesyncReporter::expire(Instant now) {
  if (is_under_way_ && now - *began_ >= kDesyncReportPatience) give_up();
}

void DesyncReporter::give_up() {
  if (is_under_way_) finish(desync::DesyncEnd::Unanswered);
}

void DesyncReporter::finish(desync::DesyncEnd end, std::optional<views::ViewState> truth) {
  is_under_way_ = false;
  desync::Desync desync{.side = desync::DesyncSide::Client,
                        .end = end,
                        .seat = seat_,
                        .client = std::nullopt,
                        .view = view_,
                        .server_view = std::move(truth),
                        .client_view = std::move(wrong_),
                        .base_view = std::exchange(base_, std::nullopt),
                        .causes = std::move(causes_),
                        .difference = {}};
  if (desync.server_view) {
    desync.difference = views::compare_views(*desync.server_view, *desync.client_view);
    if (first_mismatch_->tick == view_.tick && first_mismatch_->expected == view_.server_hash) {
      first_mismatch_->difference = desync.difference;
    }
  }
  if (sink_ != nullptr) sink_->record(desync);
}

}  // namespace tickbox::client
