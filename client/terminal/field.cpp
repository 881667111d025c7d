#include "client/terminal/field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tickbox::terminal {
namespace {

constexpr Rgb kUnseen{.red = 0, .green = 0, .blue = 0};
constexpr Rgb kFloor{.red = 18, .green = 22, .blue = 28};
constexpr Rgb kDot{.red = 44, .green = 52, .blue = 62};
constexpr Rgb kWall{.red = 96, .green = 108, .blue = 122};
constexpr Rgb kWallUnseen{.red = 48, .green = 54, .blue = 61};
constexpr Rgb kLedge{.red = 140, .green = 116, .blue = 72};
constexpr Rgb kOwn{.red = 255, .green = 255, .blue = 255};
constexpr Rgb kDark{.red = 0, .green = 0, .blue = 0};

/// Dots on the floor show movement where there are no walls. The distance between two dots, in
/// units.
constexpr std::int64_t kDotUnits = 4;

Rgb rgb_of(Colour colour) {
  switch (colour) {
    case Colour::Black:
      return {.red = 92, .green = 92, .blue = 92};
    case Colour::Red:
      return {.red = 229, .green = 86, .blue = 75};
    case Colour::Green:
      return {.red = 98, .green = 196, .blue = 98};
    case Colour::Yellow:
      return {.red = 240, .green = 196, .blue = 64};
    case Colour::Blue:
      return {.red = 98, .green = 150, .blue = 240};
    case Colour::Magenta:
      return {.red = 208, .green = 112, .blue = 208};
    case Colour::Cyan:
      return {.red = 84, .green = 200, .blue = 208};
    case Colour::White:
      break;
  }
  return {.red = 216, .green = 216, .blue = 216};
}

/// The limit of a view's half extent that is drawn, in sub-units.
constexpr std::int32_t kSightMax = 4'096 * kUnit;

Vec2 sight_of(const Scene& scene) {
  return {.x = std::clamp(scene.sight.x, 1, kSightMax),
          .y = std::clamp(scene.sight.y, 1, kSightMax)};
}

enum class Ground : std::uint8_t { Unseen, Floor, Dot, Wall, Ledge };

struct Pixel {
  Ground ground = Ground::Unseen;
  bool is_seen = false;
  const DrawnBody* body = nullptr;

  friend bool operator==(const Pixel&, const Pixel&) = default;
};

/// A rectangle of pixels, which may reach beyond the picture.
struct PixelBox {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t right = 0;   ///< beyond the last
  std::int64_t bottom = 0;  ///< beyond the last
};

class Picture {
 public:
  Picture(const Scene& scene, std::size_t columns, std::size_t rows)
      : columns_(static_cast<std::int64_t>(columns)),
        rows_(static_cast<std::int64_t>(rows)),
        pixels_(columns * rows * 2) {
    const auto width = static_cast<double>(columns_);
    const auto height = static_cast<double>(2 * rows_);
    const Vec2 sight = sight_of(scene);
    scale_ = std::min(width / (2.0 * sight.x), height / (2.0 * sight.y));
    left_ = to_pixels(scene.centre.x) - columns_ / 2;
    top_ = to_pixels(scene.centre.y) - rows_;
  }

  void draw_floor(const Scene& scene) {
    const Vec2 sight = sight_of(scene);
    const Vec2 corner{.x = scene.centre.x - sight.x, .y = scene.centre.y - sight.y};
    const PixelBox seen = box_of(corner, {.x = 2 * sight.x, .y = 2 * sight.y});
    visit(seen, [](Pixel& pixel) {
      pixel.ground = Ground::Floor;
      pixel.is_seen = true;
    });
    const double step = scale_ * static_cast<double>(kDotUnits * kUnit);
    if (step < 2) return;
    const auto first = [step](std::int64_t pixel) {
      return std::llround(std::ceil(static_cast<double>(pixel) / step));
    };
    const auto place = [step](std::int64_t dot) {
      return std::llround(static_cast<double>(dot) * step);
    };
    for (std::int64_t y = first(top_); place(y) < top_ + 2 * rows_; ++y) {
      for (std::int64_t x = first(left_); place(x) < left_ + columns_; ++x) {
        const std::int64_t column = place(x) - left_;
        const std::int64_t row = place(y) - top_;
        visit({.left = column, .top = row, .right = column + 1, .bottom = row + 1},
              [](Pixel& pixel) {
                if (pixel.is_seen) pixel.ground = Ground::Dot;
              });
      }
    }
  }

