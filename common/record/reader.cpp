#include "record/reader.h"

#include "core/assert.h"
#include "core/hash.h"
#include "core/numbers.h"
#include "record/compression.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tickbox::record {
namespace {

/// The limit of bytes hashed without a match while searching: four for each byte of the file, and
/// 1 MiB. It is enough for any damage that happens, and a file full of false heads takes not long.
constexpr std::size_t kSearchPerFileByte = 4;
constexpr std::size_t kSearchBytesMin = std::size_t{1} * 1024 * 1024;

/// The most bytes behind damage that are kept until a keyframe follows in a recording that grows:
/// as many as the longest keyframe has.
constexpr std::size_t kGrowthWaitBytesMax = kRecordHeadBytes + kPayloadBytesMax + kChecksumBytes;

/// Returns the offset of the first sync word at or after `from`; npos if there is none.
std::size_t find_sync(ConstBytes bytes, std::size_t from) {
  std::array<std::byte, sizeof kSyncWord> sync{};
  store_le(MutableBytes{sync}, kSyncWord);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return text.find({reinterpret_cast<const char*>(sync.data()), sync.size()}, from);
}

/// Returns whether reading can continue at a record of this type, independent of earlier records.
bool begins_anew(RecordType type) {
  return type == RecordType::Keyframe || type == RecordType::Trailer;
}

/// Returns the copy of the header in a keyframe, for a file that has lost its beginning.
std::optional<Header> find_header(ConstBytes file) {
  const std::string_view text{reinterpret_cast<const char*>(file.data()), file.size()};
  const std::string_view magic{kMagic.data(), kMagic.size()};
  for (std::size_t at = text.find(magic, kRecordsOffset); at != std::string_view::npos;
       at = text.find(magic, at + 1)) {
    if (auto header = decode_header(file.subspan(at))) return *std::move(header);
  }
  return std::nullopt;
}

}  // namespace

std::expected<Reader, RecordError> Reader::open(ConstBytes file) {
  if (const auto header = decode_header(file)) return Reader{file, *header};
  const auto repeated = find_header(file);
  if (!repeated) return std::unexpected{decode_header(file).error()};
  Reader reader{file, *repeated};
  reader.header_is_lost_ = true;
  reader.resuming_ = true;  // the number of the first segment is not known
  reader.header_damage_ = record::Damage{.offset = 0, .bytes = kRecordsOffset};
  return reader;
}

Reader::Reader(ConstBytes file, Header header)
    : file_(file),
      header_(std::move(header)),
      repeated_header_(encode_header(without_file(header_))),
      chain_(header_),
      offset_(std::min(kRecordsOffset, file.size())),
      segments_(header_.first_segment),
      search_budget_(kSearchPerFileByte * file.size() + kSearchBytesMin) {}

Reader Reader::from_keyframe(std::size_t offset) const {
  TICKBOX_ASSERT(offset >= kRecordsOffset && offset < file_.size());
  Reader reader{file_, header_};
  reader.grows_ = grows_;
  reader.segments_ = 0;
  reader.offset_ = offset;
  reader.resuming_ = true;
  return reader;
}

LogRecord Reader::record_at(std::size_t offset) const {
  const ConstBytes rest = file_.subspan(offset);
  const auto head = load_head(rest);
  TICKBOX_ASSERT(head && record_bytes(*head) <= rest.size());
  return {.head = *head, .bytes = rest.first(record_bytes(*head))};
}

void Reader::grow(ConstBytes file, std::size_t dropped) {
  TICKBOX_ASSERT(dropped <= offset_ && file.size() + dropped >= file_.size());
  file_ = file;
  offset_ -= dropped;
  search_budget_ = kSearchPerFileByte * file.size() + kSearchBytesMin;
  grows_ = true;
  finished_ = false;
}

void Reader::end_growth() {
  grows_ = false;
  finished_ = false;
}

Reader::Item Reader::next() {
  const Item item = next_of_file();
  const bool is_end = item == Item::EndsEarly || item == Item::Finished;
  return grows_ && is_end ? Item::Waiting : item;
}

Reader::Item Reader::next_of_file() {
  if (header_damage_) {
    damage_ = *header_damage_;
    header_damage_.reset();
    return Item::Damage;
  }
  if (finished_) return Item::Finished;
  if (closed_) {
    finished_ = true;
    return offset_ == file_.size() ? Item::Finished : damaged_until(file_.size());
  }
  if (offset_ == file_.size()) {
    finished_ = true;
    return Item::EndsEarly;
  }
  RecordHead head;
  const Framing framing = check_record(offset_, checksum_, head);
  if (framing != Framing::Whole) return resume(framing, offset_ + 1);
  // A whole record, but not the expected one: records between are missing, and reading may continue
  // at this one.
  if (!follows(head)) return resume(Framing::Bad, offset_);
  return decode(head) ? accept(head) : resume(Framing::Bad, offset_ + 1);
}

