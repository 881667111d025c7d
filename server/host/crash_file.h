#pragma once
// The last seconds of a room as a recording, written when an assertion fails:
// DIR/<start>-room<N>-crash.tickbox.

#include "record/format.h"
#include "server/recording/black_box.h"

#include <string>

namespace tickbox::server {

/// While it lives, a failed assertion of the thread that made it says so on stderr, and the black
/// box is written before the process aborts. `tickbox replay verify` steps such a file up to the
/// tick that failed, and that tick too.
///
/// An assertion of another thread leaves the room alone, which goes on meanwhile; so does a second
/// one, of this thread in the middle of writing: both are said, and nothing more.
/// Requires: one at a time; the black box outlives it, and is used by this thread alone.
class CrashFile {
 public:
  /// `path`: of the file, which is made only then; empty: none is, and the message says how to have
  /// one. `header`: with a salt.
  CrashFile(std::string path, const record::Header& header, const BlackBox& black_box);
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;
};

}  // namespace tickbox::server
