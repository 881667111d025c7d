#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<std::uint64_t>& counter() {
  static std::atomic<std::uint64_t> count{0};
  return count;
}

std::atomic<std::uint64_t>& live() {
  static std::atomic<std::uint64_t> bytes{0};
  return bytes;
}

std::uint32_t& own_books() {
  thread_local std::uint32_t open = 0;
  return open;
}

/// The last byte of a block marks whether it is counted. No caller knows of this byte.
std::uint8_t& mark_of(void* memory) {
  return static_cast<std::uint8_t*>(memory)[malloc_usable_size(memory) - 1];
}

void* counted(std::size_t size, std::size_t alignment) {
  counter().fetch_add(1, std::memory_order_relaxed);
  const std::size_t whole = (size + 1 + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  mark_of(memory) = own_books() == 0 ? 1 : 0;
  if (own_books() == 0) live().fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

void give_back(void* memory) {
  if (memory == nullptr) return;
  if (mark_of(memory) != 0) live().fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

std::uint64_t tickbox::tests::allocations() {
  return counter().load(std::memory_order_relaxed);
}

std::uint64_t tickbox::tests::live_bytes() {
  return live().load(std::memory_order_relaxed);
}

tickbox::tests::OwnBooks::OwnBooks() {
  ++own_books();
}

tickbox::tests::OwnBooks::~OwnBooks() {
  --own_books();
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
  give_back(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}
