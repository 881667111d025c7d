#pragma once
// The token of the admin side, as the file of --admin-token-file.

#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <filesystem>
#include <string>

namespace tickbox::integration {

/// Writes kAdminToken into the folder, for its owner alone. Returns the file.
inline std::string write_admin_token(const os::TemporaryFolder& folder) {
  std::string file = folder.write("admin-token", kAdminToken);
  using enum std::filesystem::perms;
  std::filesystem::permissions(file, owner_read | owner_write);
  return file;
}

}  // namespace tickbox::integration
