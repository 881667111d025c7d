#pragma once
// A game as plain data: all that Tickbox itself sees of it. adapter.h makes it from the game's
// struct.

#include "tickbox/game.h"
#include "tickbox/type_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tickbox {

/// The most kinds of a game.
inline constexpr std::size_t kKindsMax = 64;

/// A kind of entity, and its callbacks; nullptr for one that the game does not define.
struct KindTable {
  using Apply = void (*)(const detail::Row& row, const void* outcome, const detail::AnyStep& step);
  using Meet = void (*)(const detail::Row& a, const detail::Row& b, Contact contact,
                        const detail::AnyStep& step);

  TypeInfo type{};
  std::int32_t top_speed = 0;  ///< units per second
  Predict predict = Predict::Near;
  Look (*look)(const void* state) = nullptr;  ///< by default the first letter of the kind's name
  bool has_predict = false;                   ///< whether the game defines predict() for the kind
  bool has_look = false;                      ///< whether the game defines look() for the kind
  Body (*body)(const void* state) = nullptr;
  void (*act)(const detail::Row& row, const void* input, const detail::AnyStep& step) = nullptr;
  std::optional<Ray> (*ray)(const detail::Row& row, const void* input,
                            const detail::Moment& moment) = nullptr;
  void (*struck)(const detail::Row& row, Player shooter, const detail::AnyStep& step) = nullptr;
  void (*wall)(const detail::Row& row, Contact contact, const detail::AnyStep& step) = nullptr;
  void (*after)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  void (*crushed)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  void (*left)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  bool (*possible)(const void* state) = nullptr;
  std::span<const Apply> apply{};   ///< by outcome
  std::span<const Meet> contact{};  ///< by the kind of the other entity
};

/// Returns the caption of an event; nullptr for an event that has none.
using EventText = Caption (*)(const void* event);

/// A command that players may send.
struct CommandTable {
  TypeInfo type{};
  void (*run)(detail::Running& running, Player who, const void* command) = nullptr;
};

/// Keys that give a value of the input a number while they are down. One Key of a game becomes a
/// KeyTable for each value that it sets.
struct KeyTable {
  std::string_view keys{};
  std::uint8_t field = 0;  ///< of GameTable::input
  std::uint8_t i = 0;      ///< which value of the field
  std::int64_t value = 0;  ///< within the field's range
};

/// Keys that send a command when they are pressed.
struct CommandKeyTable {
  std::string_view keys;
  std::uint8_t command = 0;     ///< its number among GameTable::commands
  const void* value = nullptr;  ///< of the command's type
};

/// How a game plays by itself. Bots that need no code of the game are not here (common/bots).
struct BotTable {
  std::span<const std::string_view> styles{};  ///< empty: the game has no bot
  TypeInfo state{};                            ///< what a bot remembers
  /// Writes the input of one tick. `style`: one of `styles`.
  void (*decide)(const detail::BotSight& sight, void* state, std::string_view style,
                 void* input) = nullptr;
};

/// A member that a game may define, by its name.
struct Hook {
  std::string_view name;
  bool is_declared = false;
};

struct GameTable {
  std::string_view name{};
  std::uint32_t version = 0;
  std::uint64_t hash = 0;    ///< over the declarations, version, speeds and gravity
  std::int32_t gravity = 0;  ///< units per second², down
  std::uint8_t avatar = 0;   ///< the kind that players control

  TypeInfo input{};
  TypeInfo seat{};
  TypeInfo room{};
  TypeInfo secret{};
  std::span<const KindTable> kinds{};
  std::span<const TypeInfo> outcomes{};
  std::span<const TypeInfo> events{};
  std::span<const CommandTable> commands{};
  std::span<const TypeInfo> results{};
  std::span<const std::string_view> maps{};  ///< names; empty: the game has one map without a name
  std::uint16_t state_bytes = 0;  ///< of the largest kind; rounded up it is the stride of rows
  // No part of the rules, nor of `hash`.
  bool moves = false;             ///< a match may go on at another server
  std::span<const Hook> hooks{};  ///< all, also those that the game does not declare
  BotTable bot{};
  std::span<const KeyTable> keys{};
  std::span<const CommandKeyTable> command_keys{};
  std::span<const EventText> texts{};  ///< by event
  Caption (*label)(const void* room) = nullptr;

  void (*map)(MapBuilder& builder, const MapOptions& options) = nullptr;
  void (*significant)(void* input, const void* avatar) = nullptr;
  Vec2 (*sight)(const void* avatar) = nullptr;
  void (*open)(detail::Running& running) = nullptr;
  void (*join)(detail::Running& running, Player who) = nullptr;
  void (*leave)(detail::Running& running, Player who) = nullptr;
  void (*decide)(detail::Running& running) = nullptr;
};

}  // namespace tickbox
