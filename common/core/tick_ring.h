#pragma once
// A ring of values by tick or by sequence number, in which each slot stores the number of its
// value.
//
// A plain array indexed by `tick % depth` returns a value for every tick. For a tick that was
// skipped, or that is older than the array, it returns the value of another tick. This error shows
// only when packets are lost or a client pauses. Here a slot stores the tick beside the value. A
// tick that was not inserted, or that a later one has replaced, has no value.
// Source: Fiedler, "Reliable Ordered Messages" (2016), and yojimbo's sequence buffer.

#include "core/assert.h"
#include "core/ids.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tickbox {

/// The values of at most `Depth` numbers. Two numbers whose difference is a multiple of Depth share
/// a slot. Numbers may be inserted in any order; every value of their type is a valid number.
/// Cost: constant, no allocation; construction and clear() write every slot.
template <class Number, class Value, std::size_t Depth>
class NumberRing {
  static_assert(Depth >= 2, "an empty slot is marked by a number of another slot");
  static_assert(std::has_single_bit(Depth), "a slot is found by the low bits, past a wrap as well");

 public:
  constexpr NumberRing() { clear(); }

  /// Returns the value of `number`, or nullptr if it is not in the ring.
  [[nodiscard]] constexpr Value* find(Number number) {
    Slot& slot = slots_[index_of(number)];
    return slot.number == number ? &slot.value : nullptr;
  }

  [[nodiscard]] constexpr const Value* find(Number number) const {
    const Slot& slot = slots_[index_of(number)];
    return slot.number == number ? &slot.value : nullptr;
  }

  /// Requires: `number` is in the ring.
  [[nodiscard]] constexpr Value& at(Number number) {
    Value* value = find(number);
    TICKBOX_ASSERT(value != nullptr);
    return *value;
  }

  [[nodiscard]] constexpr const Value& at(Number number) const {
    const Value* value = find(number);
    TICKBOX_ASSERT(value != nullptr);
    return *value;
  }

  /// Gives the slot to `number` and returns its value for writing. The slot still holds its old
  /// value, so that a list keeps its memory: overwrite or clear it.
  [[nodiscard]] constexpr Value& insert(Number number) {
    Slot& slot = slots_[index_of(number)];
    slot.number = number;
    return slot.value;
  }

  /// Gives the value of `from` to `to`, and `from` has none any more; its slot gets what that of
  /// `to` had. Requires: `from` is in the ring.
  constexpr void move(Number from, Number to) {
    TICKBOX_ASSERT(find(from) != nullptr);
    Slot& source = slots_[index_of(from)];
    Slot& target = slots_[index_of(to)];
    source.number = number_of_another(index_of(from));
    target.number = to;
    if (&source != &target) std::swap(source.value, target.value);
  }

  /// Removes `number`, if it is in the ring. The value stays in its slot until the next insert().
  constexpr void erase(Number number) {
    const std::size_t index = index_of(number);
    if (slots_[index].number == number) slots_[index].number = number_of_another(index);
  }

  /// Removes all numbers. The values stay in their slots until the next insert().
  constexpr void clear() {
    for (std::size_t index = 0; index < Depth; ++index) {
      slots_[index].number = number_of_another(index);
    }
  }

  /// Calls `visit(value)` for every number in the ring, in the order of the slots.
  template <class Visit>
  constexpr void for_each(Visit visit) {
    for (std::size_t index = 0; index < Depth; ++index) {
      if (index_of(slots_[index].number) == index) visit(slots_[index].value);
    }
  }

  /// Calls `visit(value)` for every slot, empty or not: to reserve memory.
  template <class Visit>
  constexpr void for_each_slot(Visit visit) {
    for (Slot& slot : slots_) {
      visit(slot.value);
    }
  }

 private:
  struct Slot {
    Number number{};
    Value value{};
  };

  [[nodiscard]] static constexpr std::size_t index_of(Tick tick) {
    return tick.value & (Depth - 1);
  }

  [[nodiscard]] static constexpr std::size_t index_of(std::uint64_t sequence) {
    return sequence & (Depth - 1);
  }

  /// Returns the number that marks an empty slot: a search for this number looks in another slot.
  [[nodiscard]] static constexpr Number number_of_another(std::size_t index) {
    return Number{static_cast<std::uint32_t>(index + 1)};
  }

  std::array<Slot, Depth> slots_{};
};

template <class Value, std::size_t Depth>
using TickRing = NumberRing<Tick, Value, Depth>;

template <class Value, std::size_t Depth>
using SequenceRing = NumberRing<std::uint64_t, Value, Depth>;

}  // namespace tickbox
