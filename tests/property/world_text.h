#pragma once
// Worlds, bodies and reports as text for messages of failed tests.

#include "sim/step_report.h"
#include "sim/world.h"

#include <string>

namespace tickbox::test {

[[nodiscard]] std::string text_of(Vec2 v);
[[nodiscard]] std::string text_of(BodyId id);
[[nodiscard]] std::string text_of(const sim::BodyPair& pair);

/// Id, kind, place and size, and each other field that differs from its default; in sub-units.
[[nodiscard]] std::string text_of(const sim::Body& body);

[[nodiscard]] std::string text_of(const sim::Contact& contact);

/// The settings, statics, paths, fixed bodies and movers.
[[nodiscard]] std::string text_of(const sim::PhysicsWorld& world);

/// The first mover in which they differ, from both sides, or that their fixed bodies differ; empty
/// if both are equal.
[[nodiscard]] std::string first_difference(const sim::PhysicsWorld& fast,
                                           const sim::PhysicsWorld& naive);

/// The first entry of every list in which they differ, from both sides; empty if they are equal.
/// Influences are not compared: the rules do not define them.
[[nodiscard]] std::string first_difference(const sim::StepReport& fast,
                                           const sim::StepReport& naive);

}  // namespace tickbox::test
