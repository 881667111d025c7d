#include "tests/support/recorded_match.h"

#include "core/assert.h"
#include "core/hash.h"
#include "engine/declared.h"
#include "engine/identity.h"
#include "engine/tick_record.h"
#include "games/arena/arena.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tickbox::tests {
namespace {

const GameTable& game_of(const RecordedMatchOptions& options) {
  return options.game != nullptr ? *options.game : games::arena();
}

engine::InputSource random_source(Rng& rng) {
  const std::uint64_t drawn = rng.below(10);
  if (drawn == 0) return engine::InputSource::Neutral;
  return drawn == 1 ? engine::InputSource::Repeated : engine::InputSource::Received;
}

/// A new client id for each join.
std::uint64_t client_of(Player player, Tick tick) {
  return 0xc11e'0000'0000'0000 | std::uint64_t{tick.value} << 16 | player.seat;
}

std::uint64_t hash_of(const GameTable& game, const engine::SharedMap& map,
                      std::uint32_t tick_rate) {
  static std::map<std::tuple<const GameTable*, std::uint64_t, std::uint32_t>, std::uint64_t> known;
  const auto [at, is_new] = known.try_emplace({&game, map->hash, tick_rate}, 0);
  if (is_new) at->second = engine::game_hash(game, map, tick_rate);
  return at->second;
}

/// Verifies as if the match were played now.
record::VerifyResult verify_live(const record::Reader& reader, const Played& played,
                                 const record::VerifyOptions& options) {
  record::LiveVerifier verifier{reader, *played.game, played.map, options};
  while (verifier.next() != record::Reader::Item::Finished) {
  }
  return verifier.result();
}

}  // namespace

bool is_as_played(const record::EncodedTick& tick, const PlayedTick& played) {
  return tick.tick == played.tick && tick.is_quiet == played.is_quiet &&
         tick.is_idle == played.is_idle && std::ranges::equal(tick.bytes, played.bytes) &&
         tick.state_hash.value_or(played.state_hash) == played.state_hash;
}

void turn_round(Told& told) {
  const TypeInfo& type = games::arena().input;
  const FieldInfo& move = type.fields().front();
  TICKBOX_ASSERT(move.name == "move" && !told.record.inputs.empty());
  const MutableBytes input =
      MutableBytes{told.record.bytes}.subspan(told.record.inputs.front().first, type.bytes);
  engine::set_value(move, 0, engine::value_of(move, 0, input) == 1 ? 5 : 1, input);
}

RecordedMatch::RecordedMatch(const RecordedMatchOptions& options)
    : options_(options),
      match_(game_of(options),
             engine::make_map(game_of(options), {.seats = options.seats}, options.tick_rate),
             options.tick_rate, options.seed),
      bots_(options.seed ^ 0xb07),
      judge_dice_(options.seed ^ 0x1dd6e),
      judge_([this](std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes) {
        strike(rays, strikes);
      }),
      told_(match_.world()) {}

record::Header RecordedMatch::header() const {
  record::Header header{.schema_hash = 0x0123'4567'89ab'cdef,
                        .map_hash = map()->hash,
                        .seed = options_.seed,
                        .start_ms = 1'700'000'000'123,
                        .tick_rate = options_.tick_rate,
                        .map_seats = options_.seats,
                        .room = 7,
                        .part = 3,
                        .game = std::string{game().name},
                        .game_version = game().version,
                        .game_hash = hash_of(game(), map(), options_.tick_rate),
                        .simulation = "0011223344556677"};
  Rng salt{options_.seed ^ 0x5a17};
  std::ranges::generate(header.salt, [&] { return static_cast<std::byte>(salt.next()); });
  return header;
}

/// Presses one of the keys at most, and often none.
void RecordedMatch::decide_input(Player player) {
  const TypeInfo& type = game().input;
  const MutableBytes input =
      MutableBytes{input_values_}.subspan(player.seat * std::size_t{type.bytes}, type.bytes);
  std::ranges::copy(world().input(player), input.begin());
  bool may_press = bots_.chance(1, 3);
  for (const FieldInfo& field : type.fields()) {
    if (field.form == FieldForm::Player || field.form == FieldForm::Ref) continue;
    for (std::size_t i = 0; i < field.times; ++i) {
      const bool presses = may_press && bots_.chance(1, 2);
      const auto values = static_cast<std::uint64_t>(field.max - field.min) + 1;
      const auto drawn = field.min + static_cast<std::int64_t>(bots_.below(values));
      const bool is_press = field.form == FieldForm::Press;
      engine::set_value(field, i, is_press ? std::int64_t{presses} : drawn, input);
      may_press = may_press && !(is_press && presses);
    }
  }
  inputs_.push_back({.player = player, .input = input});
  sources_.push_back({.player = player, .source = random_source(bots_)});
}

