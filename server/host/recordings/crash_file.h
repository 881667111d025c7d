#pragma once
// The last seconds of a room as a recording, written when an assertion fails:
// DIR/<start>-room<N>-crash.tickbox.

#include "server/host/base/options.h"
#include "server/recording/recorder.h"

#include <string>

namespace tickbox::server {

/// While this object exists, a failed assertion of the thread that made it is reported on stderr.
/// Then the last seconds are written, and the process aborts. `tickbox replay verify` steps such a
/// file up to and including the tick that failed. A thread may have several, one for each room that
/// it steps: then those of the room whose tick fails are written, or those of all its rooms if the
/// failure is in no tick.
///
/// If a thread gets no memory any more, the process ends in the same way, with memory that was kept
/// for this. An exception for it could end the process without a line. If that thread has no such
/// object, all that have write at their next end_if_out_of_memory(), and the last one ends the
/// process.
///
/// A failed assertion of another thread does not write them, because the room goes on
/// meanwhile. Nor does a second one of this thread, during the writing. Both are only reported.
/// Requires: the thread that made it destroys it; the recorder outlives it, and is used by this
/// thread alone.
class CrashFile {
 public:
  /// `path`: the file, created only at a failure; if empty, there is none, and the message says how
  /// to get one. `programs`: for the messages.
  CrashFile(std::string path, const Recorder& recorder, ProgramNames programs = {});
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  /// Writes the last seconds of this thread's rooms if another thread has run out of memory, and
  /// does not return then. Cost: one load.
  static void end_if_out_of_memory();

  /// Writes the last seconds, or says why not, on stderr.
  void write() const;

  [[nodiscard]] const Recorder& recorder() const { return recorder_; }

 private:
  std::string path_;
  const Recorder& recorder_;
  ProgramNames programs_;
};

}  // namespace tickbox::server
