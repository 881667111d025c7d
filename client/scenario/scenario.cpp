#include "client/scenario/scenario.h"

#include "client/scenario/scenario_reader.h"
#include "core/fixed.h"
#include "sim/body.h"
#include "sim/crowding.h"
#include "sim/path.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace tickbox::scenario {
namespace {

using sim::Body;
using sim::Kind;

// The scales that turn decimals into the whole numbers of a body, with limits.

std::string within(std::int64_t most) {
  return "from -" + std::to_string(most) + " to " + std::to_string(most);
}

std::int64_t fastest(std::uint32_t ticks_per_second) {
  return std::int64_t{kSpeedLimit / kUnit} * ticks_per_second;
}

/// Returns the scale of positions, in units.
Scale places() {
  return {.factor = kUnit,
          .low = -kWorldLimit,
          .high = kWorldLimit,
          .words = within(kWorldLimit / kUnit)};
}

/// Returns the scale of sizes, in units; the smallest size is one sub-unit.
Scale sizes() {
  return {.factor = kUnit, .low = 1, .high = sim::kSizeLimit, .words = "from 1/65536 to 16384"};
}

/// Returns the scale of fractions: 1 becomes `whole`, and `high` is the largest result. `words` is
/// the text of the limits.
Scale shares(std::int64_t whole, std::int64_t high, std::string words) {
  return {.factor = static_cast<double>(whole), .low = 0, .high = high, .words = std::move(words)};
}

/// Returns the scale of velocities in units per second, or per tick if `ticks_per_second` is 1.
Scale velocities(std::uint32_t ticks_per_second) {
  return {.factor = static_cast<double>(kUnit) / ticks_per_second,
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = within(fastest(ticks_per_second))};
}

/// Returns the same scale for speeds, which are not below 0.
Scale speeds(std::uint32_t ticks_per_second) {
  Scale scale = velocities(ticks_per_second);
  scale.low = 0;
  scale.words = "from 0 to " + std::to_string(fastest(ticks_per_second));
  return scale;
}

/// Returns the scale of accelerations, in units per second².
Scale accelerations(std::uint32_t ticks_per_second) {
  const double rate = ticks_per_second;
  return {.factor = static_cast<double>(kUnit) / (rate * rate),
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = within(fastest(ticks_per_second) * ticks_per_second)};
}

/// The largest id that a body of a scenario may have.
constexpr std::int64_t kIdMax = std::int64_t{UINT32_MAX} - 2;

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

/// A body and its path, if it has one. The number of the path is not known yet.
struct BodyOnPath {
  sim::Body body{};
  std::vector<Vec2> path{};  ///< empty if there is none
  std::int32_t speed = 0;    ///< along the path, in sub-units per tick
};

/// Returns `velocity`, or `displacement` in its place, in sub-units per tick; nothing if neither
/// key is there, or the value is wrong.
std::optional<Vec2> velocity_of(ObjectReader& reader, std::uint32_t tick_rate) {
  if (reader.has("velocity") && reader.has("displacement")) {
    reader.fail("displacement", "\"velocity\" and \"displacement\" mean the same; remove one");
  }
  if (reader.has("displacement")) return reader.scaled_pair("displacement", velocities(1));
  return reader.scaled_pair("velocity", velocities(tick_rate));
}

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

/// Reads the body at `place` in the list. Fails: sets `error`; the returned body is then not valid.
BodyOnPath read_body(const json::Value& object, std::size_t place, std::uint32_t tick_rate,
                     FirstError& error) {
  ObjectReader reader{object, "bodies[" + std::to_string(place) + "]", error};
  reader.require("id");
  const BodyId id{static_cast<std::uint64_t>(reader.whole("id", 0, kIdMax).value_or(0))};
  reader.check_keys(kBodyKeys);
  BodyOnPath made = BodyReader{reader, tick_rate}.read();
  made.body.id = id;
  return made;
}

constexpr std::array<std::string_view, 6> kScenarioKeys = {"tick_rate", "ticks",  "gravity",
                                                           "border",    "bodies", "set"};
constexpr std::array<std::string_view, 4> kSetKeys = {"tick", "id", "velocity", "displacement"};

/// The largest number of keys of an object; a body has at most 22.
constexpr std::size_t kMembersMax = 64;

constexpr std::array<std::string_view, 2> kBorders = {"solid", "remove"};

/// A reader of one file into one scenario.
class Reader {
 public:
  Reader(const json::Value& file, FirstError& error) : file_(&file), error_(&error) {}

