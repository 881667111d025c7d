#pragma once
// How a command tells that it has failed before it had anything to print.

#include "cli/exit_code.h"

#include <string_view>

namespace tickbox::cli {

/// Who fails, and whether somebody reads its answer as JSON.
struct Teller {
  std::string_view name;  ///< "tickbox load"
  bool json = false;
};

/// Says why in one line on stderr; and, for who reads JSON, as the document in place of the one
/// that does not come: {"error":"cannot read keys: …","exit":1}.  Returns `code`.
[[nodiscard]] ExitCode tell_failure(const Teller& teller, ExitCode code, std::string_view why);

}  // namespace tickbox::cli
