#pragma once
// The way to a tick: by the trailer's index where it fits the file, and by a walk where not.

#include "core/ids.h"
#include "record/reader.h"

namespace tickbox::record {

/// A reader whose first item is the last whole keyframe that is not after `tick`; one of the whole
/// file where there is none.
/// Cost: of the part between two entries of the index; without one of the file up to `tick`.
[[nodiscard]] Reader seek(const Reader& recording, Tick tick);

}  // namespace tickbox::record
