#pragma once
// The byte format of a recording: file header, record head, checksum. README.md has the same as
// tables.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/identity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::record {

/// The version that is written and read. Keyframes of version 8 and before have other bytes.
inline constexpr std::uint16_t kFormatVersion = 9;
inline constexpr std::array<char, 8> kMagic{'t', 'i', 'c', 'k', 'b', 'o', 'x', '\x1a'};

/// The file begins with the header. Every keyframe repeats it, so that no damage costs the salt.
inline constexpr std::size_t kFileHeaderBytes = 192;
inline constexpr std::size_t kRecordsOffset = kFileHeaderBytes;

/// The maximum length in bytes of a file header's texts: game and simulation hash; and commit.
inline constexpr std::size_t kHeaderTextMax = 32;
inline constexpr std::size_t kCommitMax = 16;
static_assert(engine::kGameNameMax <= kHeaderTextMax);

/// The header of a log. The one at the beginning of a file also has what belongs to the file
/// alone: `part`, `server` and `first_segment` are 0 in those that keyframes repeat.
struct Header {
  /// Random, one for each run of a room, so that no record of another run is valid in this one.
  std::array<std::byte, 16> salt{};
  std::uint64_t schema_hash = 0;  ///< hash of the schema of the server that recorded it
  std::uint64_t map_hash = 0;
  std::uint64_t seed = 0;       ///< seed of the room's world
  std::int64_t start_ms = 0;    ///< wall-clock time when the room opened, since 1970 UTC
  std::uint32_t tick_rate = 0;  ///< ticks per second
  std::uint32_t map_seats = 0;
  std::uint32_t room = 0;
  std::uint32_t part = 0;    ///< number of this file among those of the room, from 0
  std::uint64_t server = 0;  ///< name_hash() of the server that recorded it; 0: not known
  std::string game;          ///< its name: printable ASCII, at most kHeaderTextMax bytes
  std::uint32_t game_version = 0;
  std::uint64_t game_hash = 0;  ///< engine::game_hash() of it
  std::string simulation;       ///< hash of the sources that stepped it; printable ASCII, at most
                                ///< kHeaderTextMax bytes
  std::string commit;           ///< of the server; printable ASCII, at most kCommitMax bytes
  std::uint32_t first_segment = 0;  ///< number of the file's first segment

  friend bool operator==(const Header&, const Header&) = default;
};

/// Returns the game and the map that a header names.
[[nodiscard]] engine::Identity identity_of(const Header& header);

/// The reason why a file cannot be read at all.
enum class RecordError : std::uint8_t {
  NotARecording,   ///< the file does not begin as a recording does
  HeaderCut,       ///< the file ends within its header: the recorder was killed before anything was
                   ///< recorded
  HeaderDamaged,   ///< no copy of the header has the right checksum and possible values
  UnknownVersion,  ///< of another version of the format
};

/// Returns the header that the keyframes of a file repeat.
[[nodiscard]] Header without_file(Header header);

/// Returns the number that stands for a server's name in a header: it is never 0.
[[nodiscard]] std::uint64_t name_hash(std::string_view server);

/// Returns the meaning of the error in words, for messages. `file`: its first bytes, at least those
/// of a header; they name the build that reads another version of the format.
[[nodiscard]] std::string describe(RecordError error, ConstBytes file);

/// Returns the bytes of a header. Requires: texts as Header says, tick_rate > 0.
[[nodiscard]] std::array<std::byte, kFileHeaderBytes> encode_header(const Header& header);

/// Reads a header. Fails: as RecordError says.
[[nodiscard]] std::expected<Header, RecordError> decode_header(ConstBytes bytes);

enum class RecordType : std::uint8_t {
  Keyframe = 1,
  Ticks = 2,
  Quiet = 3,  ///< quiet ticks: nothing entered them, and the room is empty
  Trailer = 4,
  Unfinished = 5,  ///< a tick whose step never ended; always the last record
  Idle = 6,        ///< idle ticks: the room is empty, and its world was not stepped
};

