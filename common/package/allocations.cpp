// Operators new and delete of every program that links this source.

#include "package/allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::uint64_t& counter() {
  thread_local std::uint64_t count = 0;
  return count;
}

void* counted(std::size_t size, std::size_t alignment) {
  ++counter();
  const std::size_t whole = (size + alignment) / alignment * alignment;
  if (void* const memory = std::aligned_alloc(alignment, whole)) return memory;
  throw std::bad_alloc{};
}

}  // namespace

std::uint64_t tickbox::package::allocations() {
  return counter();
}

void* operator new(std::size_t size) {
  return counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

// The sanitizers replace this operator otherwise, and the deletes below do not match theirs.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
