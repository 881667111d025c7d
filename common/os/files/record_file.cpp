#include "os/files/record_file.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::os {

void RecordBatch::push(ConstBytes record) {
  bytes.insert(bytes.end(), record.begin(), record.end());
  ends.push_back(bytes.size());
}

void RecordBatch::drop_front(std::size_t size) {
  if (size == 0) return;
  const auto last = std::ranges::lower_bound(ends, size);
  TICKBOX_ASSERT(last != ends.end() && *last == size);
  ends.erase(ends.begin(), last + 1);
  for (std::size_t& end : ends)
    end -= size;
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

void RecordBatch::clear() {
  bytes.clear();
  ends.clear();
}

std::expected<void, DiskError> RecordFile::append(RecordBatch& batch) {
  if (auto cut = cut_back(); !cut) return cut;
  std::size_t done = 0;
  while (done < batch.bytes.size()) {
    const auto taken = file_->append(ConstBytes{batch.bytes}.subspan(done));
    if (!taken) {
      const auto next = std::ranges::upper_bound(batch.ends, done);
      const std::size_t whole = next == batch.ends.begin() ? 0 : *(next - 1);
      bytes_ += whole;
      batch.drop_front(whole);
      // Also where the disk says that it took no more: what it really wrote is not known.
      torn_ = true;
      (void)cut_back();  // else before the next append
      return std::unexpected{DiskError{.what = "write", .code = taken.error()}};
    }
    TICKBOX_ASSERT(*taken > 0 && *taken <= batch.bytes.size() - done);
    done += *taken;
  }
  bytes_ += done;
  batch.clear();
  return {};
}

std::expected<void, DiskError> RecordFile::cut_back() {
  if (!torn_) return {};
  if (const auto cut = file_->cut(bytes_); !cut) {
    return std::unexpected{DiskError{.what = "cut back", .code = cut.error()}};
  }
  torn_ = false;
  return {};
}

std::expected<void, DiskError> RecordFile::close() {
  const auto cut = cut_back();
  const auto synced = file_->sync();
  const auto closed = file_->close();
  if (!cut) return cut;
  if (!synced) {
    return std::unexpected{DiskError{.what = "bring to the disk", .code = synced.error()}};
  }
  if (!closed) return std::unexpected{DiskError{.what = "close", .code = closed.error()}};
  return {};
}

}  // namespace tickbox::os
