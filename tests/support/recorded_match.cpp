#include "tests/support/recorded_match.h"

#include "client/views/ground.h"
#include "core/assert.h"
#include "core/hash.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"

#include <algorithm>
#include <utility>

namespace tickbox::tests {
namespace {

/// Of who fires, one half a ray; of those few strike anybody.
game::Input random_input(Rng& rng) {
  game::Input input{.move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1U))};
  const bool fires = rng.chance(1, 3);
  input.aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
  if (fires) input.buttons = input.aim % 2 == 0 ? game::kButtonShoot : game::kButtonRay;
  input.look_back = static_cast<std::uint8_t>(input.aim / 4);
  return input;
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
  next_ = {.tick = world().tick + 1};
  sources_.clear();
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const PlayerId player{seat};
    const bool taken = world().seat(player).taken;
    if (taken && !options_.all_stay && bots_.chance(1, 30)) {
      next_.leaves.push_back(player);
    } else if (!taken && bots_.chance(1, 2)) {
      next_.joins.push_back(player);
    } else if (taken) {
      const game::Input input = random_input(bots_);
      next_.inputs.push_back({.player = player, .input = input});
      const bool is_made_up = bots_.chance(1, 5);
      sources_.push_back(is_made_up ? server::InputSource::Repeated : server::InputSource::Given);
      next_.sources.push_back(is_made_up ? record::InputSource::Substituted
                                         : record::InputSource::Arrived);
      const PlayerId victim{static_cast<std::uint16_t>(input.aim % options_.seats)};
      if (input.buttons == game::kButtonRay && input.aim % 16 == 1 && victim != player) {
        next_.strikes.push_back({.shooter = player, .victim = world().body_of(victim)});
      }
    }
  }
  return next_.commands();
}

const record::RecordedTick& RecordedMatch::step() {
  room_.tick(decide());
  next_.state_hash = room_.hash();
  return played_.emplace_back(std::move(next_));
}

void RecordedMatch::record(record::Writer& writer, std::uint32_t ticks) {
  if (writer.needs_keyframe()) writer.keyframe(world());
  for (; ticks > 0; --ticks) {
    const record::RecordedTick& tick = step();
    writer.tick(tick.tick, tick.commands(), tick.sources, tick.state_hash);
    if (writer.needs_keyframe()) writer.keyframe(world());
  }
}

std::vector<std::byte> small_recording(std::uint32_t segments, std::uint32_t ticks_per_segment,
                                       const RecordedMatchOptions& options) {
  RecordedMatch match{options};
  MemorySink sink;
  record::Writer writer{sink, match.header()};
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    writer.keyframe(match.world());
    match.record(writer, ticks_per_segment);
  }
  TICKBOX_ASSERT(writer.finish());
  return std::move(sink.bytes);
}

record::VerifyResult verify(ConstBytes file, const record::VerifyOptions& options) {
  static client::Grounds grounds{game::all_games()};
  auto reader = record::Reader::open(file).value();
  const auto rules = grounds.rules(reader.header().rules, reader.header().tick_rate);
  const game::SharedMap map = grounds.map(reader.header().map_seats);
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
