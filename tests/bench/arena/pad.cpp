#include "tests/bench/arena/pad.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "games/arena/arena.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tickbox::bench {
namespace {

const FieldInfo& field(std::string_view name) {
  const auto fields = games::arena().input.fields();
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  TICKBOX_ASSERT(found != fields.end());
  return *found;
}

}  // namespace

std::vector<std::byte> pad_by_default() {
  const TypeInfo& type = games::arena().input;
  std::vector<std::byte> input(type.bytes);
  type.write_default(input.data());
  return input;
}

void write_pad(const Pad& pad, MutableBytes input) {
  static const std::array kFields = {field("move"), field("shoot"), field("ray"), field("aim")};
  const std::array<std::int64_t, kFields.size()> values = {pad.move, pad.shoot ? 1 : 0,
                                                           pad.ray ? 1 : 0, pad.aim};
  for (std::size_t i = 0; i < values.size(); ++i) {
    engine::set_value(kFields[i], 0, values[i], input);
  }
}

}  // namespace tickbox::bench
