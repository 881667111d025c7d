#include "server/host/fleet/agones_calls.h"

#include "core/assert.h"
#include "core/text.h"
#include "json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::server {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Set by Agones with each allocation, also of a GameServer that is allocated already.
constexpr std::string_view kLastAllocated = "agones.dev/last-allocated";
/// Annotations of an allocation: the room that it needs. Agones keeps those of earlier allocations,
/// so an empty one is as good as none.
constexpr std::string_view kGame = "tickbox.dev/game";
constexpr std::string_view kMap = "tickbox.dev/map";
constexpr std::string_view kSeed = "tickbox.dev/seed";
/// What Agones writes before the key of an annotation that a server sets.
constexpr std::string_view kShownAs = "agones.dev/sdk-";

constexpr std::string_view kPlayerList = "/v1beta1/lists/players";

constexpr std::size_t kReasonMax = 200;

/// Returns whether a GameServer has not yet taken the request to be ready. Later, another one would
/// take it out of its match: Agones makes an allocated GameServer ready again.
bool is_before_ready(std::string_view state) {
  constexpr std::array<std::string_view, 5> kStates{"", "PortAllocation", "Creating", "Starting",
                                                    "Scheduled"};
  return std::ranges::find(kStates, state) != kStates.end();
}

std::string as_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Returns whether the side car says that the spec does not have this counter or list. The
/// documents of Agones say 404 then, and its side car says 500 and "not found".
bool is_missing(const AgonesAnswer& answer) {
  return answer.status == 404 || (!answer.is_taken() && (answer.text.contains("not found") ||
                                                         answer.text.contains("not enabled")));
}

/// Returns "" for an annotation that is not there.
std::string annotation_of(const GameServer& server, std::string_view key) {
  const auto found = server.annotations.find(std::string{key});
  return found == server.annotations.end() ? std::string{} : found->second;
}

using Json = nlohmann::json;

/// Returns the value of a key; null if `object` is none or has none.
const Json& member(const Json& object, const char* key) {
  static const Json kNone;
  const auto found = object.find(key);
  return found != object.end() ? *found : kNone;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// Returns a whole number: one of 64 bits is text in the JSON of Agones.
std::optional<std::uint64_t> number_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return parse_as<std::uint64_t>(text_of(value));
}

GameServer game_server_of(const Json& document) {
  const Json& meta = member(document, "object_meta");
  const Json& status = member(document, "status");
  GameServer server{.version = number_of(member(meta, "resource_version")),
                    .state = text_of(member(status, "state")),
                    .address = text_of(member(status, "address"))};
  for (const Json& port : member(status, "ports")) {
    const std::uint64_t number = number_of(member(port, "port")).value_or(0);
    const bool is_port = number <= std::numeric_limits<std::uint16_t>::max();
    server.ports.push_back(is_port ? static_cast<std::uint16_t>(number) : 0);
  }
  for (const auto& [key, value] : member(meta, "annotations").items()) {
    server.annotations[key] = text_of(value);
  }
  for (const auto& [key, counter] : member(status, "counters").items()) {
    if (const auto count = number_of(member(counter, "count"))) {
      server.counters[key] = {.count = *count,
                              .capacity = number_of(member(counter, "capacity")).value_or(0)};
    }
  }
  return server;
}

}  // namespace

// --- what the side car says of this server ---

std::expected<GameServer, std::string> parse_game_server(std::string_view text) {
  const Json document = json::read_or_null(text);
  if (!member(document, "status").is_object()) {
    return std::unexpected{"the answer is no GameServer of Agones"};
  }
  return game_server_of(document);
}

std::expected<GameServer, std::string> parse_watch_line(std::string_view text) {
  const Json document = json::read_or_null(text);
  const Json& result = member(document, "result");
  if (!member(result, "status").is_object()) {
    return std::unexpected{"a line of the watch is no GameServer of Agones"};
  }
  return game_server_of(result);
}

std::expected<std::set<std::string>, std::string> parse_list(std::string_view text) {
  const Json document = json::read_or_null(text);
  if (!document.is_object()) return std::unexpected{"the answer is no list of Agones"};
  std::set<std::string> values;
  for (const Json& value : member(document, "values")) {
    if (value.is_string()) values.insert(value.get<std::string>());
  }
  return values;
}