/// Draws whom each ray strikes.
void RecordedMatch::strike(std::span<const engine::FiredRay> rays,
                           std::vector<engine::Strike>& strikes) {
  for (const engine::FiredRay& ray : rays) {
    const Player victim{static_cast<std::uint16_t>(judge_dice_.below(options_.seats))};
    if (victim == ray.shooter || !world().has(victim)) continue;
    const std::size_t row = world().avatar_of(victim);
    if (row == world().size()) continue;
    strikes.push_back({.shooter = ray.shooter, .victim = {world().id(row).value}});
  }
}

RecordedMatch::Decided RecordedMatch::decide() {
  leaves_.clear();
  joins_.clear();
  inputs_.clear();
  sources_.clear();
  clients_.clear();
  input_values_.resize(options_.seats * std::size_t{game().input.bytes});
  const Tick tick = world().tick + 1;
  const auto& deserted = options_.deserted;
  const bool is_deserted = match_.record().closes_match() ||
                           (deserted && tick >= deserted->first && tick <= deserted->last);
  const bool all_come = deserted && tick == deserted->last + 1;
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const Player player{seat};
    const bool taken = world().has(player);
    if (taken && (is_deserted || (!options_.all_stay && bots_.chance(1, 30)))) {
      leaves_.push_back(player);
    } else if (!taken && !is_deserted && (all_come || bots_.chance(1, 2))) {
      joins_.push_back({.player = player, .user_data = {}});
      clients_.push_back(client_of(player, tick));
      // A server knows the source of a joining player too. A log can omit it, so half the joins
      // have one.
      if (tick.value % 2 == 0) {
        sources_.push_back({.player = player, .source = engine::InputSource::Received});
      }
    } else if (taken) {
      decide_input(player);
    }
  }
  return decided();
}

RecordedMatch::Decided RecordedMatch::decided() const {
  Decided decided{.request = {.opens_match = match_.record().closes_match(),
                              .leaves = leaves_,
                              .joins = joins_,
                              .inputs = inputs_,
                              .judge = &judge_},
                  .origins = {.sources = sources_, .clients = clients_}};
  decided.request.is_idle = options_.idles && is_idle(decided.request);
  return decided;
}

bool RecordedMatch::is_idle(const engine::TickRequest& request) const {
  return request.is_empty() && std::ranges::none_of(world().seats(), &engine::SeatInfo::taken);
}

std::vector<std::byte> RecordedMatch::requested_bytes() const {
  engine::TickRecord record;
  engine::write_request(game(), decided().request, record);
  engine::TickLog log = match_.tick_log();
  const ConstBytes bytes = log.tick(record, decided().origins);
  return {bytes.begin(), bytes.end()};
}

const PlayedTick& RecordedMatch::play() {
  match_.tick(decided().request);
  match_.write_tick_log(decided().origins);
  if (options_.forgets) played_.clear();
  return played_.emplace_back(played_tick());
}

/// Returns the tick that was stepped last. Each player in the room has the input that it was given.
/// A player that has just joined has the input by default, and a neutral source if it has none.
PlayedTick RecordedMatch::played_tick() const {
  const engine::EncodedTick entry = match_.encoded_tick();
  PlayedTick tick{.tick = world().tick,
                  .state_hash = match_.hash(),
                  .is_quiet = false,
                  .is_idle = entry.is_idle,
                  .bytes = {entry.bytes.begin(), entry.bytes.end()},
                  .record = match_.record(),
                  .leaves = leaves_,
                  .joins = {},
                  .clients = clients_,
                  .sources = {},
                  .inputs = {}};
  for (const engine::Join& join : joins_) {
    tick.joins.push_back(join.player);
  }
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const Player player{seat};
    if (!world().has(player)) continue;
    const auto source = std::ranges::find(sources_, player, &engine::PlayerSource::player);
    tick.sources.push_back(
        {.player = player,
         .source = source != sources_.end() ? source->source : engine::InputSource::Neutral});
    const auto input =
        std::ranges::find(tick.record.inputs, player, &engine::TickRecord::Input::player);
    const ConstBytes bytes = input != tick.record.inputs.end()
                                 ? ConstBytes{tick.record.bytes}.subspan(input->first)
                                 : world().input(player);
    const ConstBytes value = bytes.first(game().input.bytes);
    tick.inputs.emplace_back(value.begin(), value.end());
  }
  tick.is_quiet = !tick.is_idle && tick.leaves.empty() && tick.sources.empty();
  return tick;
}