  Scenario read();

 private:
  void read_head(ObjectReader& reader);
  void read_bodies(ObjectReader& reader);
  void keep_bodies(std::vector<BodyOnPath> bodies);
  void read_change(const json::Value& object, std::size_t place);
  void sort_changes();
  void check_ids(std::span<const BodyOnPath> bodies);
  void check_crowding();
  void check_can_change(ObjectReader& reader, BodyId id);

  const json::Value* file_;
  FirstError* error_;
  Scenario scenario_;
};

Scenario Reader::read() {
  if (!file_->is_object()) {
    error_->add("", "a scenario must be an object {…}");
    return {};
  }
  ObjectReader reader{*file_, "", *error_};
  read_head(reader);
  read_bodies(reader);
  std::size_t place = 0;
  for (const json::Value& object : reader.objects("set")) {
    if (!error_->found()) read_change(object, place++);
  }
  sort_changes();
  check_crowding();
  return std::move(scenario_);
}

void Reader::read_head(ObjectReader& reader) {
  reader.check_keys(kScenarioKeys);
  for (const char* const key : {"tick_rate", "ticks", "bodies"}) {
    reader.require(key);
  }
  scenario_.tick_rate =
      static_cast<std::uint32_t>(reader.whole("tick_rate", 1, kTickRateMax).value_or(60));
  scenario_.ticks = static_cast<std::uint32_t>(reader.whole("ticks", 0, kTicksMax).value_or(0));
  scenario_.settings.gravity =
      reader.scaled_pair("gravity", accelerations(scenario_.tick_rate)).value_or(Vec2{});
  if (reader.word("border", kBorders) == 1) scenario_.settings.border = sim::Border::Remove;
}

void Reader::read_bodies(ObjectReader& reader) {
  std::vector<BodyOnPath> bodies;
  const std::span<const json::Value> given = reader.objects("bodies");
  if (given.size() > kBodiesMax) {
    reader.fail("bodies", "\"bodies\" has " + std::to_string(given.size()) +
                              " bodies, but at most " + std::to_string(kBodiesMax) +
                              " are possible; remove some");
  }
  for (const json::Value& object : given) {
    if (error_->found()) return;
    bodies.push_back(read_body(object, bodies.size(), scenario_.tick_rate, *error_));
  }
  check_ids(bodies);
  if (!error_->found()) keep_bodies(std::move(bodies));
}

// Sorts by id, so that the order of the file affects neither bodies nor path numbers.
void Reader::keep_bodies(std::vector<BodyOnPath> bodies) {
  std::ranges::sort(bodies, {}, [](const BodyOnPath& each) { return each.body.id; });
  for (BodyOnPath& each : bodies) {
    if (!each.path.empty()) {
      if (scenario_.paths.size() == kPathsMax) {
        return error_->add("bodies", "more than " + std::to_string(kPathsMax) +
                                         " bodies have a \"path\"; give some a \"velocity\"");
      }
      each.body.path = static_cast<std::uint16_t>(scenario_.paths.size());
      scenario_.paths.emplace_back(std::move(each.path), each.speed);
    }
    (each.body.kind == sim::Kind::Static ? scenario_.statics : scenario_.movers)
        .push_back(each.body);
  }
}

void Reader::sort_changes() {
  // Changes of one tick keep the order of the file. (This avoids std::stable_sort, which uses a
  // deprecated function in libstdc++ 12.)
  std::vector<std::pair<Tick, std::size_t>> order;
  order.reserve(scenario_.changes.size());
  for (const VelocityChange& change : scenario_.changes) {
    order.emplace_back(change.tick, order.size());
  }
  std::ranges::sort(order);
  std::vector<VelocityChange> sorted;
  sorted.reserve(order.size());
  for (const auto& [tick, place] : order) {
    sorted.push_back(scenario_.changes[place]);
  }
  scenario_.changes = std::move(sorted);
}

void Reader::check_ids(std::span<const BodyOnPath> bodies) {
  if (error_->found()) return;
  std::vector<std::pair<BodyId, std::size_t>> ids;  // ids with their places in the list
  for (const BodyOnPath& each : bodies) {
    ids.emplace_back(each.body.id, ids.size());
  }
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids, {}, &std::pair<BodyId, std::size_t>::first);
  if (twice == ids.end()) return;
  error_->add(
      "bodies[" + std::to_string(std::next(twice)->second) + "].id",
      "\"id\" " + std::to_string(twice->first.value) + " is given to two bodies; change one");
}

