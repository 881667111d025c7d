#include "server/host/result_file.h"

#include "core/bytes.h"

namespace tickbox::server {

std::expected<std::unique_ptr<ResultFile>, std::string> ResultFile::open(const std::string& path) {
  auto file = os::append_to(path);
  if (!file) {
    return std::unexpected{"--match-results: " + os::creation_failure(path, file.error())};
  }
  return std::unique_ptr<ResultFile>{
      new ResultFile{os::FileSink::over(*std::move(file), {.path = path})}};
}

bool ResultFile::write(std::string_view line) {
  return sink_->write(as_bytes_of(line));
}

}  // namespace tickbox::server
