#include "games/catalog.h"
#include "server/host/program.h"
#include "tickbox/program.h"

int main(int argc, char** argv) {
  return tickbox::server::run_server(
      argc, argv, {.games = tickbox::games::all_games(), .page = tickbox::game_page()});
}