void Reader::check_crowding() {
  if (error_->found()) return;
  const auto crowded = sim::find_crowded_body(
      make_world(scenario_), {.pairs = kPairsMax, .overlaps_per_body = kOverlapsPerBodyMax});
  if (!crowded) return;
  const std::string name = "body " + std::to_string(crowded->id.value);
  error_->add("", crowded->limit == sim::Crowding::Overlaps
                      ? name + " overlaps more than " + std::to_string(kOverlapsPerBodyMax) +
                            " bodies at tick 0; move them apart"
                      : "the paths of more than " + std::to_string(kPairsMax) +
                            " pairs of bodies touch in tick 1, and " + name +
                            " is one of these bodies; move them apart, or give lower speeds");
}

void Reader::read_change(const json::Value& object, std::size_t place) {
  ObjectReader reader{object, "set[" + std::to_string(place) + "]", *error_};
  reader.check_keys(kSetKeys);
  reader.require("tick");
  reader.require("id");
  if (!reader.has("displacement")) reader.require("velocity");
  VelocityChange change;
  change.tick.value = static_cast<std::uint32_t>(reader.whole("tick", 1, kTicksMax).value_or(1));
  change.id.value = static_cast<std::uint64_t>(reader.whole("id", 0, kIdMax).value_or(0));
  reader.allow_null();
  change.velocity = velocity_of(reader, scenario_.tick_rate).value_or(Vec2{});
  const std::string_view key = reader.has("displacement") ? "displacement" : "velocity";
  change.keeps_x = reader.is_null(key, 0);
  change.keeps_y = reader.is_null(key, 1);
  check_can_change(reader, change.id);
  scenario_.changes.push_back(change);
}

void Reader::check_can_change(ObjectReader& reader, BodyId id) {
  const std::string name = "body " + std::to_string(id.value);
  if (std::ranges::binary_search(scenario_.statics, id, {}, &Body::id)) {
    return reader.fail(
        "id", name + " is static and does not move: name another body, or make this one dynamic");
  }
  const auto mover = std::ranges::lower_bound(scenario_.movers, id, {}, &Body::id);
  if (mover == scenario_.movers.end() || mover->id != id) {
    return reader.fail("id", "\"bodies\" has no " + name + ": give the id of another");
  }
  if (mover->path != sim::kNoPath) {
    reader.fail("id",
                name + " follows a path: name another body, or replace its path by a \"velocity\"");
  }
}

}  // namespace

std::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                    std::string_view file_name) {
  const auto file = json::read(text, {.members = kMembersMax});
  if (!file) {
    return std::unexpected(std::string{file_name} + ":" + std::to_string(file.error().line) + ": " +
                           file.error().message);
  }
  FirstError error{.file = std::string{file_name}};
  Scenario scenario = Reader{*file, error}.read();
  if (error.found()) return std::unexpected(error.line);
  return scenario;
}

sim::PhysicsWorld make_world(const Scenario& scenario) {
  sim::PhysicsWorld world{scenario.settings,
                          std::make_shared<const sim::Statics>(scenario.statics, scenario.paths)};
  for (const Body& body : scenario.movers) {
    world.add(body);
  }
  return world;
}

}  // namespace tickbox::scenario
