#pragma once
// A shard with two rooms of one game and map.

#include "tests/support/harness.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tickbox::tests {

inline constexpr RoomId kFirst{1};
inline constexpr RoomId kSecond{7};
inline constexpr std::uint32_t kAnyRoom = 0;

class TwoRooms : public Harness {
 public:
  explicit TwoRooms(const HarnessOptions& options) : Harness(options, NotStarted{}) {
    start_match(options.seed);
    second_ = std::make_unique<server::Match>(*game_, map_, options.tick_rate, options.seed + 1);
    start_shard({.transport = network_.server(),
                 .entropy = entropy_,
                 .calendar = calendar_,
                 .log = log_,
                 .rooms = {{.match = *match_, .id = kFirst}, {.match = *second_, .id = kSecond}},
                 .desyncs = &desyncs_});
  }

  ~TwoRooms() override { shard_.reset(); }

  /// Adds a client with a token that names a room.
  std::size_t add_client_of(std::uint32_t named, const net::LinkConditions& link = {}) {
    const net::TokenClaims claims{
        .client = players().size() + 1, .room = named, .servers = {}, .user = {}};
    return add_client(link, make_token(claims, calendar_, options_.keys));
  }

  [[nodiscard]] RoomId room_of(std::size_t index) const {
    return {client(index).connection().accept().room};
  }

  [[nodiscard]] const server::Match& second() const { return *second_; }

 private:
  std::unique_ptr<server::Match> second_;
};

}  // namespace tickbox::tests
