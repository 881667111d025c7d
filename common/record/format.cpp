#include "record/format.h"

#include "core/assert.h"
#include "core/hash.h"
#include "core/numbers.h"
#include "core/text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tickbox::record {
namespace {

// Offsets within a file header; README.md lists them.
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kHeaderBytesAt = 10;
constexpr std::size_t kTickRateAt = 12;
constexpr std::size_t kSaltAt = 16;
constexpr std::size_t kSchemaHashAt = 32;
constexpr std::size_t kMapHashAt = 40;
constexpr std::size_t kSeedAt = 48;
constexpr std::size_t kStartAt = 56;
constexpr std::size_t kMapSeatsAt = 64;
constexpr std::size_t kRoomAt = 68;
constexpr std::size_t kGameAt = 72;
constexpr std::size_t kSimulationAt = kGameAt + kHeaderTextMax;
constexpr std::size_t kPartAt = kSimulationAt + kHeaderTextMax;
constexpr std::size_t kServerAt = kPartAt + 4;
constexpr std::size_t kGameVersionAt = kServerAt + 8;
constexpr std::size_t kGameHashAt = kGameVersionAt + 4;
constexpr std::size_t kCommitAt = kGameHashAt + 8;
constexpr std::size_t kFirstSegmentAt = kCommitAt + kCommitMax;
constexpr std::size_t kReservedAt = kFirstSegmentAt + 4;
constexpr std::size_t kChecksumAt = kFileHeaderBytes - kChecksumBytes;
static_assert(kReservedAt <= kChecksumAt);

/// `out`: the field, filled with zeros.
void store_text(MutableBytes out, std::string_view text) {
  TICKBOX_ASSERT(text.size() <= out.size());
  std::ranges::copy(as_bytes_of(text), out.begin());
}

/// Reads a text: printable ASCII that ends at its first zero byte, followed only by zeros. Fails:
/// nothing, for other bytes.
std::optional<std::string> load_text(ConstBytes field) {
  const auto end = std::ranges::find(field, std::byte{0});
  const bool printable = std::all_of(field.begin(), end, [](std::byte byte) {
    return byte >= std::byte{' '} && byte <= std::byte{'~'};
  });
  const bool padded =
      std::all_of(end, field.end(), [](std::byte byte) { return byte == std::byte{0}; });
  if (!printable || !padded) return std::nullopt;
  std::string text;
  std::transform(field.begin(), end, std::back_inserter(text),
                 [](std::byte byte) { return static_cast<char>(byte); });
  return text;
}

std::uint16_t version_of(ConstBytes header) {
  return load_le<std::uint16_t>(header.subspan(kVersionAt));
}

bool is_magic_prefix(ConstBytes bytes) {
  const ConstBytes magic = as_bytes_of(kMagic);
  const std::size_t size = std::min(bytes.size(), magic.size());
  return std::ranges::equal(bytes.first(size), magic.first(size));
}

}  // namespace

std::uint64_t name_hash(std::string_view server) {
  return std::max<std::uint64_t>(hash_bytes(as_bytes_of(server)), 1);
}

engine::Identity identity_of(const Header& header) {
  return {.game = header.game,
          .version = header.game_version,
          .game_hash = header.game_hash,
          .map_seats = header.map_seats,
          .map_hash = header.map_hash};
}

Header without_file(Header header) {
  header.part = 0;
  header.server = 0;
  header.first_segment = 0;
  return header;
}

std::string describe(RecordError error, ConstBytes file) {
  if (error == RecordError::UnknownVersion) {
    const auto commit = load_text(file.subspan(kCommitAt, kCommitMax));
    return "it has version " + std::to_string(version_of(file)) +
           " of the recording format, and this build reads version " +
           std::to_string(kFormatVersion) + "; the build that recorded it reads it" +
           (commit && !commit->empty() ? ": " + *commit : "");
  }
  return std::string{name_among<RecordError::HeaderDamaged>(
      {"it is not a recording", "it ends within its header: nothing was recorded yet",
       "every copy of its header is damaged"},
      error)};
}

std::array<std::byte, kFileHeaderBytes> encode_header(const Header& header) {
  TICKBOX_ASSERT(header.tick_rate > 0);
  std::array<std::byte, kFileHeaderBytes> bytes{};
  const MutableBytes out{bytes};
  std::ranges::copy(as_bytes_of(kMagic), out.begin());
  store_le(out.subspan(kVersionAt), kFormatVersion);
  store_le(out.subspan(kHeaderBytesAt), std::uint16_t{kFileHeaderBytes});
  store_le(out.subspan(kTickRateAt), header.tick_rate);
  std::ranges::copy(header.salt, out.subspan(kSaltAt).begin());
  store_le(out.subspan(kSchemaHashAt), header.schema_hash);
  store_le(out.subspan(kMapHashAt), header.map_hash);
  store_le(out.subspan(kSeedAt), header.seed);
  store_le(out.subspan(kStartAt), static_cast<std::uint64_t>(header.start_ms));
  store_le(out.subspan(kMapSeatsAt), header.map_seats);
  store_le(out.subspan(kRoomAt), header.room);
  store_le(out.subspan(kPartAt), header.part);
  store_le(out.subspan(kServerAt), header.server);
  store_le(out.subspan(kGameVersionAt), header.game_version);
  store_le(out.subspan(kGameHashAt), header.game_hash);
  store_text(out.subspan(kGameAt, kHeaderTextMax), header.game);
  store_text(out.subspan(kSimulationAt, kHeaderTextMax), header.simulation);
  store_text(out.subspan(kCommitAt, kCommitMax), header.commit);
  store_le(out.subspan(kFirstSegmentAt), header.first_segment);
  store_le(out.subspan(kChecksumAt), hash_bytes(out.first(kChecksumAt)));
  return bytes;
}

