#include "server/sent_views.h"

namespace tickbox::server {

ViewMembers& SentViews::add(Tick tick) {
  Sent& sent = sent_[tick.value % sent_.size()];
  sent.tick = tick;
  sent.members.clear();
  return sent.members;
}

void SentViews::acknowledge(Tick tick) {
  const bool is_held = sent_[tick.value % sent_.size()].tick == tick;
  if (is_held && (!base_ || *base_ < tick)) base_ = tick;
}

const ViewMembers* SentViews::base(Tick now) const {
  if (!base_ || now - *base_ >= static_cast<std::int64_t>(sent_.size())) return nullptr;
  return &sent_[base_->value % sent_.size()].members;
}

const ViewMembers* SentViews::find(Tick tick, Tick now) const {
  const Sent& sent = sent_[tick.value % sent_.size()];
  if (sent.tick != tick || now - tick >= static_cast<std::int64_t>(sent_.size())) return nullptr;
  return &sent.members;
}

}  // namespace tickbox::server
