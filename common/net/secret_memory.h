#pragma once
// Memory for keys. It is in no core dump, and is overwritten when it is freed (libsodium's
// sodium_malloc). If the system lets it be locked, it is never swapped out.

#include <cstddef>
#include <vector>

namespace tickbox::net {

/// Returns memory for `bytes` bytes, aligned for every type whose size divides `bytes`.
/// Fails: throws std::bad_alloc.
[[nodiscard]] void* allocate_secret(std::size_t bytes);
void free_secret(void* memory) noexcept;

/// Overwrites copies of keys that earlier calls may have left behind: 16 KiB of the stack below the
/// caller's frame, and the registers that a function may change.
void wipe_stack();

/// An allocator for containers of keys.
template <class T>
struct SecretAllocator {
  using value_type = T;

  SecretAllocator() = default;

  template <class Other>
  explicit SecretAllocator(const SecretAllocator<Other>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_secret(count * sizeof(T)));
  }

  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_secret(memory); }

  friend bool operator==(const SecretAllocator&, const SecretAllocator&) { return true; }
};

template <class T>
using SecretVector = std::vector<T, SecretAllocator<T>>;

}  // namespace tickbox::net
