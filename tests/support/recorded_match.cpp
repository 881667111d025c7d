#include "tests/support/recorded_match.h"

#include "client/views/asset_cache.h"
#include "core/assert.h"
#include "core/hash.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"

#include <algorithm>
#include <utility>

namespace tickbox::tests {
namespace {

/// Half of the players that fire cast a ray. Few of these rays strike a player.
game::Input random_input(Rng& rng) {
  game::Input input{.move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1U))};
  const bool fires = rng.chance(1, 3);
  input.aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
  if (fires) input.buttons = input.aim % 2 == 0 ? game::kButtonShoot : game::kButtonRay;
  input.look_back = static_cast<std::uint8_t>(input.aim / 4);
  return input;
}

game::InputSource random_source(Rng& rng) {
  const std::uint64_t drawn = rng.below(10);
  if (drawn == 0) return game::InputSource::Neutral;
  return drawn == 1 ? game::InputSource::Repeated : game::InputSource::Received;
}

/// A new client id for each join.
std::uint64_t client_of(PlayerId player, Tick tick) {
  return 0xc11e'0000'0000'0000 | std::uint64_t{tick.value} << 16 | player.value;
}

}  // namespace

RecordedMatch::RecordedMatch(const RecordedMatchOptions& options)
    : options_(options),
      room_(game::make_arena_map(options.seats),
            options.rules ? options.rules : game::make_rules("arena", options.tick_rate),
            options.seed, options.tick_rate),
      bots_(options.seed ^ 0xb07) {}

record::Header RecordedMatch::header() const {
  record::Header header{.schema_hash = 0x0123'4567'89ab'cdef,
                        .map_hash = game::map_hash(*map()),
                        .seed = options_.seed,
                        .start_ms = 1'700'000'000'123,
                        .tick_rate = options_.tick_rate,
                        .map_seats = options_.seats,
                        .room = 7,
                        .part = 3,
                        .rules = "arena",
                        .simulation = "0011223344556677"};
  Rng salt{options_.seed ^ 0x5a17};
  std::ranges::generate(header.salt, [&] { return static_cast<std::byte>(salt.next()); });
  return header;
}

game::TickCommands RecordedMatch::decide() {
  decided_ = {};
  const Tick tick = world().tick + 1;
  const auto& deserted = options_.deserted;
  const bool is_deserted = deserted && tick >= deserted->first && tick <= deserted->last;
  const bool all_come = deserted && tick == deserted->last + 1;
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const PlayerId player{seat};
    const bool taken = world().seat(player).taken;
    if (taken && (is_deserted || (!options_.all_stay && bots_.chance(1, 30)))) {
      decided_.leaves.push_back(player);
    } else if (!taken && !is_deserted && (all_come || bots_.chance(1, 2))) {
      decided_.joins.push_back(player);
      decided_.clients.push_back(client_of(player, tick));
      // A server gives a joining player an input too. A log can omit it, so half the joins have
      // one.
      if (tick.value % 2 == 0) give({.player = player, .input = {}}, game::InputSource::Received);
    } else if (taken) {
      const game::Input input = random_input(bots_);
      give({.player = player, .input = input}, random_source(bots_));
      const PlayerId victim{static_cast<std::uint16_t>(input.aim % options_.seats)};
      if (input.buttons == game::kButtonRay && input.aim % 16 == 1 && victim != player) {
        decided_.strikes.push_back({.shooter = player, .victim = world().body_of(victim)});
      }
    }
  }
  return decided_.commands();
}

void RecordedMatch::give(const game::PlayerInput& input, game::InputSource source) {
  decided_.inputs.push_back(input);
  decided_.sources.push_back(source);
}

const record::RecordedTick& RecordedMatch::step() {
  const game::TickCommands commands = decide();
  game::LoggedTick told = decided_;
  if (options_.forge) options_.forge(world().tick + 1, told);
  room_.log_commands(told.commands(), {.sources = told.sources, .clients = told.clients});
  room_.tick(commands);
  return played_.emplace_back(stepped());
}

/// Returns the tick that was stepped last. Each player in the room has the input that it was given.
/// A player that has just joined without an input has a neutral one.
record::RecordedTick RecordedMatch::stepped() const {
  record::RecordedTick tick;
  tick.tick = world().tick;
  tick.state_hash = room_.hash();
  tick.leaves = decided_.leaves;
  tick.joins = decided_.joins;
  tick.clients = decided_.clients;
  tick.strikes = decided_.strikes;
  std::size_t given = 0;
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const PlayerId player{seat};
    if (!world().seat(player).taken) continue;
    const bool is_given = given < decided_.inputs.size() && decided_.inputs[given].player == player;
    tick.inputs.push_back(
        {.player = player,
         .input = is_given ? game::significant(decided_.inputs[given].input) : game::Input{}});
    tick.sources.push_back(is_given ? decided_.sources[given] : game::InputSource::Neutral);
    if (is_given) ++given;
  }
  tick.is_quiet = tick.leaves.empty() && tick.inputs.empty();
  return tick;
}

void RecordedMatch::keyframe(record::Writer& writer) const {
  std::vector<std::byte> bytes;
  room_.log().keyframe(world(), room_.hash(), bytes);
  writer.keyframe(world().tick, bytes);
}

void RecordedMatch::record(record::Writer& writer, std::uint32_t ticks) {
  if (writer.needs_keyframe()) keyframe(writer);
  for (; ticks > 0; --ticks) {
    step();
    writer.tick(room_.log_entry());
    if (writer.needs_keyframe()) keyframe(writer);
  }
}

std::vector<std::byte> small_recording(std::uint32_t segments, std::uint32_t ticks_per_segment,
                                       const RecordedMatchOptions& options,
                                       record::Compression compression) {
  RecordedMatch match{options};
  MemorySink sink;
  record::Writer writer{sink, match.header(), compression};
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    match.keyframe(writer);
    match.record(writer, ticks_per_segment);
  }
  TICKBOX_ASSERT(writer.finish());
  return std::move(sink.bytes);
}

record::VerifyResult verify(ConstBytes file, const record::VerifyOptions& options) {
  static client::AssetCache assets{game::all_games()};
  auto reader = record::Reader::open(file).value();
  const auto rules = assets.rules(reader.header().rules, reader.header().tick_rate);
  const game::SharedMap map = assets.map(reader.header().map_seats);
  return record::verify(std::move(reader), map, *rules, options);
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
