#pragma once
// The file of a desync; README.md says what is in it.

#include "core/clock.h"
#include "protocol/desync.h"

#include <functional>
#include <string>
#include <string_view>

namespace tickbox::cli {

/// By what a desync was seen.
struct DesyncBuild {
  std::string_view version;
  std::string_view commit;
  std::string_view simulation_hash;
};

/// What is in the file.
[[nodiscard]] std::string to_json(const protocol::Desync& desync, const DesyncBuild& build);

/// "20250102T030405.006Z-desync-server-seat3-tick1234.json"
[[nodiscard]] std::string file_name_of(const protocol::Desync& desync, WallTime today);

/// The file's name and how its text is made, from a copy of the desync: by another thread, later.
struct DesyncFile {
  std::string name;
  std::function<std::string()> text;
};

/// Requires: the texts of `build` are valid until the file's text was made.  Cost: the copy.
[[nodiscard]] DesyncFile file_of(const protocol::Desync& desync, WallTime today,
                                 const DesyncBuild& build);

}  // namespace tickbox::cli
