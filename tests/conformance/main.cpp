// tickbox-capture SCENE: writes what travelled in a scene to standard output, one JSON line each.

#include "tests/conformance/scenes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  using namespace tickbox::tests;
  const std::string_view wanted = argc == 2 ? argv[1] : "";
  const auto* const scene = std::ranges::find(kScenes, wanted, &Scene::name);
  if (scene == std::end(kScenes)) {
    fmt::print(stderr, "usage: tickbox-capture SCENE\n");
    for (const Scene& each : kScenes) {
      fmt::print(stderr, "  {:<10} {}\n", each.name, each.what);
    }
    return 2;
  }
  scene->play(stdout);
  return std::ferror(stdout) != 0 || std::fflush(stdout) != 0 ? 1 : 0;
}
