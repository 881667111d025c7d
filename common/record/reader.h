#pragma once
// Reads an untrusted recording record by record, and continues at the next keyframe after damage.
//
// Worlds and ticks are bytes of the engine's tick log, and opaque here: the reader needs no game.
// Whether they are possible is for a Replayer to say.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/log/tick_log.h"
#include "record/format.h"

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::record {

using engine::EncodedTick;

/// A world after its tick. Reader::world() returns its bytes.
struct KeyframeHead {
  Tick tick;
  std::uint64_t state_hash = 0;  ///< as the keyframe names it
  std::uint32_t segment = 0;     ///< number of the segment that it begins
  Tick previous;            ///< tick of the log's keyframe before it; its own if it is the first
  bool gap_before = false;  ///< ticks before it were not recorded
};

/// The record at the end of a complete recording.
struct Trailer {
  Tick last_tick;  ///< last recorded tick
  Tick last_keyframe;
  bool gap_before = false;        ///< ticks after last_tick were not recorded
  std::uint32_t end_segment = 0;  ///< number of the last segment plus 1; 0 if there is none
  std::uint32_t ticks = 0;
  std::uint32_t gaps = 0;
};

/// A stretch of the file that differs from what the writer wrote.
struct Damage {
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< 0: bytes were removed here, and the next record is whole
};

/// A file with a cut last record, or without a trailer or an unfinished tick, ends early: its
/// recorder was killed. Damage is a complete record with a wrong checksum or impossible content,
/// and any bad bytes before a valid record.
///
/// Quiet and idle ticks are Ticks items as well.
/// Invariants: ticks strictly increase; every Ticks item continues the keyframe or the Ticks item
/// before it; after Damage comes a Keyframe, a Trailer, the end or more Damage.
/// Cost: linear in the length of the file and of the worlds in it, each at most kPayloadBytesMax,
/// hostile files included.
class Reader {
 public:
  enum class Item : std::uint8_t {
    Keyframe,
    Ticks,
    Trailer,
    Unfinished,  ///< the tick whose step never ended; Finished or Damage follows
    Damage,
    EndsEarly,
    Waiting,   ///< the recording grows, and more bytes have to come
    Finished,  ///< the end of the file; every later call returns it too
  };

  /// Opens a recording. Requires: `file` outlives the reader. Fails: when neither the file header
  /// nor the header in a keyframe can be read.
  [[nodiscard]] static std::expected<Reader, RecordError> open(ConstBytes file);

  [[nodiscard]] const Header& header() const { return header_; }

  /// Returns the number of the file's first segment; nothing if the file header is damaged.
  [[nodiscard]] std::optional<std::uint32_t> first_segment() const {
    return header_is_lost_ ? std::nullopt : std::optional{header_.first_segment};
  }

  /// Returns a reader of the same file whose first item is the keyframe at `offset`. If no whole
  /// keyframe is there, the reader continues as after damage. Requires: `offset` is that of a
  /// record in the file.
  [[nodiscard]] Reader from_keyframe(std::size_t offset) const;

  /// Returns the record at `offset`. Requires: a whole record is there.
  [[nodiscard]] LogRecord record_at(std::size_t offset) const;

  /// Continues in a recording that grows. `file` is what it now has, and outlives the reader: the
  /// header, then the records without the first `dropped` bytes of those before. Until
  /// end_growth(), next() returns Waiting at the end, and while no keyframe follows damage, unless
  /// more bytes wait than the longest keyframe has.
  /// Requires: the bytes before offset() - `dropped` were read.
  void grow(ConstBytes file, std::size_t dropped);

  /// Notes that the recording does not grow any more.
  void end_growth();

  /// Advances to the next item. The accessors below return its content until the next call.
  Item next();

  [[nodiscard]] const record::KeyframeHead& keyframe() const { return keyframe_; }

  /// Returns the bytes of the keyframe's world, not compressed.
  [[nodiscard]] ConstBytes world() const {
    return is_compressed_ ? ConstBytes{world_} : raw_world_;
  }

  [[nodiscard]] std::span<const EncodedTick> ticks() const { return {ticks_.data(), tick_count_}; }

  [[nodiscard]] const record::Trailer& trailer() const { return trailer_; }

  /// Returns what was to enter the tick whose step never ended; it has no hash.
  [[nodiscard]] const EncodedTick& unfinished() const { return ticks_.front(); }

  [[nodiscard]] const record::Damage& damage() const { return damage_; }

  /// Returns the number of bytes read from the start of the file, for progress.
  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// Returns the offset of the last record that was an item; Damage is none. It has no meaning
  /// before the first such item.
  [[nodiscard]] std::size_t item_offset() const { return item_offset_; }

 private:
  enum class Framing : std::uint8_t { Whole, Cut, Bad };

  Reader(ConstBytes file, Header header);

  [[nodiscard]] Framing check_record(std::size_t offset, std::uint64_t previous,
                                     RecordHead& head) const;
  [[nodiscard]] bool follows(const RecordHead& head) const;
  [[nodiscard]] std::uint64_t checksum_before(std::size_t at) const;
  [[nodiscard]] std::optional<std::size_t> find_record(std::size_t from, RecordHead& head);
  [[nodiscard]] bool decode(const RecordHead& head);
  [[nodiscard]] bool decode_keyframe(const RecordHead& head, ConstBytes payload);
  EncodedTick& add_tick(std::uint32_t i, Tick tick, ConstBytes bytes);
  [[nodiscard]] bool decode_ticks(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_stretch(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_trailer(const RecordHead& head, ConstBytes payload);
  Item accept(const RecordHead& head);
  Item next_of_file();
  Item damaged_until(std::size_t end);
  Item resume(Framing reason, std::size_t from);

  ConstBytes file_;
  Header header_;
  std::array<std::byte, kFileHeaderBytes> repeated_header_;  ///< as every keyframe has it
  Chain chain_;
  bool header_is_lost_ = false;
  std::optional<record::Damage> header_damage_;

  std::size_t offset_;
  std::size_t item_offset_ = 0;
  std::uint64_t checksum_ = 0;     ///< checksum of the record before offset_
  std::uint32_t segments_;         ///< number of the next keyframe, if nothing is missing
  std::optional<Tick> last_tick_;  ///< last tick read
  Tick last_keyframe_;
  bool in_segment_ = false;  ///< a Ticks record may follow
  bool resuming_ = false;    ///< damage lies before offset_: ticks and segments may be missing
  bool closed_ = false;      ///< the trailer or an unfinished tick was read
  bool finished_ = false;
  bool grows_ = false;

  std::size_t search_budget_;  ///< bytes that may still be hashed without a match after damage

  record::KeyframeHead keyframe_;
  bool is_compressed_ = false;      ///< the last keyframe
  ConstBytes raw_world_;            ///< of the last keyframe that is not compressed
  std::vector<std::byte> world_;    ///< decompressed world of a keyframe
  std::vector<EncodedTick> ticks_;  ///< never shrinks, to keep its memory
  std::size_t tick_count_ = 0;
  record::Trailer trailer_;
  record::Damage damage_;
};

}  // namespace tickbox::record
