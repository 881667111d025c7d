#pragma once
// Whether a box that went straight from one place to another came through a second one that did the
// same: decided exactly, and from places alone, so that it can judge any way of stepping.

#include "sim/box.h"

#include <cstdint>
#include <optional>

namespace tickbox::apps {

/// Where a body was when a tick began, and where it was when it ended.
struct Course {
  sim::Box from;
  sim::Box to;
};

/// From which of the two ends of an axis something came.
enum class CameFrom : std::uint8_t { Low, High };

/// The face by which a box went in.
struct Passage {
  sim::Axis axis = 0;
  CameFrom side = CameFrom::Low;
};

/// How `body` came through `other`: apart before and after, and inside in between. Nothing for
/// those who only touch on the way. In by a corner, it is the axis of larger speed, then y.
[[nodiscard]] std::optional<Passage> passage_through(const Course& body, const Course& other);

/// Whether `body` lies wholly beyond the face opposite to that of `passage`.
[[nodiscard]] bool is_beyond(const Passage& passage, const sim::Box& body, const sim::Box& other);

}  // namespace tickbox::apps
