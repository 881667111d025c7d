"""A snapshot from its fragments: what has to be the same in all of them, and what the whole has to add up to."""

from messages import view_hash

SHARED = ("view_hash", "view_size", "fragments")


class View:
    """The fragments of one tick, as far as they are there."""

    def __init__(self):
        self.parts = {}

    def add(self, head, entities):
        """Takes a fragment. Returns what is wrong with it beside the others, or None."""
        for other, _ in self.parts.values():
            for name in SHARED:
                if getattr(head, name) != getattr(other, name):
                    return f"{name} differs between fragments"
        if head.fragment in self.parts:
            return f"fragment {head.fragment} again"
        self.parts[head.fragment] = (head, entities)
        return None

    def whole(self):
        return len(self.parts) == next(iter(self.parts.values()))[0].fragments

    def entities(self):
        return [entity for number in sorted(self.parts) for entity in self.parts[number][1]]

    def fault(self):
        """What is wrong with the whole of it, or None."""
        head = self.parts[0][0]
        entities = self.entities()
        if any(a.id >= b.id for a, b in zip(entities, entities[1:])):
            return "ids do not rise through the fragments"
        if len(entities) != head.view_size:
            return f"{len(entities)} entities, view_size {head.view_size}"
        if view_hash(entities) != head.view_hash:
            return f"view hash {head.view_hash:016x}, its entities say {view_hash(entities):016x}"
        return None
