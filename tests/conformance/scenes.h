#pragma once
// What is played for a capture. Together the scenes show every type of datagram, all refusals but
// TokensFull, Denied, TokenEarly and Overloaded, and every end of a session but a kick and the end
// of a match.

#include "tests/conformance/capture.h"

#include <cstdio>
#include <span>
#include <string_view>

namespace tickbox::tests {

struct Scene {
  std::string_view name;
  std::string_view what;
  void (*play)(std::FILE* out);
};

/// Bad links, a client that moves, two that resume, one that falls silent, one too many.
void play_match(std::FILE* out);

/// Most kinds of client that are refused, once each; datagrams that are none; a server that starts
/// again.
void play_strangers(std::FILE* out);

/// A crowd whose views need several snapshots each.
void play_crowd(std::FILE* out);

/// One client, long enough for the second key of each direction.
void play_epochs(std::FILE* out);

/// The same with AES, and a client that resumes.
void play_aes(std::FILE* out);

/// A bit flips in the views of two clients: both ends say what they have.
void play_desync(std::FILE* out);

inline constexpr Scene kScenes[] = {
    {"match", "bad links, resumes, a move, timeouts", play_match},
    {"strangers", "most refusals, noise, a restart", play_strangers},
    {"crowd", "more to be seen than a snapshot takes", play_crowd},
    {"epochs", "65,536 packets and more each way", play_epochs},
    {"aes", "the same with AES, and a resume", play_aes},
    {"desync", "views that come out wrong", play_desync},
};

/// Two keys; tokens are sealed with the newer.
[[nodiscard]] net::KeyRing make_ring();

}  // namespace tickbox::tests
