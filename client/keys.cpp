#include "client/keys.h"

#include "core/assert.h"
#include "engine/declared.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

constexpr std::uint8_t kDigits = 26;
constexpr std::uint8_t kMarks = kDigits + 10;
constexpr std::string_view kMarkNames = ".,[]";
constexpr std::uint8_t kLonger = kMarks + kMarkNames.size();

constexpr std::array<std::string_view, 7> kLongerNames = {"space", "enter", "tab",  "up",
                                                          "down",  "left",  "right"};
static_assert(kLonger + kLongerNames.size() == kKeys);

constexpr KeyCode longer(std::size_t number) {
  return {static_cast<std::uint8_t>(kLonger + number)};
}

/// Returns the key of a character, in small or capital letters.
std::optional<KeyCode> key_of(char character) {
  if (character >= 'a' && character <= 'z')
    return KeyCode{static_cast<std::uint8_t>(character - 'a')};
  if (character >= 'A' && character <= 'Z')
    return KeyCode{static_cast<std::uint8_t>(character - 'A')};
  if (character >= '0' && character <= '9') {
    return KeyCode{static_cast<std::uint8_t>(kDigits + character - '0')};
  }
  if (const std::size_t mark = kMarkNames.find(character); mark != std::string_view::npos) {
    return KeyCode{static_cast<std::uint8_t>(kMarks + mark)};
  }
  return std::nullopt;
}

std::vector<KeyCode> keys_of(std::string_view names) {
  std::vector<KeyCode> keys;
  for (;;) {
    const std::size_t end = std::min(names.find('+'), names.size());
    const std::optional<KeyCode> key = key_named(names.substr(0, end));
    TICKBOX_ASSERT(key.has_value());  // the adapter has checked the names
    keys.push_back(*key);
    if (end == names.size()) return keys;
    names.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<KeyCode> key_named(std::string_view name) {
  if (name.size() == 1) return key_of(name[0]);
  const auto found = std::ranges::find(kLongerNames, name);
  if (found == kLongerNames.end()) return std::nullopt;
  return longer(static_cast<std::size_t>(found - kLongerNames.begin()));
}

void HeldKeys::press(KeyCode key) {
  State& state = keys_[key.number];
  if (std::exchange(state.is_held, true)) return;
  state.is_pressed = true;
  state.order = ++presses_;
}

void HeldKeys::release_all() {
  for (State& state : keys_) {
    state.is_held = false;
  }
}

bool HeldKeys::is_down(KeyCode key) const {
  const State& state = keys_[key.number];
  return state.is_pressed || state.is_held;
}

void HeldKeys::clear_presses() {
  for (State& state : keys_) {
    state.is_pressed = false;
  }
}

KeyBindings::KeyBindings(const GameTable& game) : game_(&game) {
  std::string_view before;
  for (const KeyTable& key : game.keys) {
    if (bindings_.empty() || key.keys != before) {
      bindings_.push_back({.keys = keys_of(key.keys), .values = {}});
    }
    before = key.keys;
    bindings_.back().values.push_back(
        {.field = &game.input.fields()[key.field], .i = key.i, .value = key.value});
  }
  for (const CommandKeyTable& key : game.command_keys) {
    command_bindings_.push_back({.keys = keys_of(key.keys), .command = &key});
  }
}

bool KeyBindings::has(KeyCode key) const {
  const auto uses = [key](const auto& binding) {
    return std::ranges::find(binding.keys, key) != binding.keys.end();
  };
  return std::ranges::any_of(bindings_, uses) || std::ranges::any_of(command_bindings_, uses);
}

void KeyBindings::find_commands(const HeldKeys& keys) {
  pressed_.clear();
  for (const CommandBinding& binding : command_bindings_) {
    const bool is_down =
        std::ranges::all_of(binding.keys, [&](KeyCode key) { return keys.is_down(key); });
    const bool is_pressed =
        std::ranges::any_of(binding.keys, [&](KeyCode key) { return keys.is_pressed(key); });
    if (is_down && is_pressed) pressed_.push_back(binding.command);
  }
}

ConstBytes KeyBindings::input(HeldKeys& keys) {
  find_commands(keys);

  active_.clear();
  for (const Binding& binding : bindings_) {
    Active candidate{.binding = &binding};
    const bool is_down =
        std::ranges::all_of(binding.keys, [&](KeyCode key) { return keys.is_down(key); });
    if (!is_down) continue;
    for (const KeyCode key : binding.keys) {
      candidate.order = std::max(candidate.order, keys.order(key));
      candidate.is_pressed = candidate.is_pressed || keys.is_pressed(key);
    }
    active_.push_back(candidate);
  }
  std::ranges::sort(active_, [](const Active& a, const Active& b) {
    if (a.binding->keys.size() != b.binding->keys.size()) {
      return a.binding->keys.size() > b.binding->keys.size();
    }
    return a.order != b.order ? a.order > b.order : a.binding < b.binding;
  });
  const MutableBytes bytes = MutableBytes{input_}.first(game_->input.bytes);
  game_->input.write_default(input_.data());
  given_.clear();
  for (const Active& each : active_) {
    const std::vector<Value>& values = each.binding->values;
    const bool is_cancelled = std::ranges::any_of(values, [&](const Value& value) {
      return std::ranges::any_of(given_, [&](const Value* other) {
        return other->field == value.field && other->i == value.i;
      });
    });
    if (is_cancelled) continue;
    for (const Value& value : values) {
      given_.push_back(&value);
      if (value.field->form == FieldForm::Press && !each.is_pressed) continue;
      engine::set_value(*value.field, value.i, value.value, bytes);
    }
  }
  keys.clear_presses();
  return bytes;
}

}  // namespace tickbox::client
