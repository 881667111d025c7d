#include "server/room/islands.h"

namespace tickbox::server {

void Islands::clear(std::size_t slots) {
  nodes_.resize(slots);
  for (SlotId slot = 0; slot < nodes_.size(); ++slot) {
    nodes_[slot] = {.parent = slot, .next = slot, .members = 1};
  }
}

void Islands::begin(SlotId slot) {
  if (slot >= nodes_.size()) nodes_.resize(slot + 1);
  nodes_[slot] = {.parent = slot, .next = slot, .members = 1};
}

SlotId Islands::root_of(SlotId slot) {
  while (nodes_[slot].parent != slot) {
    nodes_[slot].parent = nodes_[nodes_[slot].parent].parent;
    slot = nodes_[slot].parent;
  }
  return slot;
}

void Islands::join(SlotId a, SlotId b) {
  a = root_of(a);
  b = root_of(b);
  if (a == b) return;
  if (nodes_[a].members < nodes_[b].members) std::swap(a, b);
  nodes_[b].parent = a;
  nodes_[a].members += nodes_[b].members;
  std::swap(nodes_[a].next, nodes_[b].next);
}

}  // namespace tickbox::server
