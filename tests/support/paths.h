#pragma once
// The paths of this checkout and its build. Only paths.cpp is compiled with absolute paths, so that
// the compiler's cache serves checkouts anywhere.

#include <string>
#include <string_view>

namespace tickbox::tests {

/// A file of the sources, by its path from the top: source_file("schema/README.md").
[[nodiscard]] std::string source_file(std::string_view path);

/// A program that was built with this one: built_program("tickbox").
[[nodiscard]] std::string built_program(std::string_view name);

}  // namespace tickbox::tests
