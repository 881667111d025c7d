// The page of a program whose game has none. A program that defines game_page() itself does not
// take this one from the archive.

#include "tickbox/program.h"

std::string_view tickbox::game_page() {
  return {};
}
