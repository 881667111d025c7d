#pragma once
// The smallest game of one kind, for sources that do not compile.

#include "tickbox/adapter.h"

template <class Kind>
struct GameOf {
  static constexpr std::string_view name = "game";
  static constexpr std::uint32_t version = 1;
  using Input = tickbox::Empty;
  using Avatar = Kind;
  using Kinds = tickbox::List<Kind>;
  using Outcomes = tickbox::List<>;
  using Events = tickbox::List<>;
  using Seat = tickbox::Empty;
  using Room = tickbox::Empty;

  static tickbox::Body body(const Kind&) { return {}; }

  static constexpr std::int32_t top_speed(const Kind&) { return 1; }

  static void map(tickbox::MapBuilder&, const tickbox::MapOptions&) {}

  template <class Server>
  static void join(Server&, tickbox::Player) {}
};
