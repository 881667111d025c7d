#pragma once
// Where bytes that must outlive the process are handed over: a file in the programs, memory in the
// tests.

#include "core/bytes.h"

namespace tickbox {

/// Takes bytes in order.  Thread: one writer.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Takes all of `bytes` or none of them, and never waits for a disk.
  /// Fails: false, when what waits to be written has reached its limit or the disk has failed.
  virtual bool write(ConstBytes bytes) = 0;
};

}  // namespace tickbox
