#pragma once
// Bodies that a client should have in full, and their order.

#include "server/match/body_slots.h"
#include "views/content.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace tickbox::server {

/// Priorities: own bodies go before known bodies, and these before bodies that are new to the view.
inline constexpr std::uint32_t kOwnPriority = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kKnownPriority = 1U << 30;

/// The distance in units from which on all bodies count as equally far.
inline constexpr std::int64_t kFarUnits = 64;

/// A body that the client should have in full.
struct Candidate {
  SlotId slot = kNoSlot;
  std::uint32_t priority = 0;
  bool replaces_state = false;  ///< the client replaces its own state of the body
  bool can_wait = false;        ///< new to the view, and not an own body

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Orders by priority, then by slot.
inline constexpr auto kGoesBefore = [](const Candidate& a, const Candidate& b) {
  return (std::uint64_t{a.priority} << 32 | ~a.slot) > (std::uint64_t{b.priority} << 32 | ~b.slot);
};

/// Gives candidates in order, as far as they are asked for. In a crowd few of hundreds fit, and
/// sorting all of them would take most of the time of a plan. Counting puts them into classes of
/// similar priorities, without comparing them. A class is sorted when its first candidate is asked
/// for.
class BestFirst {
 public:
  /// Requires: at most views::kMembersMax candidates, which live longer.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as there are candidates
  explicit BestFirst(std::span<const Candidate> candidates) : candidates_(candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      classes_[i] = class_of(candidates[i].priority);
      ++ends_[classes_[i]];
    }
    std::uint16_t first = 0;
    for (std::uint16_t& end : ends_) {
      first = static_cast<std::uint16_t>(first + std::exchange(end, first));
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      order_[ends_[classes_[i]]++] = static_cast<std::uint16_t>(i);
    }
  }

  /// Requires: not more often than there are candidates.
  const Candidate& pop() {
    if (at_ == end_) sort_class();
    return candidates_[order_[at_++]];
  }

 private:
  /// The classes of known and own bodies have one priority each. Those of new bodies are four for
  /// each power of two.
  static constexpr unsigned kNewShift = 2;
  static constexpr std::uint32_t kNewClasses = 30U << kNewShift;
  static constexpr std::uint32_t kKnownClasses = kFarUnits + 2;

  static std::uint16_t class_of(std::uint32_t priority) {
    if (priority >= kKnownPriority) {
      const std::uint32_t above = std::min(priority - kKnownPriority, kKnownClasses - 1);
      return static_cast<std::uint16_t>(kKnownClasses - 1 - above);
    }
    constexpr unsigned kExact = kNewShift + 1;
    const auto width = static_cast<unsigned>(std::bit_width(priority));
    const unsigned shift = width > kExact ? width - kExact : 0;
    const std::uint32_t above = (shift << kNewShift) + (priority >> shift);
    return static_cast<std::uint16_t>(kKnownClasses + kNewClasses - 1 - above);
  }

  void sort_class() {
    while (ends_[class_] == at_) {
      ++class_;
    }
    end_ = ends_[class_];
    std::ranges::sort(order_.begin() + at_, order_.begin() + end_, [this](auto a, auto b) {
      return kGoesBefore(candidates_[a], candidates_[b]);
    });
  }

  std::span<const Candidate> candidates_;
  std::array<std::uint16_t, kKnownClasses + kNewClasses> ends_{};
  std::array<std::uint16_t, views::kMembersMax> classes_;  ///< by candidate
  std::array<std::uint16_t, views::kMembersMax> order_;    ///< candidates, by class
  std::size_t class_ = 0;
  std::uint16_t at_ = 0;
  std::uint16_t end_ = 0;  ///< of the class that is sorted
};

}  // namespace tickbox::server