// --- the changes of the list of players ---

void PlayerList::set(std::set<std::string> values) {
  values_ = std::move(values);
  changes_.clear();
}

const ListChange* PlayerList::next(std::span<const std::uint64_t> players) {
  if (changes_.empty()) {
    std::set<std::string> wanted;
    for (const std::uint64_t client : players) {
      wanted.insert(std::to_string(client));
    }
    for (const std::string& value : values_) {
      if (!wanted.contains(value)) changes_.push_back({ListChange::Kind::Remove, value});
    }
    for (const std::string& value : wanted) {
      if (!values_.contains(value)) changes_.push_back({ListChange::Kind::Add, value});
    }
    if (changes_.size() > kChangesMost) changes_.resize(kChangesMost);
  }
  return changes_.empty() ? nullptr : &changes_.front();
}

bool PlayerList::apply_next() {
  TICKBOX_ASSERT(!changes_.empty());
  const ListChange& change = changes_.front();
  if (change.kind == ListChange::Kind::Add) {
    values_.insert(change.value);
  } else {
    values_.erase(change.value);
  }
  changes_.pop_front();
  return changes_.empty();
}

// --- pace ---

void AgonesCalls::Pace::wait(Duration time, Instant now) {
  pause_ = {};
  next_ = now + time;
}

void AgonesCalls::Pace::back_off(Instant now) {
  pause_ = std::clamp(2 * pause_, kPauseLeast, kPauseMost);
  next_ = now + pause_;
}

void AgonesCalls::Pace::follow(const AgonesAnswer& answer, Duration time, Instant now) {
  if (answer.is_taken()) {
    wait(time, now);
  } else {
    back_off(now);
  }
}

// --- calls and answers ---

std::optional<AgonesCall> AgonesCalls::next(const ServerFacts& facts, Instant now) {
  using About = AgonesCall::About;
  if (facts.is_alive && health_.is_due(now)) {
    return AgonesCall{.about = About::Health, .path = "/health", .body = "{}"};
  }
  if (shutdown_asked_) {
    if (shutdown_taken_ || !shutdown_.is_due(now)) return std::nullopt;
    return AgonesCall{.about = About::Shutdown, .path = "/shutdown", .body = "{}"};
  }
  if (readiness_ == Readiness::Wanted) {
    if (!facts.is_alive) return std::nullopt;
    return AgonesCall{.about = About::Ready, .path = "/ready", .body = "{}"};
  }
  const bool is_unsure = readiness_ == Readiness::Asked && ready_.is_due(now);
  if (is_unsure || game_server_.is_due(now)) {
    return AgonesCall{
        .about = About::GameServer, .method = os::HttpMethod::Get, .path = "/gameserver"};
  }
  if (readiness_ != Readiness::Taken) return std::nullopt;
  answer_rooms(now);
  auto call = annotation_call(facts, now);
  if (!call) call = counter_call(facts, now);
  return call ? std::move(call) : list_call(facts, now);
}

void AgonesCalls::record_answer(const AgonesCall& call, const AgonesAnswer& answer, Instant now) {
  if (answer.status != 0) failing_.erase("");
  switch (call.about) {
    case AgonesCall::About::Health:
      health_.wait(kHealthPeriod, now);
      break;
    case AgonesCall::About::Ready:
      readiness_ = Readiness::Asked;
      ready_.follow(answer, kTakenPatience, now);
      break;
    case AgonesCall::About::GameServer: {
      const auto server = parse_game_server(answer.text);
      if (answer.is_taken() && !server) {
        return record_answer(call, {.status = 0, .text = server.error()}, now);
      }
      record_state(server.value_or(GameServer{}), answer, now);
      break;
    }
    case AgonesCall::About::Annotation: {
      Annotation& annotation = annotations_.at(call.number);
      annotation.pace.follow(answer, {}, now);
      if (answer.is_taken()) annotation.taken_at = now;
      annotation.has_news = !answer.is_taken();
      break;
    }
    case AgonesCall::About::Counter:
      return record_counter(counters_.at(call.number), answer, now);
    case AgonesCall::About::List:
      return record_list(answer, now);
    case AgonesCall::About::ListChange:
      record_list_change(answer, now);
      break;
    case AgonesCall::About::Shutdown:
      shutdown_.back_off(now);
      if (answer.is_taken()) shutdown_taken_ = now;
      break;
  }
  if (answer.is_taken()) {
    failing_.erase(call.path);
  } else {
    log_failure(call.path, answer);
  }
}

