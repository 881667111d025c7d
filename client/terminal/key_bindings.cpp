#include "client/terminal/key_bindings.h"

#include "client/terminal/screen.h"
#include "core/assert.h"
#include "engine/declared.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tickbox::terminal {
namespace {

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

/// Returns a key as it is shown: an arrow key as an arrow, any other by its name.
std::u32string shown_name(std::string_view key) {
  if (key == "left") return U"←";
  if (key == "right") return U"→";
  if (key == "up") return U"↑";
  if (key == "down") return U"↓";
  return widened(key);
}

/// The keys that are named together.
struct Group {
  std::string name;  ///< of the field, or of the command
  std::vector<std::string_view> keys;
};

}  // namespace

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

void KeyBindings::find_commands(const HeldKeys& keys, Instant now) {
  pressed_.clear();
  for (const CommandBinding& binding : command_bindings_) {
    const bool is_down =
        std::ranges::all_of(binding.keys, [&](KeyCode key) { return keys.is_down(key, now); });
    const bool is_pressed =
        std::ranges::any_of(binding.keys, [&](KeyCode key) { return keys.is_pressed(key); });
    if (is_down && is_pressed) pressed_.push_back(binding.command);
  }
}

ConstBytes KeyBindings::input(HeldKeys& keys, Instant now) {
  keys.settle(now);
  find_commands(keys, now);

  /// A binding whose keys are all down.
  struct Active {
    const Binding* binding = nullptr;
    std::uint64_t order = 0;  ///< of its key that was pressed last
    bool is_pressed = false;
  };

  std::vector<Active> active;
  for (const Binding& binding : bindings_) {
    Active candidate{.binding = &binding};
    const bool is_down =
        std::ranges::all_of(binding.keys, [&](KeyCode key) { return keys.is_down(key, now); });
    if (!is_down) continue;
    for (const KeyCode key : binding.keys) {
      candidate.order = std::max(candidate.order, keys.order(key));
      candidate.is_pressed = candidate.is_pressed || keys.is_pressed(key);
    }
    active.push_back(candidate);
  }
  std::ranges::stable_sort(active, [](const Active& a, const Active& b) {
    if (a.binding->keys.size() != b.binding->keys.size()) {
      return a.binding->keys.size() > b.binding->keys.size();
    }
    return a.order > b.order;
  });
  const MutableBytes bytes = MutableBytes{input_}.first(game_->input.bytes);
  game_->input.write_default(input_.data());
  std::vector<const Value*> given;
  for (const Active& each : active) {
    const std::vector<Value>& values = each.binding->values;
    const bool is_cancelled = std::ranges::any_of(values, [&](const Value& value) {
      return std::ranges::any_of(given, [&](const Value* other) {
        return other->field == value.field && other->i == value.i;
      });
    });
    if (is_cancelled) continue;
    for (const Value& value : values) {
      given.push_back(&value);
      if (value.field->form == FieldForm::Press && !each.is_pressed) continue;
      engine::set_value(*value.field, value.i, value.value, bytes);
    }
  }
  keys.clear_presses();
  return bytes;
}

std::u32string key_hints(const GameTable& game) {
  std::vector<Group> groups;
  std::vector<std::string_view> seen;
  const auto add = [&](std::string_view keys, const std::string& name) {
    if (keys.find('+') != std::string_view::npos) return;
    if (std::ranges::find(seen, keys) != seen.end()) return;
    seen.push_back(keys);
    auto group = std::ranges::find(groups, name, &Group::name);
    if (group == groups.end()) group = groups.insert(group, {.name = name, .keys = {}});
    group->keys.push_back(keys);
  };
  for (const KeyTable& key : game.keys) {
    add(key.keys, std::string{game.input.fields()[key.field].name});
  }
  for (const CommandKeyTable& key : game.command_keys) {
    std::string name{game.commands[key.command].type.name};
    if (name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
    add(key.keys, name);
  }
  std::u32string hints;
  for (const Group& group : groups) {
    if (!hints.empty()) hints += U"  ";
    for (const std::string_view key : group.keys) {
      hints += shown_name(key) + U' ';
    }
    hints += widened(group.name);
  }
  return hints;
}

}  // namespace tickbox::terminal
