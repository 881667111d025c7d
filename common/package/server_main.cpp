// The program that is the server of a game, linked with the sources of that game.

#include <tickbox/program.h>

int main(int argc, char** argv) {
  return tickbox::run_server(argc, argv, tickbox::game_named_by_TICKBOX_GAME(),
                             tickbox::game_page());
}
