#pragma once
// A recording's bytes: file header, record header, checksum. README.md has the same as tables.

#include "core/bytes.h"
#include "core/ids.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::record {

inline constexpr std::uint16_t kFormatVersion = 5;
inline constexpr std::array<char, 8> kMagic{'t', 'i', 'c', 'k', 'b', 'o', 'x', '\x1a'};

/// The file begins with two equal copies of the header, so that no single damaged byte costs the
/// salt.
inline constexpr std::size_t kFileHeaderBytes = 160;
inline constexpr std::size_t kFileHeaderCopies = 2;
inline constexpr std::size_t kRecordsOffset = kFileHeaderBytes * kFileHeaderCopies;

/// Longest text of a file header, in bytes: rules and simulation hash.
inline constexpr std::size_t kHeaderTextMax = 32;

/// What a recording says of itself before its first record.
struct Header {
  std::array<std::byte, 16>
      salt{};                     ///< random: no record of another recording passes for one of this
  std::uint64_t schema_hash = 0;  ///< of the schema files of the server that recorded it
  std::uint64_t map_hash = 0;
  std::uint64_t seed = 0;       ///< of the room's world
  std::int64_t start_ms = 0;    ///< wall-clock time when the room opened, since 1970 UTC
  std::uint32_t tick_rate = 0;  ///< per second
  std::uint32_t map_seats = 0;
  std::uint32_t room = 0;
  std::uint32_t part = 0;  ///< number of this file among those of the room, from 0
  std::string rules;       ///< printable ASCII, at most kHeaderTextMax bytes
  std::string simulation;  ///< hash of the sources that stepped it; printable ASCII, at most
                           ///< kHeaderTextMax bytes

  friend bool operator==(const Header&, const Header&) = default;
};

/// Why a file cannot be read at all.
enum class RecordError : std::uint8_t {
  NotARecording,  ///< it begins with other bytes than a recording does
  HeaderCut,  ///< it ends within its header: the recorder was killed before anything was recorded
  HeaderDamaged,   ///< both copies of the header have a wrong checksum, or impossible values
  UnknownVersion,  ///< written by another version of the format
};

/// For messages: what the error means, in words.
[[nodiscard]] std::string_view describe(RecordError error);

/// Requires: texts as Header says, tick_rate > 0.
[[nodiscard]] std::array<std::byte, kFileHeaderBytes> encode_header(const Header& header);

/// Reads one copy.  Fails: as RecordError says.
[[nodiscard]] std::expected<Header, RecordError> decode_header(ConstBytes bytes);

enum class RecordType : std::uint8_t {
  Keyframe = 1,
  Ticks = 2,
  Quiet = 3,  ///< ticks that nothing entered, in a room with nobody in it
  Trailer = 4,
  Unfinished = 5,  ///< a tick whose step never ended: the last record of a file that has one
};

inline constexpr std::uint32_t kSyncWord = 0x5db1'7ec0;

/// Flag of a keyframe or a trailer: ticks before it are missing because the sink did not take them.
inline constexpr std::uint16_t kFlagGapBefore = 1;
/// Flag of a keyframe: its world is a zstd frame.
inline constexpr std::uint16_t kFlagCompressed = 2;
inline constexpr std::uint16_t kFlagsKnown = kFlagGapBefore | kFlagCompressed;

inline constexpr std::size_t kRecordHeadBytes = 20;
inline constexpr std::size_t kChecksumBytes = 8;

/// Longest payload: far more than any record has. A longer length is damage and is never allocated.
inline constexpr std::size_t kPayloadBytesMax = std::size_t{16} * 1024 * 1024;

/// In front of a keyframe's world: the tick of the keyframe before, and the world's bytes.
inline constexpr std::size_t kKeyframeHeadBytes = 4 + 4;

/// Ticks of one record. The writer's longest is a second, at 240 Hz.
inline constexpr std::uint32_t kTicksPerRecordMax = 1'024;

/// Segments of one recording: so many take some 340 years.
inline constexpr std::uint32_t kSegmentsMax = std::uint32_t{1} << 31U;

/// Whether the keyframe of a segment carries the file header once more: those of segments 0, 1, 2,
/// 4, 8 and so on do. Some are soon far from the file's beginning, and all together cost next to
/// nothing.
[[nodiscard]] constexpr bool carries_header(std::uint32_t segment) {
  return segment == 0 || std::has_single_bit(segment);
}

/// Keyframes that a trailer tells the places of: 5.7 hours of all, then every second one, and so
/// on. So it stays under 80 KiB, and what is sought is never further than a 2,048th of the file.
inline constexpr std::size_t kIndexEntriesMax = 4'096;
inline constexpr std::size_t kIndexEntryBytes = 8 + 4 + 4;
/// In front of a trailer's index: ticks, gaps, tick of the last keyframe, number of entries.
inline constexpr std::size_t kTrailerHeadBytes = 4 + 4 + 4 + 4;

/// The fixed part in front of a record's payload.
struct RecordHead {
  std::uint32_t payload_bytes = 0;
  RecordType type = RecordType::Keyframe;
  std::uint16_t flags = 0;
  Tick
      tick;  ///< keyframe: its world's; ticks, quiet: the first; trailer: the last; unfinished: its
  std::uint32_t count = 0;  ///< keyframe: number of its segment, from 0; ticks, quiet: how many;
                            ///< trailer: segments; unfinished: 1

  friend bool operator==(const RecordHead&, const RecordHead&) = default;
};

[[nodiscard]] constexpr std::size_t record_bytes(const RecordHead& head) {
  return kRecordHeadBytes + head.payload_bytes + kChecksumBytes;
}

/// Requires: room for kRecordHeadBytes.
void store_head(MutableBytes out, const RecordHead& head);

enum class HeadError : std::uint8_t {
  Cut,    ///< fewer bytes than a head has
  Wrong,  ///< no sync word, or a value that no writer writes
};

/// Bounds every value.  The payload may still be longer than what follows.
[[nodiscard]] std::expected<RecordHead, HeadError> load_head(ConstBytes bytes);

/// The seeds of checksums: each record's is the salt's hash mixed with the checksum of the record
/// before it in its segment; before a keyframe stands none, which counts as 0.
class Chain {
 public:
  explicit Chain(const Header& header);

  [[nodiscard]] std::uint64_t seed_after(std::uint64_t previous_checksum) const {
    return salt_hash_ ^ previous_checksum;
  }

 private:
  std::uint64_t salt_hash_;
};

}  // namespace tickbox::record
