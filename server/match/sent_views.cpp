#include "server/match/sent_views.h"

#include "core/assert.h"

#include <algorithm>
#include <cstddef>

namespace tickbox::server {
namespace {

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
}

void SentViews::add(Tick tick, std::span<const SlotId> members) {
  TICKBOX_ASSERT(changes_.empty() || changes_.back().tick < tick);
  forget_old(tick);
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
  replace(newest_, first, last, added);
}

bool SentViews::acknowledge(Tick tick) {
  if (!is_remembered(tick) || is_too_old(tick, changes_.back().tick)) return false;
  if (base_tick_ && *base_tick_ >= tick) return false;
  if (base_tick_ && is_remembered(*base_tick_)) {
    advance(base_, base_tick_, tick);
  } else {
    base_ = oldest_;
    advance(base_, std::nullopt, tick);
  }
  base_tick_ = tick;
  return true;
}

const Members* SentViews::newest(Tick now) const {
  return changes_.empty() || is_too_old(changes_.back().tick, now) ? nullptr : &newest_;
}

std::optional<Members> SentViews::find(Tick tick, Tick now) const {
  if (!is_remembered(tick) || is_too_old(tick, now)) return std::nullopt;
  Members view = oldest_;
  advance(view, std::nullopt, tick);
  return view;
}

bool SentViews::is_remembered(Tick tick) const {
  return std::ranges::binary_search(changes_, tick, {}, &Change::tick);
}

void SentViews::forget_old(Tick now) {
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
