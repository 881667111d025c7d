#pragma once
// What a bot of the bomber knows of the cells around it: where it can walk, and where it burns.

#include "games/bomber/field.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::games {

/// The cells up to kFar columns and rows from a middle. What is said of other cells is ignored.
class Lookout {
 public:
  static constexpr std::int32_t kFar = 8;

  /// `cells`: columns and rows of the field.
  Lookout(Cell middle, std::int32_t cells);

  /// Notes that nobody can walk there.
  void close(Cell cell) { set(cell, kClosed); }

  void burn(Cell cell) { set(cell, kBurns); }

  /// Notes that the cell is worth going to.
  void want(Cell cell) { set(cell, kWanted); }

  /// Notes that a bomb will burn along its ways, as far as these are open. Requires: all calls of
  /// close() came before.
  void threaten(Cell bomb, std::int32_t reach) { mark_blast(bomb, reach, kThreatened); }

  /// Notes that the cells from which a bomb reaches this one are worth going to. Requires: as
  /// threaten().
  void aim_at(Cell cell, std::int32_t reach) { mark_blast(cell, reach, kWanted); }

  [[nodiscard]] bool is_threatened(Cell cell) const { return (at(cell) & kThreatened) != 0; }

  [[nodiscard]] bool is_wanted(Cell cell) const { return (at(cell) & kWanted) != 0; }

  /// Returns the direction of the first step to the nearest cell without danger, 0 if the middle is
  /// such a cell, and nothing if no such cell can be reached.
  [[nodiscard]] std::optional<std::int32_t> way_to_safety() const;

  /// Returns the direction of the first step to the nearest cell that is wanted, through cells
  /// without danger; 0 and nothing as way_to_safety().
  [[nodiscard]] std::optional<std::int32_t> way_to_wanted() const;

 private:
  static constexpr std::int32_t kSide = 2 * kFar + 1;
  static constexpr std::uint8_t kClosed = 1;
  static constexpr std::uint8_t kBurns = 2;
  static constexpr std::uint8_t kThreatened = 4;
  static constexpr std::uint8_t kWanted = 8;

  struct Search {
    std::uint8_t avoided = 0;  ///< marks of cells that are not entered
    std::uint8_t without = 0;  ///< marks that the goal does not have
    std::uint8_t with = 0;     ///< marks that the goal has
  };

  [[nodiscard]] std::optional<std::size_t> index_of(Cell cell) const;
  [[nodiscard]] std::uint8_t at(Cell cell) const;
  void set(Cell cell, std::uint8_t mark);
  void mark_blast(Cell from, std::int32_t reach, std::uint8_t mark);
  [[nodiscard]] std::optional<std::int32_t> way(const Search& search) const;

  Cell middle_;
  std::array<std::uint8_t, std::size_t{kSide} * kSide> marks_{};
};

}  // namespace tickbox::games
