#pragma once
// The field of the bomber: cells of one unit, a pillar in every other cell of every other row,
// bricks, and a place for each seat.

#include "tickbox/game.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::games {

/// A cell by its column and row; (0, 0) is the upper left one.
struct Cell {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend constexpr bool operator==(Cell, Cell) = default;
};

/// The cell of a place on the field.
constexpr Cell cell_at(Vec2 place) {
  return {.x = place.x / kUnit, .y = place.y / kUnit};
}

/// The minimum corner of a box of this size in the middle of a cell.
constexpr Vec2 middle_of(Cell cell, Vec2 size) {
  return {cell.x * kUnit + (kUnit - size.x) / 2, cell.y * kUnit + (kUnit - size.y) / 2};
}

constexpr bool is_pillar(Cell cell) {
  return cell.x % 2 != 0 && cell.y % 2 != 0;
}

/// Directions of a walk: none, right, down, left, up.
inline constexpr std::array<Cell, 5> kWays = {{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

constexpr Cell step_from(Cell cell, Cell way, std::int32_t steps = 1) {
  return {.x = cell.x + way.x * steps, .y = cell.y + way.y * steps};
}

/// Builds the field for a number of seats. Objects: field (all of it), spawn (the cell of each
/// seat), brick (each cell where one grows; at most 8,000).
void build_field(MapBuilder& map, std::uint32_t seats);

/// What a bot of the bomber knows of the cells around it: where it can walk, and where it burns.
/// These are the cells up to kFar columns and rows from a middle. What is said of other cells is
/// ignored.
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
