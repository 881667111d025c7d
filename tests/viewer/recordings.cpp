// viewer-recordings FOLDER: writes the recordings that the tests of this folder view, and a desync.
// One of each game, and some of the arena that are not as they should be. viewer-recordings FILE
// SEATS SECONDS: writes one of the arena, for tests/bench/viewer.sh.

#include "cli/build_info.h"
#include "core/assert.h"
#include "desync/document.h"
#include "games/catalog.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/desync/sample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using tickbox::Tick;
using tickbox::tests::RecordedMatch;
using tickbox::tests::RecordedMatchOptions;
using tickbox::tests::small_recording;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kSegments = 4;
constexpr std::uint32_t kTicksPerSegment = 150;
constexpr Tick kChanged{2 * kTicksPerSegment + 20};

void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream out{path, std::ios::binary};
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  TICKBOX_ASSERT(out.good());
}

Bytes recording(RecordedMatchOptions options) {
  options.tick_rate = 60;
  options.seats = 8;
  return small_recording(kSegments, kTicksPerSegment, options);
}

/// Returns a recording whose header says something else.
template <class Change>
Bytes with_header(Change change, std::uint32_t ticks = kTicksPerSegment) {
  RecordedMatch match;
  tickbox::record::Header header = match.header();
  change(header);
  tickbox::tests::MemorySink sink;
  tickbox::tests::Writer writer{sink, header};
  match.record(writer, ticks);
  writer.finish();
  return sink.bytes;
}

/// Makes the changed tick one that no server writes.
void break_changed(Tick tick, tickbox::tests::Told& told) {
  if (tick == kChanged) told.bytes = Bytes{std::byte{0xff}};
}

/// Returns a recording whose last keyframe has another hash than its world, with right checksums.
Bytes with_wrong_keyframe() {
  // Of the keyframe's world: behind the two numbers and the header of the payload, and its tick.
  constexpr std::size_t kStateHash = tickbox::record::kRecordHeadBytes + 8 + 192 + 4;
  Bytes bytes = small_recording(kSegments, kTicksPerSegment, {.tick_rate = 60, .seats = 8},
                                tickbox::record::Compression::None);
  std::size_t last = 0;
  for (const tickbox::tests::Piece& piece : tickbox::tests::pieces(bytes)) {
    if (piece.head.type == tickbox::record::RecordType::Keyframe) last = piece.offset;
  }
  bytes[last + kStateHash] ^= std::byte{1};
  tickbox::tests::rechecksum(bytes);
  return bytes;
}

void turn_round_in_changed(Tick tick, tickbox::tests::Told& told) {
  if (tick == kChanged) tickbox::tests::turn_round(told);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    constexpr std::uint32_t kSecondsPerSegment = 5;
    const RecordedMatchOptions options{.tick_rate = 60,
                                       .seats = static_cast<std::uint32_t>(std::stoul(argv[2])),
                                       .all_stay = true,
                                       .forgets = true};
    const auto seconds = static_cast<std::uint32_t>(std::stoul(argv[3]));
    write(argv[1], small_recording(std::max(seconds / kSecondsPerSegment, 1U),
                                   kSecondsPerSegment * options.tick_rate, options));
    return 0;
  }
  if (argc != 2) {
    std::cerr << "usage: viewer-recordings FOLDER\n"
                 "       viewer-recordings FILE SEATS SECONDS\n";
    return 2;
  }
  const std::filesystem::path folder{argv[1]};
  for (const tickbox::GameTable* const game : tickbox::games::all_games()) {
    write(folder / (std::string{game->name} + ".tickbox"), recording({.seed = 9, .game = game}));
  }
  write(folder / "wrong_hash.tickbox",
        recording({.all_stay = true, .forge = turn_round_in_changed}));
  write(folder / "impossible.tickbox", recording({.all_stay = true, .forge = break_changed}));
  write(folder / "keyframe.tickbox", with_wrong_keyframe());
  const Bytes whole = recording({.seed = 2});
  write(folder / "cut.tickbox",
        {whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(whole.size() / 3)});
  Bytes damaged = whole;
  damaged[whole.size() / 2] ^= std::byte{1};
  write(folder / "damaged.tickbox", damaged);
  Bytes headless = whole;
  headless[20] ^= std::byte{1};
  write(folder / "headless.tickbox", headless);
  write(folder / "empty.tickbox", with_header([](tickbox::record::Header&) {}, 0));
  write(folder / "version.tickbox",
        with_header([](tickbox::record::Header& header) { header.game_version += 3; }));
  write(folder / "rules.tickbox",
        with_header([](tickbox::record::Header& header) { ++header.game_hash; }));
  write(folder / "game.tickbox",
        with_header([](tickbox::record::Header& header) { header.game = "<b>chess</b>"; }));
  std::ofstream{folder / "desync.json"}
      << tickbox::desync::to_json(tickbox::samples::desync(), tickbox::cli::build_info());
  return 0;
}
