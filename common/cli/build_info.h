#pragma once
// What this binary was built from.

#include <string>
#include <string_view>

namespace tickbox::cli {

struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view commit;    ///< short git commit, or "unknown" outside a repository
  std::string_view compiler;  ///< "GNU 12.2.0"
  /// First 16 hex digits of SHA-256 over the sources of core, sim, game and games: two programs
  /// with the same one step alike.
  std::string_view simulation_hash;
};

[[nodiscard]] const BuildInfo& build_info();

/// "tickbox 0.1.0 (commit 0123abc, GNU 12.2.0, simulation 0123456789abcdef)".
[[nodiscard]] std::string version_text();

}  // namespace tickbox::cli
