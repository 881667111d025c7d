#pragma once
// Walks the bytes of a recording, believes none of them, and goes on at the next keyframe after
// damage.

#include "core/bytes.h"
#include "game/tick_log.h"
#include "record/format.h"
#include "record/recorded.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::record {

/// A stretch of the file that is not what the writer wrote.
struct Damage {
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< 0: what stood there was taken out, and what follows it is whole
};

/// A file whose last record is cut, or that has no trailer, ends early: its recorder was killed. A
/// complete record with a wrong checksum or impossible content, and anything bad that a valid
/// record follows, is damage.
///
/// Ticks that nothing entered come as Ticks as well.
/// Invariants: ticks strictly increase; every Ticks item continues the keyframe or the Ticks item
/// before it; after Damage comes a Keyframe, a Trailer, Finished, or more Damage. Cost: linear in
/// the file's length, hostile files included.
class Reader {
 public:
  enum class Item : std::uint8_t {
    Keyframe,
    Ticks,
    Trailer,
    Unfinished,  ///< the tick whose step never ended; Finished or Damage comes next
    Damage,
    EndsEarly,
    Finished,  ///< for ever, once there is nothing more
  };

  /// Requires: `file` outlives the reader.  Fails: when no copy of the file header can be read, nor
  /// one that a keyframe has.
  [[nodiscard]] static std::expected<Reader, RecordError> open(ConstBytes file);

  [[nodiscard]] const Header& header() const { return header_; }

  /// A reader of the same file whose first item is the keyframe at `offset`. Where there is none it
  /// goes on as after damage.  Requires: offset is of a record, in the file.
  [[nodiscard]] Reader from_keyframe(std::size_t offset) const;

  /// The trailer that the file ends with, found from there; nothing where it ends otherwise.
  /// Cost: of the trailer's length, whatever the file's.
  [[nodiscard]] std::optional<record::Trailer> find_trailer() const;

  /// Whether there is a whole keyframe, of the tick and number that the index says.
  [[nodiscard]] bool has_keyframe(const KeyframePlace& place) const;

  /// Moves on to the next item, whose content is then to be had below until the next call.
  Item next();

  [[nodiscard]] const record::Keyframe& keyframe() const { return keyframe_; }

  [[nodiscard]] std::span<const RecordedTick> ticks() const { return {ticks_.data(), tick_count_}; }

  [[nodiscard]] const record::Trailer& trailer() const { return trailer_; }

  /// What was to enter the tick whose step never ended; its hash means nothing.
  [[nodiscard]] const RecordedTick& unfinished() const { return ticks_.front(); }

  [[nodiscard]] const record::Damage& damage() const { return damage_; }

  /// Bytes from the start of the file that have been walked: for progress.
  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// Where the record of the last item begins; meaningless before there was one.
  [[nodiscard]] std::size_t item_offset() const { return item_offset_; }

 private:
  enum class Framing : std::uint8_t { Whole, Cut, Bad };

  /// A whole keyframe or trailer, at the first damage or behind it.
  struct Anchor {
    std::size_t offset = 0;
    std::uint32_t segment = 0;
    std::size_t bytes = 0;  ///< of it, and of what continues it
  };

  Reader(ConstBytes file, Header header);

  [[nodiscard]] Framing check_record(std::size_t offset, std::uint64_t previous,
                                     RecordHead& head) const;
  [[nodiscard]] bool follows(const RecordHead& head) const;
  [[nodiscard]] std::optional<std::size_t> find_record(std::size_t from, RecordHead& head);
  [[nodiscard]] bool decode(const RecordHead& head);
  [[nodiscard]] bool decode_keyframe(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_ticks(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_quiet(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_unfinished(const RecordHead& head, ConstBytes payload);
  [[nodiscard]] bool decode_trailer(const RecordHead& head, ConstBytes payload);
  Item accept(const RecordHead& head);
  Item damaged_until(std::size_t end);
  [[nodiscard]] std::vector<Anchor> find_anchors(std::size_t from);
  void survey(std::size_t from);
  Item resume(Framing reason, std::size_t from);

  ConstBytes file_;
  Header header_;
  Chain chain_;
  std::optional<record::Damage> header_damage_;

  std::size_t offset_;
  std::size_t item_offset_ = 0;
  std::uint64_t checksum_ = 0;     ///< of the record before offset_
  std::uint32_t segments_ = 0;     ///< number of the last keyframe read, plus one
  std::optional<Tick> last_tick_;  ///< that was read
  Tick last_keyframe_;
  bool in_segment_ = false;  ///< a Ticks record may follow
  bool resuming_ = false;    ///< damage lies before offset_: ticks and segments may be missing
  bool closed_ = false;      ///< the trailer, or what never ended, was read
  bool finished_ = false;

  bool surveyed_ = false;
  std::vector<Anchor> anchors_;  ///< where the walk goes on after damage, in order
  std::size_t next_anchor_ = 0;  ///< the first that the walk has not passed
  std::size_t last_record_ = 0;  ///< offset of the last whole one from the first damage on
  std::size_t search_budget_;    ///< bytes that may still be hashed in vain after damage

  game::TickLogReader log_;  ///< of the segment that is being read
  record::Keyframe keyframe_;
  std::vector<std::byte> world_;     ///< a keyframe's, decompressed
  std::vector<RecordedTick> ticks_;  ///< never shrinks, to keep its memory
  std::size_t tick_count_ = 0;
  record::Trailer trailer_;
  record::Damage damage_;
};

}  // namespace tickbox::record