/// Records the answer to GET /gameserver. Only such an answer, which is of this moment, lets the
/// server ask to be ready again.
void AgonesCalls::record_state(const GameServer& server, const AgonesAnswer& answer, Instant now) {
  game_server_.follow(answer, kGameServerPeriod, now);
  const bool is_unsure = readiness_ == Readiness::Asked && ready_.is_due(now);
  if (answer.is_taken()) {
    observe(server, now);
    if (is_unsure && is_before_ready(server.state)) readiness_ = Readiness::Wanted;
  } else if (is_unsure) {
    ready_.back_off(now);
  }
}

void AgonesCalls::log_failure(std::string_view path, const AgonesAnswer& answer) {
  const std::string_view kind = answer.status == 0 ? std::string_view{} : path;
  if (!failing_.emplace(kind).second) return;
  const std::string text = answer.text.substr(0, kReasonMax);
  const bool has_status = answer.status != 0 && !answer.is_taken();
  const std::string reason = has_status ? fmt::format("status {}: {}", answer.status, text) : text;
  log_.event(Severity::Warning, {"agones_call_failed", {{"call", path}, {"reason", reason}}});
}

// --- what the GameServer says ---

void AgonesCalls::record_line(std::string_view line, Instant now) {
  const auto server = parse_watch_line(line);
  if (!server) return log_failure("/watch/gameserver", {.status = 200, .text = server.error()});
  if (!watch_since_) watch_since_ = now;
  observe(*server, now);
}

void AgonesCalls::record_watch_end(const AgonesAnswer& answer, Instant now) {
  const auto since = std::exchange(watch_since_, std::nullopt);
  if (since && now - *since >= kTakenPatience) {
    watch_.wait({}, now);
    failing_.erase("/watch/gameserver");
  }
  watch_.back_off(now);
  log_failure("/watch/gameserver", answer);
}

/// Takes what has changed. An event that is older than another one, or repeats it, changes nothing.
void AgonesCalls::observe(const GameServer& server, Instant now) {
  if (server.version && version_ && *server.version < *version_) return;
  if (server.version) version_ = server.version;
  if (server.state != std::exchange(state_, server.state)) {
    log_.event(Severity::Info,
               {"agones_state", {{"state", server.state}, {"address", server.address}}});
  }
  if (!is_before_ready(server.state)) readiness_ = Readiness::Taken;
  // A side car that was restarted may have lost what it had taken.
  for (Annotation& each : annotations_) {
    const bool is_shown =
        each.value.empty() ||
        annotation_of(server, fmt::format("{}{}", kShownAs, each.key)) == each.value;
    if (!is_shown && now - each.taken_at >= kTakenPatience) each.has_news = true;
  }
  for (Counter& counter : counters_) {
    const auto found = server.counters.find(std::string{counter.key});
    if (found == server.counters.end()) continue;
    if (counter.capacity == 0) counter.capacity = found->second.capacity;
    if (counter.sent && found->second.count != counter.sent->count &&
        now - counter.sent_at >= kTakenPatience) {
      counter.sent.reset();
    }
  }
  const std::string allocated = annotation_of(server, kLastAllocated);
  if (!allocated.empty() && allocated != std::exchange(last_allocated_, allocated)) {
    orders_.add_allocation();
    open_allocated(server);
  }
}

// --- rooms of allocations ---

