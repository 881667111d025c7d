#pragma once
// `load --find`: measures with one number of clients after another, and says with how many the
// requirements hold and what the limit is.

#include "client/commands/document.h"
#include "client/commands/load/load_verdict.h"
#include "client/commands/load/requirement.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <string_view>
#include <vector>

namespace tickbox::commands {

struct FindParts {
  std::size_t most = 0;  ///< clients
  /// The first number tried, or more: with fewer clients some figure is not known.
  std::size_t least = 1;
  const std::vector<Requirement>& requirements;
  /// Measures with this number of clients. Fails: with the verdict of a run that has not begun.
  std::function<std::expected<LoadMeasured, LoadVerdict>(std::size_t clients)> measure;
  std::function<void(std::string_view words)> print_note;  ///< before and after each step
};

/// Searches until the number is known, or until a hash differs, nobody can connect, a figure of the
/// requirements is not known, or the run was stopped. The result has what was measured with the
/// largest number of clients that holds. It has the last step instead if there is no such number,
/// and if a hash differs or the server is gone. Fails: as `measure` does.
[[nodiscard]] std::expected<LoadResult, LoadVerdict> find_clients(const FindParts& parts);

}  // namespace tickbox::commands
