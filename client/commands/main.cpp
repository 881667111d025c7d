#include "client/commands/commands.h"
#include "games/catalog.h"
#include "viewer/page.h"

int main(int argc, char** argv) {
  return tickbox::commands::run_client(
      argc, argv, {.games = tickbox::games::all_games(), .page = tickbox::viewer_page()});
}
