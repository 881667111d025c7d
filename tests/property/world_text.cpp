#include "tests/property/world_text.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace tickbox::test {
namespace {

constexpr const char* kKinds[] = {"Static", "Dynamic", "Kinematic", "Fixed"};
constexpr const char* kResponses[] = {"Slide", "Stop", "Bounce", "Pass"};
constexpr const char* kSides[] = {"None", "Up", "Down", "Left", "Right"};

template <class List>
void compare(std::ostream& out, const char* name, const List& fast, const List& naive) {
  const auto [f, n] = std::ranges::mismatch(fast, naive);
  if (f == fast.end() && n == naive.end()) return;
  out << "  " << name << ": " << fast.size() << " fast, " << naive.size() << " naive; entry "
      << (f - fast.begin()) << "\n    fast:  " << (f == fast.end() ? "none" : text_of(*f))
      << "\n    naive: " << (n == naive.end() ? "none" : text_of(*n)) << '\n';
}

void compare(std::ostream& out, const char* name, std::uint32_t fast, std::uint32_t naive) {
  if (fast != naive) out << "  " << name << ": fast " << fast << ", naive " << naive << '\n';
}

}  // namespace

std::string text_of(Vec2 v) {
  return '(' + std::to_string(v.x) + ", " + std::to_string(v.y) + ')';
}

std::string text_of(BodyId id) {
  if (id == sim::kNoBody) return "none";
  return id == sim::kWorldBorder ? "border" : '#' + std::to_string(id.value);
}

std::string text_of(const sim::BodyPair& pair) {
  return text_of(pair.low) + " and " + text_of(pair.high);
}

std::string text_of(const sim::Body& body) {
  const sim::Body plain;
  std::ostringstream out;
  out << text_of(body.id) << ' ' << kKinds[static_cast<int>(body.kind)] << " min "
      << text_of(body.min) << " size " << text_of(body.size);
  if (body.velocity != plain.velocity) out << " velocity " << text_of(body.velocity);
  if (body.response != plain.response) out << ' ' << kResponses[static_cast<int>(body.response)];
  if (body.restitution != 0) out << " restitution " << body.restitution;
  if (body.mass != plain.mass) out << " mass " << body.mass;
  if (body.friction != 0) out << " friction " << int{body.friction};
  if (body.gravity_scale != plain.gravity_scale) out << " gravity_scale " << body.gravity_scale;
  if (body.layers != plain.layers) out << " layers " << body.layers;
  if (body.collides_with != plain.collides_with) out << " collides_with " << body.collides_with;
  if (body.ignores != plain.ignores) out << " ignores " << text_of(body.ignores);
  if (body.sensor) out << " sensor";
  if (body.one_way != plain.one_way) out << " one_way " << kSides[static_cast<int>(body.one_way)];
  if (body.squeeze != plain.squeeze) out << " crush";
  if (body.path != plain.path) out << " path " << body.path;
  if (body.path_ticks != 0) out << " path_ticks " << body.path_ticks;
  if (body.carrier != plain.carrier) out << " carrier " << text_of(body.carrier);
  return out.str();
}

std::string text_of(const sim::Contact& contact) {
  std::ostringstream out;
  out << text_of(contact.a) << " and " << text_of(contact.b) << " normal (" << int{contact.normal_x}
      << ", " << int{contact.normal_y} << ") at " << contact.time << " + " << contact.time_rest
      << " / " << contact.time_divisor << " relative velocity "
      << text_of(contact.relative_velocity);
  return out.str();
}

std::string text_of(const sim::PhysicsWorld& world) {
  std::ostringstream out;
  out << "gravity " << text_of(world.settings().gravity) << ", border "
      << (world.settings().border == sim::Border::Solid ? "solid" : "removes") << '\n';
  for (const sim::Path& path : world.statics().paths()) {
    out << "path, speed " << path.speed() << ':';
    for (const Vec2 point : path.points()) {
      out << ' ' << text_of(point);
    }
    out << '\n';
  }
  for (const sim::Body& body : world.statics().bodies()) {
    out << text_of(body) << '\n';
  }
  for (const sim::Body& body : world.fixed().by_id()) {
    out << text_of(body) << '\n';
  }
  for (const sim::Body& body : world.movers()) {
    out << text_of(body) << '\n';
  }
  return out.str();
}

std::string first_difference(const sim::PhysicsWorld& fast, const sim::PhysicsWorld& naive) {
  const auto [f, n] = std::ranges::mismatch(fast.movers(), naive.movers());
  if (f == fast.movers().end() && n == naive.movers().end()) {
    const bool same = std::ranges::equal(fast.fixed().by_id(), naive.fixed().by_id());
    return same ? "" : "  fixed bodies differ\n";
  }
  return "  first body that differs\n    fast:  " +
         (f == fast.movers().end() ? "none" : text_of(*f)) +
         "\n    naive: " + (n == naive.movers().end() ? "none" : text_of(*n)) + '\n';
}

std::string first_difference(const sim::StepReport& fast, const sim::StepReport& naive) {
  std::ostringstream out;
  compare(out, "contacts", fast.contacts, naive.contacts);
  compare(out, "frozen", fast.frozen, naive.frozen);
  compare(out, "left", fast.left, naive.left);
  compare(out, "overlaps", fast.overlaps, naive.overlaps);
  compare(out, "separated", fast.separated, naive.separated);
  compare(out, "blocked", fast.blocked, naive.blocked);
  compare(out, "crushed", fast.crushed, naive.crushed);
  compare(out, "begin", fast.begin, naive.begin);
  compare(out, "end", fast.end, naive.end);
  compare(out, "events", fast.events, naive.events);
  compare(out, "events_max", fast.events_max, naive.events_max);
  return out.str();
}

}  // namespace tickbox::test
