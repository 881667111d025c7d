#include "server/match/sent_views.h"

#include "core/assert.h"
#include "core/processor.h"

#include <algorithm>
#include <cstddef>

namespace tickbox::server {
namespace {

/// The most changes that are stored. They are removed together, some tens at a time.
constexpr std::size_t kChangesMax = 96;
static_assert(kChangesMax > protocol::kTicksRemembered);

/// Views of at most this many members, of which one or two change from view to view, never
/// allocate.
constexpr std::size_t kUsualMembers = 64;
constexpr std::size_t kUsualAdded = 3 * kChangesMax;

/// Replaces what is between the first and the last members of a view.
void replace(Members& view, std::size_t first, std::size_t last, std::span<const SlotId> added) {
  const std::size_t removed = view.size() - first - last;
  const auto begin = view.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t common = std::min(removed, added.size());
  const auto end = std::ranges::copy(added.first(common), begin).out;
  if (removed > common) {
    view.erase(end, end + static_cast<std::ptrdiff_t>(removed - common));
  } else {
    const std::span<const SlotId> more = added.subspan(common);
    view.insert(end, more.begin(), more.end());
  }
}

}  // namespace

SentViews::SentViews(std::uint32_t base_age_max) : base_age_max_(base_age_max) {
  TICKBOX_ASSERT(base_age_max < protocol::kTicksRemembered);
  changes_.reserve(kChangesMax);
  added_.reserve(kUsualAdded);
  for (Members* const view : {&oldest_, &newest_, &base_}) {
    view->reserve(kUsualMembers);
  }
}

void SentViews::add(Tick tick, std::span<const SlotId> members) {
  TICKBOX_ASSERT(changes_.empty() || last_ < tick);
  if (changes_.size() == kChangesMax) remove_old(tick);
  const std::int64_t passed = tick - last_;
  sent_ = (passed < protocol::kTicksRemembered ? sent_ << passed : 0) | 1U;
  last_ = tick;
  const std::span<const SlotId> before{newest_};
  const auto first =
      static_cast<std::size_t>(std::ranges::mismatch(before, members).in1 - before.begin());
  const std::size_t rest = std::min(before.size(), members.size()) - first;
  std::size_t last = 0;
  while (last < rest && before[before.size() - 1 - last] == members[members.size() - 1 - last]) {
    ++last;
  }
  const std::span<const SlotId> added = members.subspan(first, members.size() - first - last);
  changes_.push_back({.tick = tick,
                      .first = static_cast<std::uint32_t>(first),
                      .last = static_cast<std::uint32_t>(last),
                      .added = static_cast<std::uint32_t>(added.size())});
  added_.insert(added_.end(), added.begin(), added.end());
  newest_.assign(members.begin(), members.end());
}

bool SentViews::acknowledge(Tick tick) {
  if (!was_sent(tick) || is_too_old(tick, last_)) return false;
  if (base_tick_ && *base_tick_ >= tick) return false;
  base_tick_ = tick;
  return true;
}

const Members* SentViews::base(Tick now) {
  if (!has_base(now)) return nullptr;
  if (made_ == base_tick_) return &base_;
  if (!made_ || *made_ > *base_tick_) {
    base_ = oldest_;
    behind_made_ = {};
  }
  behind_made_ = advance(base_, behind_made_, *base_tick_);
  made_ = base_tick_;
  return &base_;
}

const Members* SentViews::newest(Tick now) const {
  if (changes_.empty() || is_too_old(last_, now)) return nullptr;
  return made_ == last_ ? &base_ : &newest_;
}

void SentViews::prefetch() const {
  tickbox::prefetch(changes_.data() + behind_made_.change, 2 * sizeof(Change));
  tickbox::prefetch(added_.data() + behind_made_.added, sizeof(SlotId));
  tickbox::prefetch(newest_.data(), newest_.size() * sizeof(SlotId));
  tickbox::prefetch(base_.data(), base_.size() * sizeof(SlotId));
}

std::optional<Members> SentViews::find(Tick tick, Tick now) const {
  if (!was_sent(tick) || is_too_old(tick, now)) return std::nullopt;
  Members view = oldest_;
  (void)advance(view, {}, tick);
  return view;
}

bool SentViews::was_sent(Tick tick) const {
  const std::int64_t ago = last_ - tick;
  return ago >= 0 && ago < protocol::kTicksRemembered && (sent_ >> ago & 1U) != 0;
}

/// Makes the changes that are too old a part of the oldest view.
void SentViews::remove_old(Tick now) {
  std::size_t old = 0;
  while (old < changes_.size() && is_too_old(changes_[old].tick, now)) {
    ++old;
  }
  if (old == 0) return;
  const Place removed = advance(oldest_, {}, changes_[old - 1].tick);
  changes_.erase(changes_.begin(), changes_.begin() + std::ptrdiff_t{removed.change});
  added_.erase(added_.begin(), added_.begin() + std::ptrdiff_t{removed.added});
  if (behind_made_.change < removed.change) {
    made_ = std::nullopt;
    return;
  }
  behind_made_.change -= removed.change;
  behind_made_.added -= removed.added;
}

/// Makes the view sent of `to` of the view at `from`. Returns the place behind the last change.
SentViews::Place SentViews::advance(Members& view, Place from, Tick to) const {
  for (; from.change < changes_.size(); ++from.change) {
    const Change& change = changes_[from.change];
    if (change.tick > to) break;
    replace(view, change.first, change.last, std::span{added_}.subspan(from.added, change.added));
    from.added += change.added;
  }
  return from;
}

}  // namespace tickbox::server
