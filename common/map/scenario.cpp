#include "map/scenario.h"

#include "map/scenario_reader.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tickbox::map {
namespace {

using sim::Body;

constexpr std::array<std::string_view, 6> kScenarioKeys = {"tick_rate", "ticks",  "gravity",
                                                           "border",    "bodies", "set"};
constexpr std::array<std::string_view, 12> kBodyKeys = {
    "id",   "kind",        "min",           "size",   "velocity",      "displacement",
    "mass", "restitution", "gravity_scale", "layers", "collides_with", "response"};
constexpr std::array<std::string_view, 4> kSetKeys = {"tick", "id", "velocity", "displacement"};

constexpr std::array<std::string_view, 2> kKinds = {"static", "dynamic"};
constexpr std::array<std::string_view, 3> kResponses = {"slide", "stop", "bounce"};
constexpr std::array<std::string_view, 2> kBorders = {"solid", "remove"};

Scale lengths(std::int64_t low, std::string words) {
  return {.factor = kUnit, .low = low, .high = kWorldLimit, .words = std::move(words)};
}

Scale shares(std::int64_t whole, std::int64_t high, std::string words) {
  return {.factor = static_cast<double>(whole), .low = 0, .high = high, .words = std::move(words)};
}

/// Speeds in units per second, or per tick where `ticks_per_second` is 1.
Scale speeds(std::uint32_t ticks_per_second) {
  const auto fastest = std::int64_t{kSpeedLimit / kUnit} * ticks_per_second;
  return {.factor = static_cast<double>(kUnit) / ticks_per_second,
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = "from -" + std::to_string(fastest) + " to " + std::to_string(fastest)};
}

Scale accelerations(std::uint32_t rate) {
  const auto most = std::int64_t{kSpeedLimit / kUnit} * rate * rate;
  return {.factor = static_cast<double>(kUnit) / (static_cast<double>(rate) * rate),
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = "from -" + std::to_string(most) + " to " + std::to_string(most)};
}

std::int64_t id_max() {
  return std::int64_t{sim::kWorldBorder.value} - 1;
}

/// Reads the parts of one file into one scenario.
class Reader {
 public:
  Reader(const JsonValue& file, FirstError& error) : file_(&file), error_(&error) {}

  Scenario read();

 private:
  void read_head(ObjectReader& reader);
  void read_body(const JsonValue& object, std::size_t place);
  void read_material(ObjectReader& reader, Body& body);
  void read_change(const JsonValue& object, std::size_t place);
  void sort_changes();
  void check_ids();
  std::optional<Vec2> velocity_of(ObjectReader& reader);

  /// The objects listed at `key`; an error, and none, where anything else stands there.
  std::span<const JsonValue> objects(ObjectReader& reader, std::string_view key);

