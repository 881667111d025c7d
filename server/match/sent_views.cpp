#include "server/match/sent_views.h"

#include "core/assert.h"

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
  const bool is_later = made_ && *made_ < *base_tick_ && is_remembered(*made_);
  if (!is_later) base_ = oldest_;
  advance(base_, is_later ? made_ : std::nullopt, *base_tick_);
  made_ = base_tick_;
  return &base_;
}

const Members* SentViews::newest(Tick now) const {
  return changes_.empty() || is_too_old(last_, now) ? nullptr : &newest_;
}

std::optional<Members> SentViews::find(Tick tick, Tick now) const {
  if (!was_sent(tick) || is_too_old(tick, now)) return std::nullopt;
  Members view = oldest_;
  advance(view, std::nullopt, tick);
  return view;
}

bool SentViews::was_sent(Tick tick) const {
  const std::int64_t ago = last_ - tick;
  return ago >= 0 && ago < protocol::kTicksRemembered && (sent_ >> ago & 1U) != 0;
}

bool SentViews::is_remembered(Tick tick) const {
  return std::ranges::binary_search(changes_, tick, {}, &Change::tick);
}

void SentViews::remove_old(Tick now) {
  std::size_t changes = 0;
  std::size_t added = 0;
  for (; changes < changes_.size() && is_too_old(changes_[changes].tick, now); ++changes) {
    const Change& change = changes_[changes];
    replace(oldest_, change.first, change.last, std::span{added_}.subspan(added, change.added));
    added += change.added;
  }
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(changes));
  added_.erase(added_.begin(), added_.begin() + static_cast<std::ptrdiff_t>(added));
}

/// Makes the view sent of `to` of the one sent of `from`, or of the oldest.
void SentViews::advance(Members& view, std::optional<Tick> from, Tick to) const {
  std::size_t added = 0;
  for (const Change& change : changes_) {
    if (change.tick > to) return;
    if (!from || change.tick > *from) {
      replace(view, change.first, change.last, std::span{added_}.subspan(added, change.added));
    }
    added += change.added;
  }
}

}  // namespace tickbox::server
