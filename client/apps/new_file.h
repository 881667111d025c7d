#pragma once
// A file that a command makes out of another: it never takes the place of one that is there, and
// does not stay where it could not be written whole.

#include "core/byte_sink.h"

#include <cstdio>
#include <expected>
#include <memory>
#include <string>

namespace tickbox::apps {

class NewFile final : public ByteSink {
 public:
  /// Fails: when the path exists or cannot be made, with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<NewFile>, std::string> create(
      const std::string& path);

  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Takes the file away again where close() did not keep it.
  ~NewFile() override;

  bool write(ConstBytes bytes) override;

  /// Brings it to the disk, and keeps it.  Fails: with one line, also when a write() failed.
  [[nodiscard]] std::expected<void, std::string> close();

 private:
  NewFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::FILE* file_;  ///< nothing once it is closed
  bool kept_ = false;
  int reason_ = 0;  ///< errno of the first failure
};

}  // namespace tickbox::apps
