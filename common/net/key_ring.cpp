#include "net/key_ring.h"

#include "core/text.h"
#include "core/values.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace tickbox::net {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kHeading =
    "# Keys of a Tickbox server, newest first. The first key seals new tokens; every key opens "
    "tokens.\n# Keep this file secret: anybody who has it can issue tokens.\n";

std::optional<RingKey> parse_line(std::string_view line) {
  const std::size_t blank = std::min(line.find_first_of(kBlanks), line.size());
  const auto id = parse_as<std::uint32_t>(line.substr(0, blank));
  if (!id || *id == kPublishedKeyId) return std::nullopt;
  RingKey key{.id = *id};
  if (!from_hex(trimmed(line.substr(blank)), key.key)) return std::nullopt;
  return key;
}

}  // namespace

KeyRing KeyRing::published() {
  return KeyRing{SecretVector<RingKey>{{.id = kPublishedKeyId, .key = published_key()}}};
}

KeyRing KeyRing::fresh(Entropy& entropy) {
  return KeyRing{
      SecretVector<RingKey>{{.id = kPublishedKeyId + 1, .key = draw<SecretKey>(entropy)}}};
}

std::expected<KeyRing, std::string> KeyRing::parse(std::string_view text) {
  SecretVector<RingKey> keys;
  keys.reserve(kRingKeysMax);
  LineReader lines{text};
  const auto fail = [&lines](const std::string& why) {
    return std::unexpected{"line " + std::to_string(lines.number()) + ": " + why};
  };
  while (const auto line = lines.next()) {
    const auto key = parse_line(*line);
    if (!key) return fail("expected \"ID KEY\" (a number from 1 and 64 hex digits)");
    if (std::ranges::find(keys, key->id, &RingKey::id) != keys.end()) {
      return fail("this id is also on an earlier line; give each key its own");
    }
    if (keys.size() == kRingKeysMax) {
      return fail("one key too many; the most is " + std::to_string(kRingKeysMax));
    }
    keys.push_back(*key);
  }
  if (keys.empty()) {
    return std::unexpected{"it has no key; make one with: tickbox token keygen --out FILE"};
  }
  return KeyRing{std::move(keys)};
}

std::string KeyRing::text() const {
  // One block of memory: a text that grows leaves copies of its keys behind.
  constexpr std::size_t kLineBytes = std::size("4294967295 \n") + 2 * kKeyBytes;
  std::string text;
  text.reserve(kHeading.size() + keys_.size() * kLineBytes);
  text += kHeading;
  for (const RingKey& key : keys_) {
    std::string digits = to_hex(key.key);
    text += std::to_string(key.id);
    text += ' ';
    text += digits;
    text += '\n';
    wipe(std::as_writable_bytes(std::span{digits}));
  }
  return text;
}

bool KeyRing::rotate(Entropy& entropy) {
  TICKBOX_ASSERT(!is_published());
  if (keys_.size() == kRingKeysMax) return false;
  std::uint32_t id = std::ranges::max(keys_, {}, &RingKey::id).id + 1;
  while (id == kPublishedKeyId || find(id) != nullptr)  // the ids wrap after the last one
    ++id;
  keys_.insert(keys_.begin(), {.id = id, .key = draw<SecretKey>(entropy)});
  return true;
}

const SecretKey* KeyRing::find(std::uint32_t id) const {
  const auto found = std::ranges::find(keys_, id, &RingKey::id);
  return found != keys_.end() ? &found->key : nullptr;
}

}  // namespace tickbox::net
