#include "server/match/sent_views.h"

#include "core/assert.h"

namespace tickbox::server {
namespace {

/// A view of at most this many members never allocates.
constexpr std::size_t kUsualMembers = 32;

}  // namespace

SentViews::SentViews(std::uint32_t base_age_max) : base_age_max_(base_age_max) {
  TICKBOX_ASSERT(base_age_max < protocol::kTicksRemembered);
  sent_.for_each_slot([](Members& members) { members.reserve(kUsualMembers); });
}

Members& SentViews::add(Tick tick) {
  newest_ = tick;
  Members& members = sent_.insert(tick);
  members.clear();
  return members;
}

bool SentViews::acknowledge(Tick tick) {
  if (sent_.find(tick) == nullptr || is_too_old(tick, newest_)) return false;
  if (base_ && *base_ >= tick) return false;
  base_ = tick;
  return true;
}

const Members* SentViews::base(Tick now) const {
  return base_ ? find(*base_, now) : nullptr;
}

const Members* SentViews::find(Tick tick, Tick now) const {
  return is_too_old(tick, now) ? nullptr : sent_.find(tick);
}

}  // namespace tickbox::server