inline constexpr std::uint32_t kSyncWord = 0x5db1'7ec0;

/// Flag of a trailer: ticks after its last tick were not recorded.
inline constexpr std::uint16_t kFlagTicksLost = 1;
/// Flag of a keyframe: its world is a zstd frame.
inline constexpr std::uint16_t kFlagCompressed = 2;
inline constexpr std::uint16_t kFlagsKnown = kFlagTicksLost | kFlagCompressed;

inline constexpr std::size_t kRecordHeadBytes = 20;
inline constexpr std::size_t kChecksumBytes = 8;

/// The maximum length of a payload, far more than any record has. A greater length is damage and is
/// never allocated.
inline constexpr std::size_t kPayloadBytesMax = std::size_t{16} * 1024 * 1024;

/// The bytes before a keyframe's header and world: the tick of the log's keyframe before it, and
/// the size of the world.
inline constexpr std::size_t kKeyframeHeadBytes = 4 + 4;
/// The most bytes of a keyframe's payload beside the world.
inline constexpr std::size_t kKeyframeFrameBytes = kKeyframeHeadBytes + kFileHeaderBytes;

/// The maximum number of ticks in one record. The writer's longest is a second, at 240 Hz.
inline constexpr std::uint32_t kTicksPerRecordMax = 1'024;

/// The maximum number of segments in one log: some 340 years of them.
inline constexpr std::uint32_t kSegmentsMax = std::uint32_t{1} << 31U;

/// The fixed part before a record's payload.
struct RecordHead {
  std::uint32_t payload_bytes = 0;
  RecordType type = RecordType::Keyframe;
  std::uint16_t flags = 0;
  /// Keyframe: the tick of its world. Ticks, quiet, idle: the first tick. Trailer: the last tick.
  /// Unfinished: its tick.
  Tick tick;
  /// Keyframe: the number of its segment. Ticks, quiet, idle: the number of ticks. Trailer: the
  /// number of the file's last segment plus 1. Unfinished: 1.
  std::uint32_t count = 0;

  friend bool operator==(const RecordHead&, const RecordHead&) = default;
};

[[nodiscard]] constexpr std::size_t record_bytes(const RecordHead& head) {
  return kRecordHeadBytes + head.payload_bytes + kChecksumBytes;
}

/// Writes `head` to the start of `out`. Requires: space for kRecordHeadBytes.
void store_head(MutableBytes out, const RecordHead& head);

enum class HeadError : std::uint8_t {
  Cut,    ///< fewer bytes than a head has
  Wrong,  ///< no sync word, or a value that no writer writes
};

/// Reads a record head and checks all of its fields except the tick. The payload may still be
/// longer than the rest of the file.
[[nodiscard]] std::expected<RecordHead, HeadError> load_head(ConstBytes bytes);

/// The seeds of the record checksums. A seed is the salt's hash XOR the checksum of the previous
/// record in the segment; for a keyframe, which has none, that checksum is 0.
class Chain {
 public:
  explicit Chain(const Header& header);

  [[nodiscard]] std::uint64_t seed_after(std::uint64_t previous_checksum) const {
    return salt_hash_ ^ previous_checksum;
  }

 private:
  std::uint64_t salt_hash_;
};

/// One whole record.
struct LogRecord {
  RecordHead head;
  ConstBytes bytes;  ///< head, payload and checksum
};

/// Makes a record of `record`, which has space for the head and then the payload: stores `head`
/// with the length of the payload, and appends the checksum. Returns a view of `record`.
LogRecord seal(RecordHead head, std::uint64_t seed, std::vector<std::byte>& record);

/// Returns the checksum at the end of a record. Requires: a whole record.
[[nodiscard]] std::uint64_t checksum_of(ConstBytes record);

}  // namespace tickbox::record