std::expected<Header, RecordError> decode_header(ConstBytes bytes) {
  if (!is_magic_prefix(bytes)) return std::unexpected{RecordError::NotARecording};
  if (bytes.size() < kFileHeaderBytes) return std::unexpected{RecordError::HeaderCut};
  const auto checksum = load_le<std::uint64_t>(bytes.subspan(kChecksumAt));
  const bool intact = checksum == hash_bytes(bytes.first(kChecksumAt));
  if (version_of(bytes) != kFormatVersion) return std::unexpected{RecordError::UnknownVersion};
  if (!intact || load_le<std::uint16_t>(bytes.subspan(kHeaderBytesAt)) != kFileHeaderBytes) {
    return std::unexpected{RecordError::HeaderDamaged};
  }
  Header header;
  std::ranges::copy(bytes.subspan(kSaltAt, header.salt.size()), header.salt.begin());
  header.schema_hash = load_le<std::uint64_t>(bytes.subspan(kSchemaHashAt));
  header.map_hash = load_le<std::uint64_t>(bytes.subspan(kMapHashAt));
  header.seed = load_le<std::uint64_t>(bytes.subspan(kSeedAt));
  header.start_ms = static_cast<std::int64_t>(load_le<std::uint64_t>(bytes.subspan(kStartAt)));
  header.tick_rate = load_le<std::uint32_t>(bytes.subspan(kTickRateAt));
  header.map_seats = load_le<std::uint32_t>(bytes.subspan(kMapSeatsAt));
  header.room = load_le<std::uint32_t>(bytes.subspan(kRoomAt));
  header.part = load_le<std::uint32_t>(bytes.subspan(kPartAt));
  header.server = load_le<std::uint64_t>(bytes.subspan(kServerAt));
  header.game_version = load_le<std::uint32_t>(bytes.subspan(kGameVersionAt));
  header.game_hash = load_le<std::uint64_t>(bytes.subspan(kGameHashAt));
  header.first_segment = load_le<std::uint32_t>(bytes.subspan(kFirstSegmentAt));
  auto game = load_text(bytes.subspan(kGameAt, kHeaderTextMax));
  auto simulation = load_text(bytes.subspan(kSimulationAt, kHeaderTextMax));
  auto commit = load_text(bytes.subspan(kCommitAt, kCommitMax));
  if (header.tick_rate == 0 || header.first_segment >= kSegmentsMax || !game || !simulation ||
      !commit) {
    return std::unexpected{RecordError::HeaderDamaged};
  }
  header.game = *std::move(game);
  header.simulation = *std::move(simulation);
  header.commit = *std::move(commit);
  return header;
}

void store_head(MutableBytes out, const RecordHead& head) {
  TICKBOX_ASSERT(out.size() >= kRecordHeadBytes);
  store_le(out, kSyncWord);
  store_le(out.subspan(4), head.payload_bytes);
  store_le(out.subspan(8), static_cast<std::uint16_t>(head.type));
  store_le(out.subspan(10), head.flags);
  store_le(out.subspan(12), head.tick.value);
  store_le(out.subspan(16), head.count);
}

std::expected<RecordHead, HeadError> load_head(ConstBytes bytes) {
  if (bytes.size() < kRecordHeadBytes) return std::unexpected{HeadError::Cut};
  const auto type = load_le<std::uint16_t>(bytes.subspan(8));
  const RecordHead head{.payload_bytes = load_le<std::uint32_t>(bytes.subspan(4)),
                        .type = static_cast<RecordType>(type),
                        .flags = load_le<std::uint16_t>(bytes.subspan(10)),
                        .tick = {load_le<std::uint32_t>(bytes.subspan(12))},
                        .count = load_le<std::uint32_t>(bytes.subspan(16))};
  const bool known = type >= static_cast<std::uint16_t>(RecordType::Keyframe) &&
                     type <= static_cast<std::uint16_t>(RecordType::Idle) &&
                     (head.flags & ~kFlagsKnown) == 0 &&
                     ((head.flags & kFlagCompressed) == 0 || head.type == RecordType::Keyframe) &&
                     ((head.flags & kFlagTicksLost) == 0 || head.type == RecordType::Trailer);
  if (load_le<std::uint32_t>(bytes) != kSyncWord || !known || head.count > kSegmentsMax ||
      head.payload_bytes > kPayloadBytesMax) {
    return std::unexpected{HeadError::Wrong};
  }
  return head;
}

LogRecord seal(RecordHead head, std::uint64_t seed, std::vector<std::byte>& record) {
  const std::size_t payload = record.size() - kRecordHeadBytes;
  TICKBOX_ASSERT(payload <= kPayloadBytesMax);
  head.payload_bytes = static_cast<std::uint32_t>(payload);
  store_head(record, head);
  NumberWriter{record}.fixed(hash_bytes(record, seed));
  return {.head = head, .bytes = record};
}

std::uint64_t checksum_of(ConstBytes record) {
  return load_le<std::uint64_t>(record.last(kChecksumBytes));
}

Chain::Chain(const Header& header) : salt_hash_(hash_bytes(header.salt)) {}

}  // namespace tickbox::record
