#pragma once
// The number of ticks that each end remembers. All depths are in one place, because they must fit
// each other.
//
//   server                                        client
//   kTicksRemembered  causes, states, views sent  kViewsHeld          views received
//   kInputsHeldMax    inputs not yet stepped      kPredictionHistory  inputs and predictions
//
// The server sends snapshots with a base at most kBaseAgeMax ticks older. The client sends messages
// with at most kInputsPerMessageMax inputs. Depths of rings are powers of two: the low bits of a
// tick find its slot (core/tick_ring.h).

#include <cstddef>
#include <cstdint>

namespace tickbox::protocol {

/// The most ticks between a snapshot and its base: a second at 60 Hz.
inline constexpr std::uint32_t kBaseAgeMax = 60;

/// The number of ticks for which a server keeps the causes, every entity's state, and the views it
/// sent.
inline constexpr std::uint32_t kTicksRemembered = 64;
static_assert(kTicksRemembered > kBaseAgeMax,
              "a snapshot is made from its base's members and from all causes since");

/// The most views that a client keeps as bases of snapshots. A server sends at most one in a tick.
inline constexpr std::uint32_t kViewsHeld = 64;
static_assert(kViewsHeld > kBaseAgeMax,
              "the oldest base is still read while the view made from it is written");

/// The most inputs in one message: about a second at 60 Hz. A client with more unconfirmed inputs
/// has lost its server.
inline constexpr std::size_t kInputsPerMessageMax = 64;

/// The number of ticks ahead of the world for which a server keeps inputs: about a second at 60 Hz.
/// A client further ahead has lost its clock.
inline constexpr std::uint32_t kInputsHeldMax = 64;
static_assert(kInputsHeldMax >= kInputsPerMessageMax,
              "all inputs of a message that begins with the next tick are held");

/// The most ticks that a client steps again after a snapshot. A client further ahead has lost its
/// clock.
inline constexpr std::uint32_t kReplayMax = 64;
static_assert(kReplayMax >= kInputsHeldMax,
              "a client as far ahead as the server lets it be predicts its newest tick");

/// The number of ticks for which a client keeps its inputs and the first prediction of each.
inline constexpr std::uint32_t kPredictionHistory = 128;
static_assert(kPredictionHistory > kReplayMax,
              "a view is compared with the prediction of its tick, and all ticks after it that are "
              "stepped again need their inputs");

}  // namespace tickbox::protocol
