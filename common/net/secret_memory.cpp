#include "net/secret_memory.h"

#include <sodium.h>

#include <new>

namespace tickbox::net {

void* allocate_secret(std::size_t bytes) {
  // Memory of before the first sodium_init() could not be freed after it.
  void* const memory = sodium_init() >= 0 ? sodium_malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

void free_secret(void* memory) noexcept {
  sodium_free(memory);
}

}  // namespace tickbox::net
