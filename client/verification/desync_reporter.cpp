#include "client/verification/desync_reporter.h"

#include <utility>

namespace tickbox::client {

void DesyncReporter::on_desync(const WrongView& wrong, const protocol::Snapshot& snapshot,
                               PlayerId seat, Instant now) {
  if (desyncs_++ == 0) {
    first_mismatch_ = {.tick = wrong.name.tick,
                       .expected = wrong.name.server_hash,
                       .got = wrong.name.client_hash,
                       .difference = {}};
  }
  if (is_under_way_ || (began_ && now - *began_ < kReportStartInterval)) return;
  is_under_way_ = true;
  began_ = now;
  view_ = wrong.name;
  seat_ = seat;
  wrong_.assign(wrong.entities.begin(), wrong.entities.end());
  base_ = std::nullopt;
  if (view_.base_age > 0) base_.emplace(wrong.base.begin(), wrong.base.end());
  causes_ = protocol::causes_of(snapshot, view_.tick, wrong.base);
  truth_.clear();
  next_ = 0;
  next_round_ = now;
  inputs_since_ = kInputsPerPart - 1;  // the first part at once: the server soon forgets its view
}

std::optional<protocol::ViewPart> DesyncReporter::next_part(Instant now) {
  if (!is_under_way_ || now < next_round_ || ++inputs_since_ < kInputsPerPart) return std::nullopt;
  inputs_since_ = 0;
  protocol::ViewPart part = protocol::part_of(view_, wrong_, next_);
  part.arrived = truth_.arrived();
  if (++next_ == part.parts) {
    next_ = 0;
    next_round_ = now + kReportRoundPause;
  }
  return part;
}

std::expected<void, net::DropReason> DesyncReporter::take(const protocol::ViewPart& part) {
  if (!is_under_way_ || part.view != view_) return std::unexpected{net::DropReason::Unexpected};
  if (part.parts == 0) {
    finish(protocol::DesyncEnd::Forgotten);
    return {};
  }
  const bool fits = truth_.take(part);
  if (!fits || (truth_.is_whole() && protocol::view_hash(truth_.members()) != view_.server_hash)) {
    truth_.clear();
    return std::unexpected{net::DropReason::Malformed};
  }
  if (truth_.is_whole()) finish(protocol::DesyncEnd::Compared);
  return {};
}

void DesyncReporter::expire(Instant now) {
  if (is_under_way_ && now - *began_ >= kDesyncReportPatience) give_up();
}

void DesyncReporter::give_up() {
  if (is_under_way_) finish(protocol::DesyncEnd::Unanswered);
}

void DesyncReporter::finish(protocol::DesyncEnd end) {
  is_under_way_ = false;
  protocol::Desync desync{.side = protocol::DesyncSide::Client,
                          .end = end,
                          .seat = seat_,
                          .view = view_,
                          .server_view = {},
                          .client_view = std::move(wrong_),
                          .base_view = std::move(base_),
                          .causes = std::move(causes_),
                          .difference = {}};
  if (end == protocol::DesyncEnd::Compared) {
    desync.server_view.emplace(truth_.members().begin(), truth_.members().end());
    desync.difference = game::compare_views(*desync.server_view, *desync.client_view);
    if (first_mismatch_->tick == view_.tick && first_mismatch_->expected == view_.server_hash) {
      first_mismatch_->difference = desync.difference;
    }
  }
  if (sink_ != nullptr) sink_->note(desync);
}

}  // namespace tickbox::client
