#include "tests/golden/report_hash.h"

#include "core/hash.h"

#include <vector>

namespace tickbox::golden {
namespace {

void add(StreamHasher& hasher, const sim::Contact& contact) {
  hasher.add(contact.a.value);
  hasher.add(contact.b.value);
  hasher.add(contact.normal_x);
  hasher.add(contact.normal_y);
  hasher.add(contact.time);
  hasher.add(contact.time_rest);
  hasher.add(contact.time_divisor);
  hasher.add(contact.relative_velocity.x);
  hasher.add(contact.relative_velocity.y);
}

void add(StreamHasher& hasher, BodyId id) {
  hasher.add(id.value);
}

void add(StreamHasher& hasher, const sim::BodyPair& pair) {
  hasher.add(pair.low.value);
  hasher.add(pair.high.value);
}

template <class Item>
void add_all(StreamHasher& hasher, const std::vector<Item>& items) {
  hasher.add(static_cast<std::uint32_t>(items.size()));
  for (const Item& item : items) {
    add(hasher, item);
  }
}

}  // namespace

std::uint32_t report_hash(const sim::StepReport& report) {
  StreamHasher hasher;
  add_all(hasher, report.contacts);
  add_all(hasher, report.frozen);
  add_all(hasher, report.left);
  add_all(hasher, report.overlaps);
  add_all(hasher, report.separated);
  add_all(hasher, report.blocked);
  add_all(hasher, report.crushed);
  add_all(hasher, report.begin);
  add_all(hasher, report.end);
  hasher.add(report.events);
  hasher.add(report.events_max);
  return static_cast<std::uint32_t>(hasher.digest());
}

}  // namespace tickbox::golden
