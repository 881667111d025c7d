#include "client/scenario/body_reader.h"

#include "client/scenario/scales.h"
#include "sim/path.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::scenario {
namespace {

using sim::Body;
using sim::Kind;

constexpr std::array<std::string_view, 18> kBodyKeys = {
    "id",       "kind",   "min",           "size",   "velocity", "displacement",
    "path",     "speed",  "squeeze",       "mass",   "response", "restitution",
    "friction", "sensor", "gravity_scale", "layers", "one_way",  "collides_with"};

// The words of a key, each at the index of its enumerator; those of kSides one before it, because
// OneWay begins with None.
constexpr std::array<std::string_view, 3> kKinds = {"static", "dynamic", "kinematic"};
constexpr std::array<std::string_view, 4> kResponses = {"slide", "stop", "bounce", "pass"};
constexpr std::array<std::string_view, 4> kSides = {"up", "down", "left", "right"};
constexpr std::array<std::string_view, 2> kSqueezes = {"blocked", "crush"};
static_assert(Kind::Kinematic == Kind{2} && sim::Response::Pass == sim::Response{3} &&
              sim::OneWay::Right == sim::OneWay{4} && sim::Squeeze::Crush == sim::Squeeze{1});

/// A reader of one body, which reads groups of keys in turn.
class BodyReader {
 public:
  BodyReader(ObjectReader& reader, std::uint32_t tick_rate)
      : reader_(&reader), tick_rate_(tick_rate) {}

  BodyOnPath read();

 private:
  void read_shape();
  void read_motion();
  void read_path();
  void read_material();
  void read_manners();
  void check_end();

  /// Sets an error if `key` is given and `fits` is false; `kinds` names the bodies that may have
  /// it.
  void only_for(bool fits, std::string_view key, std::string_view kinds);

  ObjectReader* reader_;
  std::uint32_t tick_rate_;
  BodyOnPath made_;
};

BodyOnPath BodyReader::read() {
  read_shape();
  read_motion();
  read_path();
  read_material();
  read_manners();
  check_end();
  return std::move(made_);
}

void BodyReader::only_for(bool fits, std::string_view key, std::string_view kinds) {
  if (fits || !reader_->has(key)) return;
  const std::string name = "\"" + std::string{key} + "\"";
  reader_->fail(key,
                name + " is for " + std::string{kinds} + " only: remove it, or change \"kind\"");
}

/// The far corner of a box must be a coordinate too.
void BodyReader::check_end() {
  const Body& body = made_.body;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::int64_t{body.min[axis]} + body.size[axis] <= INT32_MAX) continue;
    return reader_->fail("size", "\"min\" and \"size\" must end below 32768");
  }
}

void BodyReader::read_shape() {
  Body& body = made_.body;
  reader_->require("kind");
  body.kind = static_cast<Kind>(reader_->word("kind", kKinds).value_or(1));
  // A body with a path begins at the first point of the path.
  if (!reader_->has("path")) reader_->require("min");
  reader_->require("size");
  body.min = reader_->scaled_pair("min", places()).value_or(Vec2{});
  body.size = reader_->scaled_pair("size", sizes()).value_or(Vec2{1, 1});
}

void BodyReader::read_motion() {
  Body& body = made_.body;
  const char* const key = reader_->has("displacement") ? "displacement" : "velocity";
  body.velocity = velocity_of(*reader_, tick_rate_).value_or(Vec2{});
  if (body.kind == Kind::Static && body.velocity != Vec2{}) {
    reader_->fail(
        key,
        "a static body does not move: remove its velocity, or make the body dynamic or kinematic");
  }
  if (reader_->has("path") && reader_->has(key)) {
    reader_->fail(
        key, "\"" + std::string{key} + "\" and \"path\" cannot be combined: remove one of them");
  }
}

