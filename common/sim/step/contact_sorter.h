#pragma once
// Sorts the contacts of a tick into the order in which they are reported.
//
// Most contacts are at the tick's start and are found body by body. Their order is that of two ids,
// so a radix sort needs no comparisons. Contacts of the sweep are in the order of time already,
// except those of one moment.

#include "sim/step_report.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

class ContactSorter {
 public:
  /// Sorts by time, ids, normal, divisor and relative velocity. The first `at_start` are exactly at
  /// the tick's start. Cost: no allocation once warm.
  void sort(std::vector<Contact>& contacts, std::size_t at_start);

  void reserve(std::size_t contacts) {
    keyed_.reserve(contacts);
    scattered_.reserve(contacts);
    sorted_.reserve(contacts);
  }

 private:
  struct Keyed {
    std::uint64_t key = 0;
    std::uint32_t index = 0;
  };

  void sort_by_key();
  void sort_by_ids(std::vector<Contact>& contacts, std::size_t count);

  std::vector<Keyed> keyed_;
  std::vector<Keyed> scattered_;
  std::vector<Contact> sorted_;
};

}  // namespace tickbox::sim