/// Logs an allocation, and orders the room that it names.
void AgonesCalls::open_allocated(const GameServer& server) {
  const std::string game = annotation_of(server, kGame);
  const std::string map = annotation_of(server, kMap);
  const std::string seed = annotation_of(server, kSeed);
  LogEvent event{"agones_allocated", {{"allocated", last_allocated_}}};
  if (!game.empty()) event.fields.emplace_back("game", game);
  if (!map.empty()) event.fields.emplace_back("map", map);
  if (!seed.empty()) event.fields.emplace_back("seed", seed);
  log_.event(Severity::Info, event);
  if (game.empty() || shutdown_asked_) return;
  const auto number = parse_as<std::uint64_t>(seed);
  AllocatedRoom room{
      .allocated = last_allocated_,
      .order = std::make_shared<RoomOrder>(RoomRequest{.game = game, .map = map, .seed = number})};
  if (!number && !seed.empty()) {
    name_room(room, {.status = 400,
                     .body = fmt::format("{}: '{}' is not a whole number from 0 to "
                                         "18446744073709551615",
                                         kSeed, seed)});
  } else if (!orders_.add(room.order)) {
    name_room(room, {.status = 503, .body = "too many orders about rooms wait"});
  } else {
    opening_.push_back(std::move(room));
  }
}

void AgonesCalls::answer_rooms(Instant now) {
  std::erase_if(opening_, [this, now](const AllocatedRoom& room) {
    const RoomAnswer* const answer = room.order->answer();
    if (answer == nullptr) return false;
    name_room(room, *answer);
    // The status has the room a moment later.
    counters_.back().pace.wait(kCounterPeriod, now);
    return true;
  });
}

/// Adds the room to those that the annotation names, or why there is none.
void AgonesCalls::name_room(const AllocatedRoom& room, const RoomAnswer& answer) {
  OrderedJson named{{"allocated", room.allocated}};
  const OrderedJson opened = OrderedJson::parse(answer.body, nullptr, false);
  if (answer.status == 201 && opened.is_object()) {
    for (const char* key : {"room", "game", "map", "shard"}) {
      named[key] = opened.value(key, OrderedJson{});
    }
  } else {
    const std::string reason = answer.body.substr(0, answer.body.find('\n'));
    named["error"] = reason;
    log_.event(Severity::Warning,
               {"agones_room_refused", {{"allocated", room.allocated}, {"reason", reason}}});
  }
  rooms_named_.push_back(as_text(named));
  if (rooms_named_.size() > kRoomsNamed) rooms_named_.pop_front();
  annotations_.front().value = fmt::format("[{}]", fmt::join(rooms_named_, ","));
  annotations_.front().has_news = true;
}

/// Returns the next annotation that has changed. That the server drains is one: its counters are
/// then those of a full server.
std::optional<AgonesCall> AgonesCalls::annotation_call(const ServerFacts& facts, Instant now) {
  Annotation& drains = annotations_.back();
  if (facts.drains && drains.value.empty()) {
    drains.value = "true";
    drains.has_news = true;
  }
  for (std::size_t i = 0; i < annotations_.size(); ++i) {
    const Annotation& annotation = annotations_.at(i);
    if (!annotation.has_news || !annotation.pace.is_due(now)) continue;
    return AgonesCall{.about = AgonesCall::About::Annotation,
                      .method = os::HttpMethod::Put,
                      .path = "/metadata/annotation",
                      .body = as_text({{"key", annotation.key}, {"value", annotation.value}}),
                      .number = i};
  }
  return std::nullopt;
}

// --- counters ---