void BodyReader::read_path() {
  Body& body = made_.body;
  const bool is_kinematic = body.kind == Kind::Kinematic;
  only_for(is_kinematic, "path", "kinematic bodies");
  only_for(is_kinematic, "speed", "kinematic bodies with a \"path\"");
  only_for(is_kinematic, "squeeze", "kinematic bodies");
  body.squeeze = static_cast<sim::Squeeze>(reader_->word("squeeze", kSqueezes).value_or(0));
  if (!reader_->has("path")) {
    if (!reader_->has("speed")) return;
    return reader_->fail("speed", "\"speed\" needs a \"path\": add one, or use \"velocity\"");
  }
  if (!reader_->has("speed")) {
    return reader_->fail("path", "key \"speed\" is missing beside \"path\": add it");
  }
  const auto speed = reader_->scaled("speed", speeds(tick_rate_));
  auto points = reader_->scaled_pairs("path", places(), sim::kPathPointsMax);
  if (!points || !speed) return;
  for (std::size_t i = 0; i < points->size(); ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (std::int64_t{(*points)[i][axis]} + body.size[axis] <= kWorldLimit) continue;
      return reader_->fail("path", "\"path\" leaves the world at point " + std::to_string(i + 1) +
                                       ": min plus size must be at most 16384; move the point");
    }
  }
  if (!reader_->has("min")) body.min = points->front();
  if (body.min != points->front()) {
    return reader_->fail("min",
                         "\"min\" is not the first point of \"path\", where the body begins: make "
                         "them equal, or remove \"min\"");
  }
  made_.path = *std::move(points);
  made_.speed = static_cast<std::int32_t>(*speed);
}

void BodyReader::read_material() {
  constexpr std::int64_t kAll = 0xffff;
  const auto to_u16 = [](std::int64_t value) { return static_cast<std::uint16_t>(value); };
  Body& body = made_.body;
  body.mass = to_u16(reader_->whole("mass", 1, kAll).value_or(1));
  const Scale restitution = shares(sim::kFullRestitution, sim::kFullRestitution, "from 0 to 1");
  body.restitution = to_u16(reader_->scaled("restitution", restitution).value_or(0));
  const Scale friction = shares(sim::kFrictionWhole, sim::kFrictionWhole, "from 0 to 1");
  body.friction = static_cast<std::uint8_t>(std::min<std::int64_t>(
      reader_->scaled("friction", friction).value_or(0), sim::kFrictionWhole - 1));
  const Scale gravity = shares(sim::kFullGravity, kAll, "from 0 to 255.99");
  body.gravity_scale =
      to_u16(reader_->scaled("gravity_scale", gravity).value_or(sim::kFullGravity));
  body.layers = to_u16(reader_->whole("layers", 0, kAll).value_or(1));
  body.collides_with = to_u16(reader_->whole("collides_with", 0, kAll).value_or(kAll));
}

void BodyReader::read_manners() {
  Body& body = made_.body;
  body.response = static_cast<sim::Response>(reader_->word("response", kResponses).value_or(0));
  body.sensor = reader_->truth("sensor").value_or(false);
  only_for(body.kind != Kind::Dynamic, "one_way", "static and kinematic bodies");
  const auto side = reader_->word("one_way", kSides);
  if (!side) return;
  body.one_way = static_cast<sim::OneWay>(*side + 1);
  if (sim::is_ghost(body)) {
    reader_->fail("one_way",
                  "a sensor, or a body that passes, stops no body and has no solid side: remove "
                  "\"one_way\", or make the body solid");
  }
}

}  // namespace

BodyOnPath read_body(const JsonValue& object, std::size_t place, std::uint32_t tick_rate,
                     FirstError& error) {
  ObjectReader reader{object, error};
  reader.set_owner("in body number " + std::to_string(place));
  reader.require("id");
  const BodyId id{static_cast<std::uint64_t>(reader.whole("id", 0, id_max()).value_or(0))};
  reader.set_owner("in body " + std::to_string(id.value));
  reader.check_keys(kBodyKeys);
  BodyOnPath made = BodyReader{reader, tick_rate}.read();
  made.body.id = id;
  return made;
}

std::optional<Vec2> velocity_of(ObjectReader& reader, std::uint32_t tick_rate) {
  if (reader.has("velocity") && reader.has("displacement")) {
    reader.fail("displacement", "\"velocity\" and \"displacement\" mean the same; remove one");
  }
  if (reader.has("displacement")) return reader.scaled_pair("displacement", velocities(1));
  return reader.scaled_pair("velocity", velocities(tick_rate));
}

}  // namespace tickbox::scenario
