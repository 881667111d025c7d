#pragma once

// The sanitizers that this build has. Tests are smaller under one: it makes a program some ten
// times slower.

namespace tickbox::tests {

#ifdef __has_feature  // clang, which builds all presets with sanitizers
inline constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
inline constexpr bool kHasThreadSanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool kHasAddressSanitizer = false;
inline constexpr bool kHasThreadSanitizer = false;
#endif

inline constexpr bool kHasSanitizer = kHasAddressSanitizer || kHasThreadSanitizer;

}  // namespace tickbox::tests
