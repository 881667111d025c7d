#include "record/stream_reader.h"

#include <algorithm>

namespace tickbox::record {
std::size_t StreamReader::rest() const {
  return bytes_.size() + came_.size() - (reader_ ? reader_->offset() : 0);
}

std::optional<Reader::Item> StreamReader::next_item() {
  const Reader::Item item = reader_->next();
  if (item == Reader::Item::EndsEarly || item == Reader::Item::Finished) return std::nullopt;
  return item;
}

std::expected<std::optional<Reader::Item>, RecordError> StreamReader::next() {
  if (reader_) {
    if (const auto item = next_item()) return item;
  }
  if (came_.empty()) return std::nullopt;
  const std::size_t passed = reader_ ? reader_->offset() : 0;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(passed));
  bytes_.insert(bytes_.end(), came_.begin(), came_.end());
  came_.clear();
  if (!reader_) {
    auto opened = Reader::open(ConstBytes{bytes_}.first(std::min(bytes_.size(), kRecordsOffset)));
    if (!opened && opened.error() == RecordError::HeaderCut) return std::nullopt;
    if (!opened) return std::unexpected{opened.error()};
    reader_.emplace(*std::move(opened));
  }
  reader_->grow(bytes_, passed);
  return next_item();
}

void StreamReader::end() {
  if (reader_) reader_->end_growth();
}

}  // namespace tickbox::record
