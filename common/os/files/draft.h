#pragma once
// A file that is written before anybody can find it. Without a name where the file system makes
// such files: then the kernel takes it away with the process, however that ends. Elsewhere under a
// passing name beside its place, which only a process that is killed leaves behind.

#include "core/bytes.h"

#include <cstdint>
#include <expected>
#include <string>
#include <sys/stat.h>

namespace tickbox::os {

class Draft {
 public:
  /// Whether it needs a name even before it is put in place: a link puts a file where there is
  /// none, and only a rename takes another's place.
  enum class For : std::uint8_t { NewPlace, TakenPlace };

  /// Begins a file in the folder of `place`. `mode` as open() takes it: less the umask.
  Draft(const std::string& place, mode_t mode, For what);

  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  /// Takes it away again where it was not put in place.
  ~Draft();

  /// errno of what went wrong first; 0 while nothing has. From then on nothing is done.
  [[nodiscard]] int error() const { return error_; }

  void write(ConstBytes bytes);

  /// Gives it owner, group and permissions of another.
  void look_like(const struct stat& other);

  /// Brings it to the disk and puts it at its place; nothing that is there is touched.
  /// Fails: with errno, EEXIST where there is something.  Requires: the last call.
  [[nodiscard]] std::expected<void, int> put_in_new_place();

  /// The same in the place of what is there.  Requires: made for a TakenPlace; the last call.
  [[nodiscard]] std::expected<void, int> put_in_taken_place();

 private:
  void open_nameless(mode_t mode);
  void open_named(mode_t mode);
  void bring_to_disk();
  [[nodiscard]] int rename_to_new_place();
  [[nodiscard]] std::expected<void, int> placed(int error);

  std::string place_;
  std::string name_{};  ///< the passing one; empty where it has none
  int file_ = -1;
  int error_ = 0;
};

/// Why a file cannot be written, and what to try, in one line.
[[nodiscard]] std::string writing_failure(const std::string& path, int code);

}  // namespace tickbox::os
