// The program that is the client of a game, linked with the sources of that game.

#include <tickbox/program.h>

int main(int argc, char** argv) {
  return tickbox::run_client(argc, argv, tickbox::game_named_by_TICKBOX_GAME(),
                             tickbox::game_page());
}
