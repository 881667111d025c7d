#pragma once

// The programs of one game: a server, a client with its commands, and the check of the laws.
//
// tickbox_add_game() of the CMake package builds all three from the sources of a game. A main() of
// one's own calls one of these functions with argc, argv and the game.

#include <string_view>

namespace tickbox {

struct GameTable;

/// Returns the game whose source ends with TICKBOX_GAME(…) (adapter.h). If a linker names
/// this function as undefined, the program has no such line; if as defined twice, it has two.
[[nodiscard]] const GameTable& game_named_by_TICKBOX_GAME();  // NOLINT(*-identifier-naming)

/// Returns the page that shows recordings and rooms of this program's game in a browser, as HTML.
/// Empty if tickbox_add_game() has not made one.
[[nodiscard]] std::string_view game_page();

// Each function runs a whole program and returns its exit code. The program is named after argv[0].

/// A server of this game. `tag-server` suggests `tag` to connect with. It serves `page`, if that is
/// not empty.
[[nodiscard]] int run_server(int argc, char** argv, const GameTable& game,
                             std::string_view page = {});

/// A client of this game: connect, load, replay, sim and token, as `tickbox` has them. `replay
/// page` writes recordings into `page`; without a page it refuses.
[[nodiscard]] int run_client(int argc, char** argv, const GameTable& game,
                             std::string_view page = {});

/// Random matches that check the laws every game must obey. Needs libtickbox_laws.
[[nodiscard]] int run_laws(int argc, char** argv, const GameTable& game);

}  // namespace tickbox
