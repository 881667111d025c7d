#pragma once
// How many ticks each end remembers: all depths in one place, because they have to fit each other.
//
//   server                                        client
//   kTicksRemembered  causes, states, views sent  kViewsHeld          views received
//   kInputsHeldMax    inputs not yet stepped      kPredictionHistory  inputs and predictions
//
// Between them travel snapshots on a base of at most kBaseAgeMax ticks before, and messages of at
// most kInputsPerMessageMax inputs. Depths are powers of two: they size rings (core/tick_ring.h).

#include <cstddef>
#include <cstdint>

namespace tickbox::protocol {

/// Ticks between a snapshot and its base: what the bits of a shot can say.
inline constexpr std::uint32_t kBaseAgeMax = 60;

/// Ticks of which a server keeps the causes, every entity's state, and the views it sent.
inline constexpr std::uint32_t kTicksRemembered = 64;
static_assert(kTicksRemembered > kBaseAgeMax,
              "a snapshot is made from its base's members and from all causes since");

/// Ticks of views that a client keeps to build snapshots on.
inline constexpr std::uint32_t kViewsHeld = 64;
static_assert(kViewsHeld > kBaseAgeMax,
              "the oldest base is still read while the view made from it is written");

/// Inputs in one message: a second at 60 Hz; a client with more unconfirmed has lost its server.
inline constexpr std::size_t kInputsPerMessageMax = 64;

/// Ticks ahead of the world of which a server holds inputs: a second at 60 Hz; a client further
/// ahead has lost its clock.
inline constexpr std::uint32_t kInputsHeldMax = 64;
static_assert(kInputsHeldMax >= kInputsPerMessageMax,
              "all inputs of a message that begins with the next tick are held");

/// Ticks that a client steps again at most after a snapshot; one further ahead has lost its clock.
inline constexpr std::uint32_t kReplayMax = 64;
static_assert(kReplayMax >= kInputsHeldMax,
              "a client as far ahead as the server lets it be predicts its newest tick");

/// Ticks of which a client keeps its inputs and the first prediction.
inline constexpr std::uint32_t kPredictionHistory = 128;
static_assert(kPredictionHistory > kReplayMax,
              "a view is compared with the prediction of its tick, and all ticks after it that are "
              "stepped again need their inputs");

}  // namespace tickbox::protocol
