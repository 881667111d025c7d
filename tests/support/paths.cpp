#include "tests/support/paths.h"

namespace tickbox::tests {

std::string source_file(std::string_view path) {
  return std::string{TICKBOX_SOURCE_DIR "/"}.append(path);
}

std::string built_program(std::string_view name) {
  return std::string{TICKBOX_PROGRAM_DIR "/"}.append(name);
}

}  // namespace tickbox::tests
