#include "client/commands/commands.h"
#include "games/catalog.h"
#include "tickbox/program.h"

int main(int argc, char** argv) {
  return tickbox::commands::run_client(
      argc, argv, {.games = tickbox::games::all_games(), .page = tickbox::game_page()});
}