  const JsonValue* file_;
  FirstError* error_;
  Scenario scenario_;
};

Scenario Reader::read() {
  if (file_->kind != JsonValue::Kind::Object) {
    error_->add(file_->line, "a scenario must be an object {…}");
    return {};
  }
  ObjectReader reader{*file_, *error_};
  read_head(reader);
  std::size_t place = 0;
  for (const JsonValue& object : objects(reader, "bodies")) {
    if (!error_->found()) read_body(object, ++place);
  }
  check_ids();
  place = 0;
  for (const JsonValue& object : objects(reader, "set")) {
    if (!error_->found()) read_change(object, ++place);
  }
  sort_changes();
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

std::span<const JsonValue> Reader::objects(ObjectReader& reader, std::string_view key) {
  const JsonMember* const list = file_->find(key);
  if (list == nullptr) return {};
  const bool right = list->value.kind == JsonValue::Kind::List &&
                     std::ranges::all_of(list->value.items, [](const JsonValue& item) {
                       return item.kind == JsonValue::Kind::Object;
                     });
  if (right) return list->value.items;
  reader.fail(key, "\"" + std::string{key} + "\" must be a list of objects [{…}, …]");
  return {};
}

void Reader::read_body(const JsonValue& object, std::size_t place) {
  ObjectReader reader{object, *error_};
  reader.set_owner("in the body at place " + std::to_string(place));
  Body body;
  reader.require("id");
  body.id.value = static_cast<std::uint32_t>(reader.whole("id", 0, id_max()).value_or(0));
  reader.set_owner("in body " + std::to_string(body.id.value));
  reader.check_keys(kBodyKeys);
  for (const char* const key : {"kind", "min", "size"}) {
    reader.require(key);
  }
  if (reader.word("kind", kKinds) == 0) body.kind = sim::Kind::Static;
  body.min =
      reader.scaled_pair("min", lengths(-kWorldLimit, "from -16384 to 16384")).value_or(Vec2{});
  body.size = reader.scaled_pair("size", lengths(1, "from 1/65536 to 16384")).value_or(Vec2{1, 1});
  body.velocity = velocity_of(reader).value_or(Vec2{});
  if (body.kind == sim::Kind::Static && body.velocity != Vec2{}) {
    reader.fail(reader.has("velocity") ? "velocity" : "displacement",
                "a static body does not move: remove its velocity, or make it dynamic");
  }
  read_material(reader, body);
  (body.kind == sim::Kind::Static ? scenario_.statics : scenario_.movers).push_back(body);
}

void Reader::read_material(ObjectReader& reader, Body& body) {
  constexpr std::int64_t kAll = 0xffff;
  const auto to_u16 = [](std::int64_t value) { return static_cast<std::uint16_t>(value); };
  constexpr std::array<sim::Response, 3> kMeanings = {sim::Response::Slide, sim::Response::Stop,
                                                      sim::Response::Bounce};
  body.response = kMeanings[reader.word("response", kResponses).value_or(0)];
  body.mass = to_u16(reader.whole("mass", 1, kAll).value_or(1));
  body.layers = to_u16(reader.whole("layers", 0, kAll).value_or(1));
  body.collides_with = to_u16(reader.whole("collides_with", 0, kAll).value_or(kAll));
  const Scale restitution = shares(sim::kFullRestitution, sim::kFullRestitution, "from 0 to 1");
  body.restitution = to_u16(reader.scaled("restitution", restitution).value_or(0));
  const Scale gravity = shares(sim::kFullGravity, kAll, "from 0 to 255.99");
  body.gravity_scale = to_u16(reader.scaled("gravity_scale", gravity).value_or(sim::kFullGravity));
}

std::optional<Vec2> Reader::velocity_of(ObjectReader& reader) {
  if (reader.has("velocity") && reader.has("displacement")) {
    reader.fail("displacement", "\"velocity\" and \"displacement\" mean the same; remove one");
  }
  if (reader.has("displacement")) return reader.scaled_pair("displacement", speeds(1));
  return reader.scaled_pair("velocity", speeds(scenario_.tick_rate));
}

void Reader::sort_changes() {
  // Of one tick, those further down in the file apply later.
  std::ranges::stable_sort(scenario_.changes, {}, &VelocityChange::tick);
}

void Reader::check_ids() {
  if (error_->found()) return;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ids;  // and their lines
  for (const JsonValue& body : file_->find("bodies")->value.items) {
    const JsonMember* const id = body.find("id");
    ids.emplace_back(id->value.whole, id->line);
  }
  std::ranges::sort(ids);
  const auto twice =
      std::ranges::adjacent_find(ids, {}, &std::pair<std::int64_t, std::uint32_t>::first);
  if (twice == ids.end()) return;
  error_->add(std::next(twice)->second, "\"id\" " + std::to_string(twice->first) +
                                            " is given to two bodies; give one of them another");
}

void Reader::read_change(const JsonValue& object, std::size_t place) {
  ObjectReader reader{object, *error_};
  reader.set_owner("in the set at place " + std::to_string(place));
  reader.check_keys(kSetKeys);
  reader.require("tick");
  reader.require("id");
  if (!reader.has("displacement")) reader.require("velocity");
  VelocityChange change;
  change.tick.value = static_cast<std::uint32_t>(reader.whole("tick", 1, kTicksMax).value_or(1));
  change.id.value = static_cast<std::uint32_t>(reader.whole("id", 0, id_max()).value_or(0));
  change.velocity = velocity_of(reader).value_or(Vec2{});
  const bool known =
      std::ranges::any_of(scenario_.movers, [&](const Body& body) { return body.id == change.id; });
  if (!known) {
    reader.fail("id", "no dynamic body has the id " + std::to_string(change.id.value));
  }
  scenario_.changes.push_back(change);
}

}  // namespace

std::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                    std::string_view file_name) {
  FirstError error{.file = std::string{file_name}};
  const auto file = parse_json(text);
  if (!file) {
    error.add(file.error().line, file.error().message);
    return std::unexpected(error.line);
  }
  Scenario scenario = Reader{*file, error}.read();
  if (error.found()) return std::unexpected(error.line);
  return scenario;
}

sim::World make_world(const Scenario& scenario) {
  sim::World world{scenario.settings, std::make_shared<const sim::Statics>(scenario.statics)};
  std::vector<Body> movers = scenario.movers;
  std::ranges::sort(movers, {}, &Body::id);
  for (const Body& body : movers) {
    world.add(body);
  }
  return world;
}

}  // namespace tickbox::map
