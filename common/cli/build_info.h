#pragma once
// The sources and the compiler from which this binary was built.

#include <string>
#include <string_view>

namespace tickbox::cli {

struct BuildInfo {
  std::string_view version;   ///< "0.2.0"
  std::string_view commit;    ///< short git commit, or "unknown" outside a repository
  std::string_view compiler;  ///< "GNU 12.2.0"
  /// First 16 hex digits of SHA-256 over the sources of core, include, sim, engine and games of
  /// common. Two programs with the same hash step a world of these games identically.
  std::string_view simulation_hash;
};

[[nodiscard]] const BuildInfo& build_info();

/// Returns "tickbox 0.2.0 (commit 0123abc, GNU 12.2.0, simulation 0123456789abcdef)".
[[nodiscard]] std::string version_text();

}  // namespace tickbox::cli
