#include "client/scenario/scenario.h"

#include "client/scenario/body_reader.h"
#include "client/scenario/scales.h"
#include "client/scenario/scenario_reader.h"
#include "sim/crowding.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tickbox::scenario {
namespace {

using sim::Body;

constexpr std::array<std::string_view, 6> kScenarioKeys = {"tick_rate", "ticks",  "gravity",
                                                           "border",    "bodies", "set"};
constexpr std::array<std::string_view, 4> kSetKeys = {"tick", "id", "velocity", "displacement"};

constexpr std::array<std::string_view, 2> kBorders = {"solid", "remove"};

/// A reader of one file into one scenario.
class Reader {
 public:
  Reader(const JsonValue& file, FirstError& error) : file_(&file), error_(&error) {}

  Scenario read();

 private:
  void read_head(ObjectReader& reader);
  void read_bodies(ObjectReader& reader);
  void keep_bodies(std::vector<BodyOnPath> bodies);
  void read_change(const JsonValue& object, std::size_t place);
  void sort_changes();
  void check_ids();
  void check_crowding();
  void check_can_change(ObjectReader& reader, BodyId id);

  /// Returns the line of a body's id.
  [[nodiscard]] std::uint32_t line_of(BodyId id) const;

  /// Returns the objects in the list at `key`. Sets an error and returns none if the value is
  /// anything else.
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
  read_bodies(reader);
  std::size_t place = 0;
  for (const JsonValue& object : objects(reader, "set")) {
    if (!error_->found()) read_change(object, ++place);
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

void Reader::read_bodies(ObjectReader& reader) {
  std::vector<BodyOnPath> bodies;
  const std::span<const JsonValue> given = objects(reader, "bodies");
  if (given.size() > kBodiesMax) {
    reader.fail("bodies", "\"bodies\" has " + std::to_string(given.size()) +
                              " bodies, but at most " + std::to_string(kBodiesMax) +
                              " are possible; remove some");
  }
  for (const JsonValue& object : given) {
    if (error_->found()) return;
    bodies.push_back(read_body(object, bodies.size() + 1, scenario_.tick_rate, *error_));
  }
  check_ids();
  if (!error_->found()) keep_bodies(std::move(bodies));
}

// Sorts by id, so that the order of the file affects neither bodies nor path numbers.
void Reader::keep_bodies(std::vector<BodyOnPath> bodies) {
  std::ranges::sort(bodies, {}, [](const BodyOnPath& each) { return each.body.id; });
  for (BodyOnPath& each : bodies) {
    if (!each.path.empty()) {
      if (scenario_.paths.size() == kPathsMax) {
        return error_->add(file_->line, "more than " + std::to_string(kPathsMax) +
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

void Reader::check_ids() {
  if (error_->found()) return;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ids;  // ids with their lines
  for (const JsonValue& body : file_->find("bodies")->value.items) {
    const JsonMember* const id = body.find("id");
    ids.emplace_back(id->value.whole, id->line);
  }
  std::ranges::sort(ids);
  const auto twice =
      std::ranges::adjacent_find(ids, {}, &std::pair<std::int64_t, std::uint32_t>::first);
  if (twice == ids.end()) return;
  error_->add(std::next(twice)->second,
              "\"id\" " + std::to_string(twice->first) + " is given to two bodies; change one");
}

void Reader::check_crowding() {
  if (error_->found()) return;
  const auto crowded = sim::find_crowded_body(
      make_world(scenario_), {.pairs = kPairsMax, .overlaps_per_body = kOverlapsPerBodyMax});
  if (!crowded) return;
  const std::string name = "body " + std::to_string(crowded->id.value);
  error_->add(line_of(crowded->id),
              crowded->limit == sim::Crowding::Overlaps
                  ? name + " overlaps more than " + std::to_string(kOverlapsPerBodyMax) +
                        " bodies at tick 0; move them apart"
                  : "the paths of more than " + std::to_string(kPairsMax) +
                        " pairs of bodies touch in tick 1, and " + name +
                        " is one of these bodies; move them apart, or give lower speeds");
}

std::uint32_t Reader::line_of(BodyId id) const {
  for (const JsonValue& body : file_->find("bodies")->value.items) {
    const JsonMember* const member = body.find("id");
    if (std::cmp_equal(member->value.whole, id.value)) return member->line;
  }
  return file_->line;
}

void Reader::read_change(const JsonValue& object, std::size_t place) {
  ObjectReader reader{object, *error_};
  reader.set_owner("in set number " + std::to_string(place));
  reader.check_keys(kSetKeys);
  reader.require("tick");
  reader.require("id");
  if (!reader.has("displacement")) reader.require("velocity");
  VelocityChange change;
  change.tick.value = static_cast<std::uint32_t>(reader.whole("tick", 1, kTicksMax).value_or(1));
  change.id.value = static_cast<std::uint64_t>(reader.whole("id", 0, id_max()).value_or(0));
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

sim::PhysicsWorld make_world(const Scenario& scenario) {
  sim::PhysicsWorld world{scenario.settings,
                          std::make_shared<const sim::Statics>(scenario.statics, scenario.paths)};
  for (const Body& body : scenario.movers) {
    world.add(body);
  }
  return world;
}

}  // namespace tickbox::scenario