/// Checks whether a whole record is at `offset`, if the record before it has the checksum
/// `previous`.
Reader::Framing Reader::check_record(std::size_t offset, std::uint64_t previous,
                                     RecordHead& head) const {
  const ConstBytes rest = file_.subspan(offset);
  const auto loaded = load_head(rest);
  if (!loaded) return loaded.error() == HeadError::Cut ? Framing::Cut : Framing::Bad;
  head = *loaded;
  if (record_bytes(head) > rest.size()) return Framing::Cut;
  const std::size_t checksum_at = kRecordHeadBytes + head.payload_bytes;
  const std::uint64_t seed = chain_.seed_after(head.type == RecordType::Keyframe ? 0 : previous);
  const bool intact = load_le<std::uint64_t>(rest.subspan(checksum_at)) ==
                      hash_bytes(rest.first(checksum_at), seed);
  return intact ? Framing::Whole : Framing::Bad;
}

/// Returns whether a whole record with this head may follow the last one read.
bool Reader::follows(const RecordHead& head) const {
  const Tick last = last_tick_.value_or(Tick{0});
  switch (head.type) {
    case RecordType::Ticks:
    case RecordType::Quiet:
    case RecordType::Idle:
      return in_segment_ && head.tick == last + 1 && head.tick > last && head.count >= 1 &&
             head.count <= kTicksPerRecordMax && (head.tick + (head.count - 1)) >= head.tick;
    case RecordType::Unfinished:
      return in_segment_ && head.tick == last + 1 && head.tick > last && head.count == 1;
    case RecordType::Keyframe:
      // Ticks may be missing only where numbers are, or after damage. The first keyframe of a
      // recording may be of any tick.
      if (resuming_ || (last_tick_ && head.count > segments_)) {
        return head.count >= segments_ && head.tick >= last;
      }
      return head.count == segments_ && (!last_tick_ || head.tick == last);
    case RecordType::Trailer:
      return resuming_ ? head.count >= segments_ && head.tick >= last
                       : last_tick_ && head.count == segments_ && head.tick == last;
  }
  return false;
}

Reader::Item Reader::accept(const RecordHead& head) {
  item_offset_ = offset_;
  offset_ += record_bytes(head);
  checksum_ = checksum_before(offset_);
  resuming_ = false;
  switch (head.type) {
    case RecordType::Keyframe:
      segments_ = head.count + 1;
      in_segment_ = true;
      last_tick_ = head.tick;
      last_keyframe_ = head.tick;
      return Item::Keyframe;
    case RecordType::Ticks:
    case RecordType::Quiet:
    case RecordType::Idle:
      last_tick_ = head.tick + (head.count - 1);
      return Item::Ticks;
    case RecordType::Trailer:
      closed_ = true;
      return Item::Trailer;
    case RecordType::Unfinished:
      closed_ = true;
      return Item::Unfinished;
  }
  return Item::Finished;
}

Reader::Item Reader::damaged_until(std::size_t end) {
  damage_ = {.offset = offset_, .bytes = end - offset_};
  checksum_ = checksum_before(end);
  offset_ = end;
  return Item::Damage;
}

/// Returns what a record at `at` is chained to. A checksum is at the end of its record. So it is
/// the eight bytes before the record, even if the rest of its predecessor is damaged.
std::uint64_t Reader::checksum_before(std::size_t at) const {
  return load_le<std::uint64_t>(file_.subspan(at - kChecksumBytes));
}

/// Returns the offset of the first whole record at or after `from`.
std::optional<std::size_t> Reader::find_record(std::size_t from, RecordHead& head) {
  for (std::size_t at = find_sync(file_, from); at != std::string_view::npos;
       at = find_sync(file_, at + 1)) {
    const auto plausible = load_head(file_.subspan(at));
    if (!plausible || record_bytes(*plausible) > file_.size() - at) continue;
    if (check_record(at, checksum_before(at), head) == Framing::Whole) return at;
    if (search_budget_ < record_bytes(*plausible)) return std::nullopt;
    search_budget_ -= record_bytes(*plausible);
  }
  return std::nullopt;
}

