#include "server/room/islands.h"

namespace tickbox::server {

void Islands::clear(std::size_t lives) {
  nodes_.resize(lives);
  for (LifeId life = 0; life < nodes_.size(); ++life) {
    nodes_[life] = {.parent = life, .next = life, .members = 1};
  }
}

void Islands::begin(LifeId life) {
  if (life >= nodes_.size()) nodes_.resize(life + 1);
  nodes_[life] = {.parent = life, .next = life, .members = 1};
}

LifeId Islands::root_of(LifeId life) {
  while (nodes_[life].parent != life) {
    nodes_[life].parent = nodes_[nodes_[life].parent].parent;
    life = nodes_[life].parent;
  }
  return life;
}

void Islands::join(LifeId a, LifeId b) {
  a = root_of(a);
  b = root_of(b);
  if (a == b) return;
  if (nodes_[a].members < nodes_[b].members) std::swap(a, b);
  nodes_[b].parent = a;
  nodes_[a].members += nodes_[b].members;
  std::swap(nodes_[a].next, nodes_[b].next);
}

}  // namespace tickbox::server
