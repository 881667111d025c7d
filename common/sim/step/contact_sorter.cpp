#include "sim/step/contact_sorter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tickbox::sim {
namespace {

/// Contacts from which on a radix sort is faster than comparisons: its tables have a fixed cost.
constexpr std::size_t kRadixSortMin = 256;

// The orders are objects, not functions: a sort then compares without a call.

/// Compares ids, then the fields in which two contacts of one pair at one moment can differ. Only
/// equal contacts have no order.
constexpr auto kIsNamedBefore = [](const Contact& a, const Contact& b) {
  if (a.a != b.a) return a.a < b.a;
  if (a.b != b.b) return a.b < b.b;
  if (a.normal_x != b.normal_x) return a.normal_x < b.normal_x;
  if (a.normal_y != b.normal_y) return a.normal_y < b.normal_y;
  if (a.time_divisor != b.time_divisor) return a.time_divisor < b.time_divisor;
  if (a.relative_velocity.x != b.relative_velocity.x) {
    return a.relative_velocity.x < b.relative_velocity.x;
  }
  return a.relative_velocity.y < b.relative_velocity.y;
};

constexpr auto kIsReportedBefore = [](const Contact& a, const Contact& b) {
  if (a.time != b.time) return a.time < b.time;
  const std::int64_t a_rest = std::int64_t{a.time_rest} * b.time_divisor;
  const std::int64_t b_rest = std::int64_t{b.time_rest} * a.time_divisor;
  return a_rest != b_rest ? a_rest < b_rest : kIsNamedBefore(a, b);
};

}  // namespace

void ContactSorter::sort(std::vector<Contact>& contacts, std::size_t at_start) {
  auto swept = contacts.begin() + static_cast<std::ptrdiff_t>(at_start);
  if (at_start >= kRadixSortMin && !std::is_sorted(contacts.begin(), swept, kIsNamedBefore)) {
    sort_by_ids(contacts, at_start);
    swept = contacts.begin() + static_cast<std::ptrdiff_t>(at_start);
  }
  // One pair may have several contacts.
  if (!std::is_sorted(contacts.begin(), swept, kIsNamedBefore)) {
    std::sort(contacts.begin(), swept, kIsNamedBefore);
  }
  if (!std::is_sorted(swept, contacts.end(), kIsReportedBefore)) {
    std::sort(swept, contacts.end(), kIsReportedBefore);
  }
  const bool is_mixed = swept != contacts.end() && swept->time == 0 && swept->time_rest == 0;
  if (is_mixed) std::sort(contacts.begin(), contacts.end(), kIsReportedBefore);
}

/// Sorts `keyed_` digit by digit, the least significant first. Digits in which all keys are equal
/// are skipped. Equal keys keep their order.
void ContactSorter::sort_by_key() {
  constexpr int kBits = 11;  // one digit for 2,048 ids in a row; its table has 8 KiB
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  std::uint64_t differing = 0;
  for (const Keyed& one : keyed_) {
    differing |= one.key ^ keyed_[0].key;
  }
  for (int shift = 0; shift < 64; shift += kBits) {
    if ((differing >> shift & (kDigits - 1)) == 0) continue;
    std::array<std::uint32_t, kDigits> next{};
    const auto digit_of = [shift](const Keyed& one) { return one.key >> shift & (kDigits - 1); };
    for (const Keyed& one : keyed_) {
      ++next[digit_of(one)];
    }
    std::uint32_t before = 0;
    for (std::uint32_t& place : next) {
      before += std::exchange(place, before);
    }
    for (const Keyed& one : keyed_) {
      scattered_[next[digit_of(one)]++] = one;
    }
    keyed_.swap(scattered_);
  }
}

/// Sorts by the first id, then by the second, in two passes: the second id comes first.
void ContactSorter::sort_by_ids(std::vector<Contact>& contacts, std::size_t count) {
  keyed_.resize(count);
  scattered_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    keyed_[i] = {contacts[i].b.value, i};
  }
  sort_by_key();
  for (Keyed& one : keyed_) {
    one.key = contacts[one.index].a.value;
  }
  sort_by_key();
  sorted_.resize(contacts.size());
  for (std::size_t i = 0; i < count; ++i) {
    sorted_[i] = contacts[keyed_[i].index];
  }
  const auto rest = static_cast<std::ptrdiff_t>(count);
  std::copy(contacts.begin() + rest, contacts.end(), sorted_.begin() + rest);
  contacts.swap(sorted_);
}

}  // namespace tickbox::sim