/// Handles other bytes than the next record at offset_. Distinguishes the end of a killed recording
/// from damage, and continues at the first keyframe or trailer at or after `from` that may follow.
Reader::Item Reader::resume(Framing reason, std::size_t from) {
  const bool was_resuming = std::exchange(resuming_, true);
  const bool was_in_segment = std::exchange(in_segment_, false);
  bool any_record = false;
  RecordHead head;
  for (auto at = find_record(from, head); at; at = find_record(*at + record_bytes(head), head)) {
    any_record = any_record || *at > offset_;
    if (!begins_anew(head.type) || !follows(head)) continue;
    return damaged_until(*at);
  }
  finished_ = true;
  const bool is_cut = reason == Framing::Cut && !any_record;
  const bool may_wait = grows_ && file_.size() - offset_ <= kGrowthWaitBytesMax;
  if (!is_cut && !may_wait) return damaged_until(file_.size());
  resuming_ = was_resuming;
  in_segment_ = was_in_segment;
  return Item::EndsEarly;
}

bool Reader::decode(const RecordHead& head) {
  const ConstBytes payload = file_.subspan(offset_ + kRecordHeadBytes, head.payload_bytes);
  switch (head.type) {
    case RecordType::Keyframe:
      return decode_keyframe(head, payload);
    case RecordType::Ticks:
      return decode_ticks(head, payload);
    case RecordType::Quiet:
    case RecordType::Idle:
      return decode_stretch(head, payload);
    case RecordType::Trailer:
      return decode_trailer(head, payload);
    case RecordType::Unfinished:
      add_tick(0, head.tick, payload);
      return true;
  }
  return false;
}

bool Reader::decode_keyframe(const RecordHead& head, ConstBytes payload) {
  NumberReader in{payload};
  const Tick previous{in.fixed<std::uint32_t>()};
  const auto size = in.fixed<std::uint32_t>();
  const bool continues = last_tick_ && !resuming_ && head.count == segments_;
  const bool chained = continues ? previous == last_keyframe_ : previous <= head.tick;
  if (in.failed() || !chained || size > kPayloadBytesMax) return false;
  if (!std::ranges::equal(in.bytes(kFileHeaderBytes), repeated_header_)) return false;
  raw_world_ = in.bytes(in.remaining());
  is_compressed_ = (head.flags & kFlagCompressed) != 0;
  if (is_compressed_ && !decompress(raw_world_, size, world_)) return false;
  NumberReader world{this->world()};
  const Tick tick{world.fixed<std::uint32_t>()};
  const auto state_hash = world.fixed<std::uint64_t>();
  if (this->world().size() != size || world.failed() || tick != head.tick) return false;
  keyframe_ = {.tick = tick,
               .state_hash = state_hash,
               .segment = head.count,
               .previous = previous,
               .gap_before = last_tick_ && !resuming_ && head.tick > *last_tick_};
  return true;
}

/// Adds tick `i` of a record, without a hash.
EncodedTick& Reader::add_tick(std::uint32_t i, Tick tick, ConstBytes bytes) {
  if (ticks_.size() <= i) ticks_.resize(i + 1);
  ticks_[i] = {.tick = tick, .state_hash = std::nullopt, .is_quiet = false, .bytes = bytes};
  return ticks_[i];
}

bool Reader::decode_ticks(const RecordHead& head, ConstBytes payload) {
  NumberReader in{payload};
  for (std::uint32_t i = 0; i < head.count; ++i) {
    const auto hash = in.fixed<std::uint64_t>();
    const ConstBytes bytes = in.bytes(in.number());
    if (in.failed()) return false;
    add_tick(i, head.tick + i, bytes).state_hash = hash;
  }
  tick_count_ = head.count;
  return in.remaining() == 0;
}

/// Decodes quiet or idle ticks: nothing entered, and the room has no players whose inputs the log
/// could omit.
bool Reader::decode_stretch(const RecordHead& head, ConstBytes payload) {
  NumberReader in{payload};
  const auto hash = in.fixed<std::uint64_t>();
  const bool is_idle = head.type == RecordType::Idle;
  const ConstBytes bytes = is_idle ? engine::idle_tick_bytes() : ConstBytes{};
  for (std::uint32_t i = 0; i < head.count; ++i) {
    EncodedTick& tick = add_tick(i, head.tick + i, bytes);
    tick.is_quiet = !is_idle;
    tick.is_idle = is_idle;
  }
  ticks_[head.count - 1].state_hash = hash;
  tick_count_ = head.count;
  return !in.failed() && in.remaining() == 0;
}

bool Reader::decode_trailer(const RecordHead& head, ConstBytes payload) {
  NumberReader in{payload};
  trailer_ = {.last_tick = head.tick,
              .last_keyframe = {in.fixed<std::uint32_t>()},
              .gap_before = (head.flags & kFlagTicksLost) != 0,
              .end_segment = head.count,
              .ticks = in.fixed<std::uint32_t>(),
              .gaps = in.fixed<std::uint32_t>()};
  return !in.failed() && in.remaining() == 0 &&
         (resuming_ || trailer_.last_keyframe == last_keyframe_);
}

}  // namespace tickbox::record
