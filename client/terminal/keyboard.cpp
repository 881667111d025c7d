#include "client/terminal/keyboard.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::terminal {
namespace {

constexpr char kEscape = '\x1b';

/// The longest sequence of a key; a longer one is dropped.
constexpr std::size_t kSequenceMax = 32;

/// Returns the key of a character, in small or capital letters.
std::optional<KeyCode> key_of(std::uint32_t character) {
  switch (character) {
    case ' ':
      return client::key_named("space");
    case '\r':
    case '\n':
      return client::key_named("enter");
    case '\t':
      return client::key_named("tab");
    default:
      break;
  }
  if (character >= 0x80) return std::nullopt;
  const char name = static_cast<char>(character);
  return client::key_named({&name, 1});
}

/// Returns the arrow key of the last byte of a sequence.
std::optional<KeyCode> arrow_of(char last) {
  switch (last) {
    case 'A':
      return client::key_named("up");
    case 'B':
      return client::key_named("down");
    case 'C':
      return client::key_named("right");
    case 'D':
      return client::key_named("left");
    default:
      return std::nullopt;
  }
}

/// One parameter of a sequence, with the number behind its colon.
struct Parameter {
  std::uint32_t value = 0;
  std::uint32_t behind = 0;
};

/// Returns the number at the beginning of a text; 0 if there is none.
std::uint32_t parse_number(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Parameter parse_parameter(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  Parameter parameter{.value = parse_number(text.substr(0, colon))};
  if (colon < text.size()) parameter.behind = parse_number(text.substr(colon + 1));
  return parameter;
}

/// The modifier keys of a sequence: its number less one, as bits.
constexpr std::uint32_t kCtrl = 4;
/// All but shift and the locks: with one of these a key is a command of the terminal, not of a
/// game.
constexpr std::uint32_t kCommandKeys = 2 | kCtrl | 8 | 16 | 32;

/// The event of a sequence that is a release.
constexpr std::uint32_t kReleased = 3;

/// The flags of kitty's protocol that make every key report its release: events, and all keys.
constexpr std::uint32_t kReleaseFlags = 2 | 8;

using Type = KeyEvent::Type;

std::optional<KeyEvent> event_of(std::optional<KeyCode> key, const Parameter& modifiers,
                                 std::uint32_t code) {
  const std::uint32_t bits = modifiers.value > 0 ? modifiers.value - 1 : 0;
  if (modifiers.behind == kReleased) {
    if (!key) return std::nullopt;
    return KeyEvent{.type = Type::Up, .key = *key};
  }
  if ((bits & kCtrl) != 0 && code == 'c') return KeyEvent{.type = Type::Interrupt};
  if ((bits & kCtrl) != 0 && code == 'z') return KeyEvent{.type = Type::Suspend};
  if (!key || (bits & kCommandKeys) != 0) return std::nullopt;
  return KeyEvent{.type = Type::Down, .key = *key};
}

/// Reads a whole sequence that begins with ESC and [. `inside`: what is between that and the last
/// byte.
std::optional<KeyEvent> read_sequence(std::string_view inside, char last) {
  if (last == 'O' && inside.empty()) return KeyEvent{.type = Type::FocusLost};
  if (last == 'u' && inside.starts_with('?')) {
    const std::uint32_t flags = parse_parameter(inside.substr(1)).value;
    if ((flags & kReleaseFlags) != kReleaseFlags) return std::nullopt;
    return KeyEvent{.type = Type::ReportsReleases};
  }
  const std::size_t end = std::min(inside.find(';'), inside.size());
  const Parameter first = parse_parameter(inside.substr(0, end));
  Parameter modifiers;
  if (end < inside.size()) {
    const std::string_view rest = inside.substr(end + 1);
    modifiers = parse_parameter(rest.substr(0, std::min(rest.find(';'), rest.size())));
  }
  if (last == 'u') return event_of(key_of(first.value), modifiers, first.value);
  return event_of(arrow_of(last), modifiers, 0);
}

/// A sequence at the beginning of some bytes.
struct Sequence {
  std::size_t size = 0;  ///< 0: it is not complete
  std::optional<KeyEvent> event;
};

Sequence find_sequence(std::string_view bytes) {
  if (bytes.size() < 2) return {};
  if (bytes[1] == 'O') {
    if (bytes.size() < 3) return {};
    return {.size = 3, .event = event_of(arrow_of(bytes[2]), {}, 0)};
  }
  // ESC and a character: a key with Alt.
  if (bytes[1] != '[') return {.size = bytes[1] == kEscape ? std::size_t{1} : 2, .event = {}};
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    const char byte = bytes[i];
    if (byte >= '@' && byte <= '~') {
      return {.size = i + 1, .event = read_sequence(bytes.substr(2, i - 2), byte)};
    }
    // Not a byte of a sequence: what was before it is dropped.
    if (byte < ' ' || byte > '~' || i == kSequenceMax) return {.size = i, .event = {}};
  }
  return {};
}

std::optional<KeyEvent> read_byte(char byte) {
  constexpr char kCtrlC = '\x03';
  constexpr char kCtrlZ = '\x1a';
  if (byte == kCtrlC) return KeyEvent{.type = Type::Interrupt};
  if (byte == kCtrlZ) return KeyEvent{.type = Type::Suspend};
  const std::optional<KeyCode> key = key_of(static_cast<unsigned char>(byte));
  if (!key) return std::nullopt;
  return KeyEvent{.type = Type::Down, .key = *key};
}

}  // namespace

std::vector<KeyEvent> KeyDecoder::decode(std::string_view bytes, Instant now) {
  if (!rest_.empty() && now - since_ >= kEscapeFor) rest_.clear();
  if (rest_.empty()) since_ = now;
  rest_ += bytes;
  std::vector<KeyEvent> events;
  std::string_view left = rest_;
  while (!left.empty()) {
    Sequence next{.size = 1, .event = {}};
    if (left.front() == kEscape) {
      next = find_sequence(left);
    } else {
      next.event = read_byte(left.front());
    }
    if (next.size == 0) break;
    if (next.event) events.push_back(*next.event);
    left.remove_prefix(next.size);
    since_ = now;
  }
  rest_ = std::string{left};
  return events;
}

}  // namespace tickbox::terminal