  void draw_wall(const sim::Body& wall) {
    const Ground ground = wall.one_way == OneWay::None ? Ground::Wall : Ground::Ledge;
    const auto beyond = [this](std::int32_t min, std::int32_t size) {
      return std::int64_t{std::llround(static_cast<double>(std::int64_t{min} + size) * scale_)};
    };
    PixelBox box{.left = to_pixels(wall.min.x) - left_, .top = to_pixels(wall.min.y) - top_};
    box.right = std::max(beyond(wall.min.x, wall.size.x) - left_, box.left + 1);
    box.bottom = std::max(beyond(wall.min.y, wall.size.y) - top_, box.top + 1);
    visit(box, [ground](Pixel& pixel) { pixel.ground = ground; });
  }

  void draw_body(const DrawnBody& body) {
    visit(box_of(body.min, body.size), [&body](Pixel& pixel) { pixel.body = &body; });
  }

  /// Calls visit_cell(column, row) for the cell in the middle of a body, if it is in the picture.
  template <class Visit>
  void find_middle(const DrawnBody& body, Visit visit_cell) const {
    const PixelBox box = box_of(body.min, body.size);
    const std::int64_t column = (box.left + box.right - 1) / 2;
    const std::int64_t row = (box.top + box.bottom - 1) / 2;
    if (column < 0 || column >= columns_ || row < 0 || row >= 2 * rows_) return;
    visit_cell(static_cast<std::size_t>(column), static_cast<std::size_t>(row / 2));
  }

  [[nodiscard]] const Pixel& at(std::size_t column, std::size_t row) const {
    return pixels_[row * static_cast<std::size_t>(columns_) + column];
  }

 private:
  [[nodiscard]] std::int64_t to_pixels(std::int32_t place) const {
    return std::llround(static_cast<double>(place) * scale_);
  }

  /// Returns the pixels of a body, which always has the same number of them.
  [[nodiscard]] PixelBox box_of(Vec2 min, Vec2 size) const {
    const std::int64_t left = to_pixels(min.x) - left_;
    const std::int64_t top = to_pixels(min.y) - top_;
    return {.left = left,
            .top = top,
            .right = left + std::max<std::int64_t>(to_pixels(size.x), 1),
            .bottom = top + std::max<std::int64_t>(to_pixels(size.y), 1)};
  }

  template <class Visit>
  void visit(const PixelBox& box, Visit visit_pixel) {
    const std::int64_t right = std::min(box.right, columns_);
    const std::int64_t bottom = std::min(box.bottom, 2 * rows_);
    for (std::int64_t y = std::max<std::int64_t>(box.top, 0); y < bottom; ++y) {
      for (std::int64_t x = std::max<std::int64_t>(box.left, 0); x < right; ++x) {
        visit_pixel(pixels_[static_cast<std::size_t>(y * columns_ + x)]);
      }
    }
  }

