#include "server/host/rooms/match_document.h"

#include "core/numbers.h"
#include "engine/entity_id.h"
#include "server/shard/hosted_room.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tickbox::server {
namespace {

/// The first bytes of a document: "TBM" and the version of the format.
constexpr std::uint32_t kMatchFormat = 0x024d'4254;

/// The bytes of a seat without user bytes, and of a departure.
constexpr std::size_t kSeatBytesMin = 1 + 8 + 4 + 1;
constexpr std::size_t kDepartureBytes = 8 + 4;

void write_sized(ConstBytes bytes, NumberWriter& out) {
  out.number(static_cast<std::uint32_t>(bytes.size()));
  out.bytes(bytes);
}

ConstBytes read_sized(std::uint32_t most, NumberReader& in) {
  return in.bytes(in.number(most));
}

engine::Identity read_identity(NumberReader& in) {
  const ConstBytes game = read_sized(engine::kGameNameMax, in);
  engine::Identity identity{.game = {reinterpret_cast<const char*>(game.data()), game.size()}};
  identity.version = in.fixed<std::uint32_t>();
  identity.game_hash = in.fixed<std::uint64_t>();
  identity.map_seats = in.number(engine::kSeatsMax);
  identity.map_hash = in.fixed<std::uint64_t>();
  return identity;
}

MovedSeat read_seat(NumberReader& in) {
  MovedSeat seat{.player = {static_cast<std::uint16_t>(in.number(engine::kSeatsMax - 1))},
                 .client = in.fixed<std::uint64_t>(),
                 .key_id = in.fixed<std::uint32_t>(),
                 .user = {}};
  const ConstBytes user = read_sized(net::kTokenUserBytesMax, in);
  seat.user.resize(user.size());
  std::ranges::copy(user, seat.user.begin());
  return seat;
}

}  // namespace

std::vector<std::byte> encode_match(const MovedMatch& match) {
  std::vector<std::byte> document;
  NumberWriter out{document};
  out.fixed(kMatchFormat);
  write_sized(as_bytes_of(match.identity.game), out);
  out.fixed(match.identity.version);
  out.fixed(match.identity.game_hash);
  out.number(match.identity.map_seats);
  out.fixed(match.identity.map_hash);
  out.number(match.tick_rate);
  out.number(static_cast<std::uint32_t>(match.seats.size()));
  for (const MovedSeat& seat : match.seats) {
    out.number(seat.player.value);
    out.fixed(seat.client);
    out.fixed(seat.key_id);
    write_sized(seat.user, out);
  }
  out.number(static_cast<std::uint32_t>(match.departures.size()));
  for (const Departure& departure : match.departures) {
    out.fixed(departure.client);
    out.fixed(departure.tick.value);
  }
  out.bytes(match.keyframe);
  return document;
}

std::expected<MovedMatch, std::string> decode_match(ConstBytes document) {
  NumberReader in{document};
  if (in.fixed<std::uint32_t>() != kMatchFormat) {
    return std::unexpected{"this is no match, or one of another version of the server"};
  }
  MovedMatch match{.identity = read_identity(in),
                   .tick_rate = in.number(engine::kTickRateMax),
                   .seats = {},
                   .departures = {},
                   .keyframe = {}};
  const std::uint32_t seats = in.count(engine::kSeatsMax, kSeatBytesMin);
  for (std::uint32_t i = 0; i < seats && !in.failed(); ++i) {
    match.seats.push_back(read_seat(in));
  }
  const std::uint32_t departures = in.count(kDeparturesMax, kDepartureBytes);
  for (std::uint32_t i = 0; i < departures && !in.failed(); ++i) {
    match.departures.push_back(
        {.client = in.fixed<std::uint64_t>(), .tick = {in.fixed<std::uint32_t>()}});
  }
  const auto is_later = [](const MovedSeat& a, const MovedSeat& b) { return a.player >= b.player; };
  const bool is_in_order = std::ranges::adjacent_find(match.seats, is_later) == match.seats.end();
  if (in.failed() || !is_in_order) return std::unexpected{"the match is cut off or damaged"};
  match.keyframe.assign(in.rest().begin(), in.rest().end());
  return match;
}

}  // namespace tickbox::server
