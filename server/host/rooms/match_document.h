#pragma once
// The document of a match that moves, from its server to the next one. README.md has its bytes.

#include "core/bytes.h"
#include "server/shard/hosted_room.h"

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace tickbox::server {

[[nodiscard]] std::vector<std::byte> encode_match(const MovedMatch& match);

/// Reads a document, but for its keyframe. Fails: with one line.
[[nodiscard]] std::expected<MovedMatch, std::string> decode_match(ConstBytes document);

}  // namespace tickbox::server