/// Returns the next counter whose value has changed. The allocation itself counts its room, so the
/// number of rooms waits until that is open. A server that drains has no space for another room.
/// If matches have moved here beyond the capacity, that grows: Agones refuses a higher count.
std::optional<AgonesCall> AgonesCalls::counter_call(const ServerFacts& facts, Instant now) {
  const Counter& rooms = counters_.back();
  const bool has_grown = rooms.sent && rooms.sent->capacity > 0;
  Counter::Value of_rooms{.count = facts.rooms};
  if (facts.drains) {
    of_rooms.capacity = facts.rooms;
  } else if (rooms.capacity > 0 && (has_grown || facts.rooms > rooms.capacity)) {
    of_rooms.capacity = std::max(facts.rooms, rooms.capacity);
  }
  const std::array<Counter::Value, 2> values{
      Counter::Value{.count = facts.seats_held, .capacity = facts.seats}, of_rooms};
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    const bool is_opening = i == 1 && !opening_.empty();
    if (counter.is_missing || is_opening || counter.sent == values[i] || !counter.pace.is_due(now))
      continue;
    counter.asked = values[i];
    // The JSON of Agones has numbers of 64 bits as text.
    OrderedJson body{{"count", std::to_string(values[i].count)}};
    if (values[i].capacity > 0) body["capacity"] = std::to_string(values[i].capacity);
    return AgonesCall{.about = AgonesCall::About::Counter,
                      .method = os::HttpMethod::Patch,
                      .path = fmt::format("/v1beta1/counters/{}", counter.key),
                      .body = as_text(body),
                      .number = i};
  }
  return std::nullopt;
}

/// A counter that the spec does not have is asked for once.
void AgonesCalls::record_counter(Counter& counter, const AgonesAnswer& answer, Instant now) {
  counter.pace.follow(answer, kCounterPeriod, now);
  const std::string path = fmt::format("/v1beta1/counters/{}", counter.key);
  if (answer.is_taken()) {
    failing_.erase(path);
    counter.sent = counter.asked;
    counter.sent_at = now;
    return;
  }
  counter.is_missing = is_missing(answer);
  if (!counter.is_missing) return log_failure(path, answer);
  log_.event(Severity::Info,
             {"agones_counter_missing",
              {{"counter", counter.key}, {"try", "counters in the spec of the GameServer"}}});
}

// --- the list of players ---

/// Returns the next call about the list: it is read, then each change is a call.
std::optional<AgonesCall> AgonesCalls::list_call(const ServerFacts& facts, Instant now) {
  if (!facts.players || !needs_players(now)) return std::nullopt;
  if (list_reading_.is_due(now)) {
    return AgonesCall{.about = AgonesCall::About::List,
                      .method = os::HttpMethod::Get,
                      .path = std::string{kPlayerList}};
  }
  const ListChange* const change = players_.next(*facts.players);
  if (change == nullptr) {
    list_.wait(kCounterPeriod, now);
    return std::nullopt;
  }
  const bool adds = change->kind == ListChange::Kind::Add;
  return AgonesCall{.about = AgonesCall::About::ListChange,
                    .path = fmt::format("{}:{}", kPlayerList, adds ? "addValue" : "removeValue"),
                    .body = as_text({{"value", change->value}})};
}

void AgonesCalls::record_list(const AgonesAnswer& answer, Instant now) {
  auto values = parse_list(answer.text);
  if (answer.is_taken() && values) {
    players_.set(*std::move(values));
    list_reading_.wait(kListPeriod, now);
    failing_.erase(std::string{kPlayerList});
    return;
  }
  list_.back_off(now);
  is_list_missing_ = is_missing(answer);
  if (!is_list_missing_) {
    return log_failure(kPlayerList,
                       answer.is_taken() ? AgonesAnswer{.text = values.error()} : answer);
  }
  log_.event(Severity::Info,
             {"agones_list_missing",
              {{"list", "players"}, {"try", "lists in the spec of the GameServer"}}});
}

/// A change that was not taken, or perhaps was, lets the list be read again.
void AgonesCalls::record_list_change(const AgonesAnswer& answer, Instant now) {
  const bool is_planned_done = answer.is_taken() && players_.apply_next();
  list_.follow(answer, is_planned_done ? kCounterPeriod : Duration{}, now);
  if (!answer.is_taken()) list_reading_.wait({}, now);
}

// --- the end ---

void AgonesCalls::shut_down(Instant now) {
  if (!shutdown_asked_) shutdown_asked_ = now;
}

bool AgonesCalls::is_over(bool has_signal, Instant now) const {
  if (shutdown_taken_) return has_signal || now - *shutdown_taken_ >= kSignalPatience;
  return shutdown_asked_ && now - *shutdown_asked_ >= kShutdownPatience;
}

}  // namespace tickbox::server
