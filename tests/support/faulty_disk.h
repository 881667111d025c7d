#pragma once
// A disk in memory with faults on demand: the Nth call fails, an append takes only a part, the disk
// is full, dies in the middle of a write, or blocks its caller. A failed write leaves half of its
// bytes behind.

#include "os/files/disk.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::tests {

enum class DiskCall : std::uint8_t { Create, Remove, List, Read, Append, Cut, Sync, Close };

/// The faults of a disk. Calls of the disk and of all its files are counted together, from 1.
struct DiskFaults {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  std::uint64_t fail_from = kNever;  ///< the first call that fails
  std::uint64_t fail_calls = 1;      ///< how many calls in a row fail
  int code = EIO;                    ///< the error of these calls
  std::optional<DiskCall> always{};  ///< calls of this kind always fail
  std::uint64_t die_at =
      kNever;  ///< the first append from this call on kills the disk: no call works after it
  std::size_t append_max = kUnlimited;  ///< the most bytes that one append takes
  std::size_t room = kUnlimited;        ///< the most bytes of all files together; ENOSPC beyond
};

/// Thread: any.
class FaultyDisk final : public os::Disk {
 public:
  explicit FaultyDisk(const DiskFaults& faults = {}) : shared_(std::make_shared<Shared>()) {
    shared_->faults = faults;
  }

  std::expected<std::unique_ptr<os::AppendFile>, int> create(const std::string& path) override {
    std::unique_lock lock{shared_->mutex};
    if (const int code = shared_->enter(DiskCall::Create, lock)) return std::unexpected{code};
    if (!shared_->files.try_emplace(path).second) return std::unexpected{EEXIST};
    shared_->open.insert(path);
    return std::make_unique<File>(shared_, path);
  }

  std::expected<void, int> remove(const std::string& path) override {
    std::unique_lock lock{shared_->mutex};
    if (const int code = shared_->enter(DiskCall::Remove, lock)) return std::unexpected{code};
    if (shared_->files.erase(path) == 0) return std::unexpected{ENOENT};
    return {};
  }

  std::expected<std::vector<os::ListedFile>, int> list(const std::string& folder) override {
    std::unique_lock lock{shared_->mutex};
    if (const int code = shared_->enter(DiskCall::List, lock)) return std::unexpected{code};
    std::vector<os::ListedFile> found;
    for (const auto& [path, bytes] : shared_->files) {
      if (path.starts_with(folder)) found.push_back({.path = path, .bytes = bytes.size()});
    }
    return found;
  }

  std::expected<std::vector<std::byte>, int> read_closed(const std::string& path,
                                                         std::size_t bytes_max) override {
    std::unique_lock lock{shared_->mutex};
    if (const int code = shared_->enter(DiskCall::Read, lock)) return std::unexpected{code};
    if (shared_->open.contains(path)) return std::unexpected{EBUSY};
    const auto file = shared_->files.find(path);
    if (file == shared_->files.end()) return std::unexpected{ENOENT};
    std::vector<std::byte> bytes = file->second;
    bytes.resize(std::min(bytes.size(), bytes_max));
    return bytes;
  }

