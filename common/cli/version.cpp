// Builds the line of --version.

#include "cli/build_info.h"

namespace tickbox::cli {

std::string version_text() {
  const BuildInfo& info = build_info();
  std::string line = "tickbox ";
  line += info.version;
  line += " (commit ";
  line += info.commit;
  line += ", ";
  line += info.compiler;
  line += ", simulation ";
  line += info.simulation_hash;
  line += ')';
  return line;
}

}  // namespace tickbox::cli
