#include "record/stream_reader.h"

#include <algorithm>

namespace tickbox::record {
namespace {

/// Returns the length of the whole records at the beginning. What is no record counts as one: the
/// reader is to find the damage.
std::size_t whole_bytes(ConstBytes bytes) {
  std::size_t whole = 0;
  for (;;) {
    const auto head = load_head(bytes.subspan(whole));
    if (!head) return head.error() == HeadError::Cut ? whole : bytes.size();
    if (record_bytes(*head) > bytes.size() - whole) return whole;
    whole += record_bytes(*head);
  }
}

}  // namespace

std::expected<std::optional<Reader::Item>, RecordError> StreamReader::next() {
  const auto is_item = [](Reader::Item item) {
    return item != Reader::Item::EndsEarly && item != Reader::Item::Finished;
  };
  if (reader_) {
    if (const Reader::Item item = reader_->next(); is_item(item)) return item;
  }
  bytes_.insert(bytes_.end(), came_.begin(), came_.end());
  came_.clear();
  if (!reader_) {
    auto opened = Reader::open(ConstBytes{bytes_}.first(std::min(bytes_.size(), kRecordsOffset)));
    if (!opened && opened.error() == RecordError::HeaderCut) return std::nullopt;
    if (!opened) return std::unexpected{opened.error()};
    reader_.emplace(*std::move(opened));
  }
  const std::size_t passed = reader_->offset();
  const std::size_t whole = whole_bytes(ConstBytes{bytes_}.subspan(passed));
  if (whole == 0) return std::nullopt;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(passed));
  reader_->grow(ConstBytes{bytes_}.first(whole), passed);
  const Reader::Item item = reader_->next();
  if (is_item(item)) return item;
  return std::nullopt;
}

}  // namespace tickbox::record