  std::int64_t columns_;
  std::int64_t rows_;  ///< of cells
  double scale_ = 0;   ///< pixels per sub-unit
  std::int64_t left_ = 0;
  std::int64_t top_ = 0;
  std::vector<Pixel> pixels_;
};

Rgb rgb_of(const Pixel& pixel) {
  if (pixel.body != nullptr) return pixel.body->is_own ? kOwn : rgb_of(pixel.body->look.colour);
  switch (pixel.ground) {
    case Ground::Unseen:
      return kUnseen;
    case Ground::Floor:
    case Ground::Dot:
      return kFloor;
    case Ground::Wall:
      return pixel.is_seen ? kWall : kWallUnseen;
    case Ground::Ledge:
      break;
  }
  return kLedge;
}

bool is_floor(const Pixel& pixel) {
  return pixel.body == nullptr && (pixel.ground == Ground::Floor || pixel.ground == Ground::Dot);
}

bool is_empty(const Pixel& pixel) {
  return is_floor(pixel) || (pixel.body == nullptr && pixel.ground == Ground::Unseen);
}

Cell coloured_cell(const Pixel& top, const Pixel& bottom) {
  const bool has_dot = top.ground == Ground::Dot || bottom.ground == Ground::Dot;
  if (has_dot && is_floor(top) && is_floor(bottom)) {
    return {.glyph = U'·', .style = {.ink = kDot, .paper = kFloor}};
  }
  const Rgb above = rgb_of(top);
  const Rgb below = rgb_of(bottom);
  if (above == below) {
    return {.glyph = is_empty(top) ? U' ' : U'█', .style = {.ink = above, .paper = below}};
  }
  // Walls and bodies are ink, so that the text without its colours shows them too.
  if (is_empty(top)) return {.glyph = U'▄', .style = {.ink = below, .paper = above}};
  return {.glyph = U'▀', .style = {.ink = above, .paper = below}};
}

/// The cell in the middle of a body, with its glyph: dark on the body's colour if the body fills
/// the cell, else in that colour. The own body always fills its cell, so that a player finds it.
Cell coloured_glyph(const DrawnBody& body, const Pixel& top, const Pixel& bottom) {
  const auto glyph = static_cast<char32_t>(body.look.glyph);
  if (body.is_own) {
    return {.glyph = glyph, .style = {.ink = kDark, .paper = kOwn, .is_marked = true}};
  }
  const Rgb colour = rgb_of(body.look.colour);
  if (top.body == &body && bottom.body == &body) {
    return {.glyph = glyph, .style = {.ink = kDark, .paper = colour}};
  }
  const Pixel& other = top.body == &body ? bottom : top;
  const Rgb under = rgb_of(other);
  return {.glyph = glyph, .style = {.ink = colour, .paper = under == colour ? kFloor : under}};
}

Cell plain_cell(const Pixel& top, const Pixel& bottom) {
  const DrawnBody* body = top.body != nullptr ? top.body : bottom.body;
  if (body != nullptr) {
    return {.glyph = static_cast<char32_t>(body->look.glyph), .style = {.is_marked = body->is_own}};
  }
  const auto is_wall = [](const Pixel& pixel) { return pixel.ground >= Ground::Wall; };
  if (is_wall(top) && is_wall(bottom)) {
    const bool are_ledges = top.ground == Ground::Ledge && bottom.ground == Ground::Ledge;
    return {.glyph = are_ledges ? U'▒' : U'█', .style = {}};
  }
  if (is_wall(top)) return {.glyph = U'▀', .style = {}};
  if (is_wall(bottom)) return {.glyph = U'▄', .style = {}};
  const bool has_dot = top.ground == Ground::Dot || bottom.ground == Ground::Dot;
  return {.glyph = has_dot ? U'·' : U' ', .style = {}};
}

/// Returns the bodies in the order in which they are drawn: large ones first, own ones last.
std::vector<const DrawnBody*> in_order(std::span<const DrawnBody> bodies) {
  std::vector<const DrawnBody*> order;
  order.reserve(bodies.size());
  for (const DrawnBody& body : bodies) {
    order.push_back(&body);
  }
  const auto area = [](const DrawnBody* body) { return std::int64_t{body->size.x} * body->size.y; };
  std::ranges::stable_sort(order, [&](const DrawnBody* a, const DrawnBody* b) {
    if (a->is_own != b->is_own) return b->is_own;
    return area(a) > area(b);
  });
  return order;
}

}  // namespace

void draw_field(const Scene& scene, RowRange rows, Colours colours, Screen& screen) {
  const std::size_t columns = screen.size().columns;
  Picture picture{scene, columns, rows.count};
  picture.draw_floor(scene);
  for (const sim::Body& wall : scene.walls) {
    picture.draw_wall(wall);
  }
  const std::vector<const DrawnBody*> bodies = in_order(scene.bodies);
  for (const DrawnBody* body : bodies) {
    picture.draw_body(*body);
  }
  for (std::size_t row = 0; row < rows.count; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const Pixel& top = picture.at(column, 2 * row);
      const Pixel& bottom = picture.at(column, 2 * row + 1);
      screen.at(column, rows.first + row) =
          colours == Colours::All ? coloured_cell(top, bottom) : plain_cell(top, bottom);
    }
  }
  for (const DrawnBody* body : bodies) {
    picture.find_middle(*body, [&](std::size_t column, std::size_t row) {
      const Pixel& top = picture.at(column, 2 * row);
      const Pixel& bottom = picture.at(column, 2 * row + 1);
      // A body that covers the middle of another one hides the glyph of that one.
      if (top.body != body && bottom.body != body) return;
      Cell& cell = screen.at(column, rows.first + row);
      if (colours == Colours::All) {
        cell = coloured_glyph(*body, top, bottom);
      } else {
        cell = {.glyph = static_cast<char32_t>(body->look.glyph),
                .style = {.is_marked = body->is_own}};
      }
    });
  }
}

}  // namespace tickbox::terminal
