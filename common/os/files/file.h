#pragma once
// Whole files into memory, and a folder to write into later, made and tried at the start.

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::os {

// A whole file into memory, for maps, scenarios, keys and recordings.

/// Largest file read at once; a recording of a whole day of 64 players stays below it.
inline constexpr std::size_t kFileBytesMax = std::size_t{4} * 1024 * 1024 * 1024;

/// The same of a pipe or a device, whose end nobody knows before: what never ends must not take all
/// memory first.
inline constexpr std::size_t kStreamBytesMax = std::size_t{256} * 1024 * 1024;
static_assert(kStreamBytesMax < kFileBytesMax);

/// All bytes of a regular file, a pipe or a device that ends.
/// Fails: with one line that says what, why and what to try; also when it holds more than
/// `bytes_max`, or what is no regular file more than kStreamBytesMax.
[[nodiscard]] std::expected<std::vector<std::byte>, std::string> read_file(
    const std::string& path, std::size_t bytes_max = kFileBytesMax);

// A folder that a program will write into later, tried when it starts.

/// Makes the folder where it is missing, and tries that a file can be made in it; `flag` named it.
/// Fails: with one line.
[[nodiscard]] std::expected<void, std::string> prepare_folder(const std::string& folder,
                                                              std::string_view flag);

}  // namespace tickbox::os
