#pragma once
// A desync as a JSON document; README.md lists its content.

#include "cli/build_info.h"
#include "desync/desync.h"

#include <string>

namespace tickbox::desync {

/// Returns the document. `build` is that of the program that saw the desync.
[[nodiscard]] std::string to_json(const Desync& desync, const cli::BuildInfo& build);

}  // namespace tickbox::desync
