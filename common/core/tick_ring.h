#pragma once
// A ring of values by tick, or by sequence number, in which each slot knows whose value it holds.
//
// An array indexed by `tick % depth` answers for every tick. For one that was left out, or that
// lies further back than the array, the answer is the value of another tick, and that shows only
// once packets are lost or a client pauses. Here a slot keeps the tick beside the value, and a tick
// that was not inserted, or that a later one has replaced, has no value.
// Source: Fiedler, "Reliable Ordered Messages" (2016), and yojimbo's sequence buffer.

#include "core/assert.h"
#include "core/ids.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tickbox {

/// Values of `Depth` numbers at most; two numbers that are a multiple of Depth apart share a slot.
/// Numbers may be inserted in any order, and every value of their type is one.
/// Cost: constant, no allocation; construction and clear() touch every slot.
template <class Number, class Value, std::size_t Depth>
class NumberRing {
  static_assert(Depth >= 2, "an empty slot is marked by a number of another slot");
  static_assert(std::has_single_bit(Depth), "a slot is found by the low bits, past a wrap as well");

 public:
  constexpr NumberRing() { clear(); }

  /// The value of `number`, or nullptr if it is not in the ring.
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

  /// The value of `number`, to be written: the slot is its own from now on. The value is still what
  /// the slot held before, so that a list keeps its memory; overwrite or clear it.
  [[nodiscard]] constexpr Value& insert(Number number) {
    Slot& slot = slots_[index_of(number)];
    slot.number = number;
    return slot.value;
  }

  /// Removes `number`, if it is in the ring. Its value is not touched until the next insert().
  constexpr void erase(Number number) {
    const std::size_t index = index_of(number);
    if (slots_[index].number == number) slots_[index].number = number_of_another(index);
  }

  /// Removes all. Their values are not touched until the next insert().
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

  /// Marks an empty slot: nobody looks for this number here.
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
