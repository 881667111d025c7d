#include "tests/golden/make_scenes.h"

#include <array>

namespace tickbox::golden {
namespace {

constexpr std::array kScenes = {
    NamedScene{"arena", make_arena},       NamedScene{"bullets", make_bullets},
    NamedScene{"rush", make_rush},         NamedScene{"platformer", make_platformer},
    NamedScene{"pile", make_pile},         NamedScene{"stacks", make_stacks},
    NamedScene{"crowd", make_crowd},       NamedScene{"lifts", make_lifts},
    NamedScene{"passages", make_passages}, NamedScene{"squeeze", make_squeeze},
    NamedScene{"corners", make_corners},   NamedScene{"exits", make_exits},
    NamedScene{"match", make_match},       NamedScene{"menagerie", make_menagerie},
    NamedScene{"coins", make_coins},
};

}  // namespace

std::span<const NamedScene> scenes() {
  return kScenes;
}

}  // namespace tickbox::golden
