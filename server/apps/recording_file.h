#pragma once
// The file a room is recorded to: DIR/<start>-room<N>.tickbox, and nothing else in that directory.

#include "core/entropy.h"
#include "os/file_sink.h"
#include "record/format.h"
#include "server/options.h"
#include "server/room.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::server {

struct RecordingFile {
  std::string path;
  std::unique_ptr<os::FileSink> sink;
  record::Header header;
};

/// Makes the directory where it is missing, and the file.   Fails: with one line.
[[nodiscard]] std::expected<RecordingFile, std::string> create_recording(const Options& options,
                                                                         const Room& room,
                                                                         std::uint64_t seed,
                                                                         Entropy& entropy);

}  // namespace tickbox::server