  /// Puts a closed file there.
  void put(const std::string& path, std::vector<std::byte> bytes) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->files[path] = std::move(bytes);
  }

  /// Replaces the faults from now on.
  void set_faults(const DiskFaults& faults) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->faults = faults;
  }

  /// Blocks every call until release(), or only the calls of one kind.
  void hold(std::optional<DiskCall> only = {}) {
    const std::scoped_lock lock{shared_->mutex};
    shared_->held = true;
    shared_->only = only;
  }

  /// The number of callers that wait for release().
  [[nodiscard]] std::uint64_t waiting() const {
    const std::scoped_lock lock{shared_->mutex};
    return shared_->waiting;
  }

  void release() {
    {
      const std::scoped_lock lock{shared_->mutex};
      shared_->held = false;
    }
    shared_->released.notify_all();
  }

  /// The number of calls so far.
  [[nodiscard]] std::uint64_t calls() const {
    const std::scoped_lock lock{shared_->mutex};
    return shared_->calls;
  }

  /// The bytes of a file; empty if there is no such file.
  [[nodiscard]] std::vector<std::byte> bytes(const std::string& path) const {
    const std::scoped_lock lock{shared_->mutex};
    const auto file = shared_->files.find(path);
    return file == shared_->files.end() ? std::vector<std::byte>{} : file->second;
  }

  [[nodiscard]] std::vector<std::string> paths() const {
    const std::scoped_lock lock{shared_->mutex};
    std::vector<std::string> all;
    for (const auto& [path, bytes] : shared_->files)
      all.push_back(path);
    return all;
  }

 private:
  struct Shared {
    mutable std::mutex mutex;
    std::condition_variable released;
    DiskFaults faults;
    std::map<std::string, std::vector<std::byte>> files;
    std::set<std::string> open;  ///< paths of files that are created and not closed
    std::uint64_t calls = 0;
    std::uint64_t waiting = 0;
    bool held = false;
    std::optional<DiskCall> only;  ///< the kind of calls that is held; none: all
    bool dead = false;

    /// Counts a call. Returns its error, or 0.
    int enter(DiskCall call, std::unique_lock<std::mutex>& lock) {
      ++waiting;
      released.wait(lock, [&] { return !held || (only && *only != call); });
      --waiting;
      ++calls;
      if (dead) return EIO;
      if (faults.always == call) return faults.code;
      const bool fails = calls >= faults.fail_from && calls - faults.fail_from < faults.fail_calls;
      return fails ? faults.code : 0;
    }

    [[nodiscard]] std::size_t room() const {
      std::size_t used = 0;
      for (const auto& [path, bytes] : files)
        used += bytes.size();
      return faults.room - std::min(faults.room, used);
    }
  };

  class File final : public os::AppendFile {
   public:
    File(std::shared_ptr<Shared> shared, std::string path)
        : shared_(std::move(shared)), path_(std::move(path)) {}

    File(const File&) = delete;
    File& operator=(const File&) = delete;

    ~File() override {
      const std::scoped_lock lock{shared_->mutex};
      shared_->open.erase(path_);
    }

    std::expected<std::size_t, int> append(ConstBytes bytes) override {
      std::unique_lock lock{shared_->mutex};
      const bool was_dead = shared_->dead;
      int code = shared_->enter(DiskCall::Append, lock);
      std::size_t taken = std::min({bytes.size(), shared_->faults.append_max, shared_->room()});
      if (shared_->calls >= shared_->faults.die_at) shared_->dead = true;
      if (shared_->dead) code = EIO;
      if (taken == 0 && code == 0) code = ENOSPC;
      // A failed write may have written a part.
      if (code != 0) taken = was_dead ? 0 : taken / 2;
      std::vector<std::byte>& file = shared_->files[path_];
      file.insert(file.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      if (code != 0) return std::unexpected{code};
      return taken;
    }

    std::expected<void, int> cut(std::uint64_t bytes) override {
      std::unique_lock lock{shared_->mutex};
      if (const int code = shared_->enter(DiskCall::Cut, lock)) return std::unexpected{code};
      shared_->files[path_].resize(static_cast<std::size_t>(bytes));
      return {};
    }

    std::expected<void, int> sync() override { return nothing(DiskCall::Sync); }

    std::expected<void, int> close() override {
      auto closed = nothing(DiskCall::Close);
      const std::scoped_lock lock{shared_->mutex};
      shared_->open.erase(path_);
      return closed;
    }

   private:
    std::expected<void, int> nothing(DiskCall call) {
      std::unique_lock lock{shared_->mutex};
      if (const int code = shared_->enter(call, lock)) return std::unexpected{code};
      return {};
    }

    std::shared_ptr<Shared> shared_;
    std::string path_;
  };

  std::shared_ptr<Shared> shared_;
};

}  // namespace tickbox::tests