std::vector<std::byte> RecordedMatch::keyframe() const {
  std::vector<std::byte> bytes;
  match_.tick_log().keyframe(world(), match_.hash(), bytes);
  return bytes;
}

/// Returns what is logged for a tick instead of its own bytes.
std::vector<std::byte> RecordedMatch::told_bytes(const PlayedTick& tick) {
  Told told{.record = tick.record, .sources = tick.sources};
  options_.forge(tick.tick, told);
  const ConstBytes bytes =
      told_.tick(told.record, {.sources = told.sources, .clients = tick.clients});
  return told.bytes.value_or(std::vector(bytes.begin(), bytes.end()));
}

void RecordedMatch::record(Writer& writer, std::uint32_t ticks) {
  if (writer.needs_keyframe()) keyframe(writer);
  for (; ticks > 0; --ticks) {
    const PlayedTick& tick = step();
    engine::EncodedTick entry = match_.encoded_tick();
    entry.state_hash = tick.state_hash;
    std::vector<std::byte> bytes;
    if (options_.forge) {
      bytes = told_bytes(tick);
      entry.bytes = bytes;
    }
    writer.tick(entry);
    if (writer.needs_keyframe()) keyframe(writer);
  }
}

std::vector<std::byte> small_recording(std::uint32_t segments, std::uint32_t ticks_per_segment,
                                       const RecordedMatchOptions& options,
                                       record::Compression compression) {
  RecordedMatch match{options};
  MemorySink sink;
  Writer writer{sink, match.header(), {.compression = compression}};
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    match.keyframe(writer);
    match.record(writer, ticks_per_segment);
  }
  TICKBOX_ASSERT(writer.finish());
  return std::move(sink.bytes);
}

Played played_in(const record::Header& header) {
  static std::map<std::pair<std::uint32_t, std::uint32_t>, engine::SharedMap> maps;
  TICKBOX_ASSERT(header.game == games::arena().name);
  engine::SharedMap& map = maps[{header.map_seats, header.tick_rate}];
  if (map == nullptr) {
    map = engine::make_map(games::arena(), {.seats = header.map_seats}, header.tick_rate);
  }
  return {.game = &games::arena(), .map = map};
}

record::VerifyResult verify(ConstBytes file, const record::VerifyOptions& options) {
  const auto reader = record::Reader::open(file).value();
  const Played played = played_in(reader.header());
  auto result = record::verify(reader, *played.game, played.map, options);
  if (!options.stopped && options.from == Tick{0} && options.to == record::VerifyOptions{}.to) {
    TICKBOX_ASSERT(verify_live(reader, played, options) == result);
  }
  return result;
}

std::vector<Piece> pieces(ConstBytes file) {
  std::vector<Piece> found;
  for (std::size_t at = record::kRecordsOffset; at < file.size(); at = found.back().end()) {
    const auto head = record::load_head(file.subspan(at));
    if (!head || record::record_bytes(*head) > file.size() - at) break;
    found.push_back({.offset = at, .head = *head});
  }
  return found;
}

void rechecksum(std::vector<std::byte>& file) {
  const record::Chain chain{record::decode_header(file).value()};
  std::uint64_t previous = 0;
  for (const Piece& piece : pieces(file)) {
    if (piece.head.type == record::RecordType::Keyframe) previous = 0;
    const MutableBytes bytes = MutableBytes{file}.subspan(piece.offset);
    const std::size_t checksum_at = record::kRecordHeadBytes + piece.head.payload_bytes;
    previous = hash_bytes(bytes.first(checksum_at), chain.seed_after(previous));
    store_le(bytes.subspan(checksum_at), previous);
  }
}

}  // namespace tickbox::tests
