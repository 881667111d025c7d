"""What goes on in the room, as far as it follows from what reached the server: whose body is there, and which input was used."""

from inputs import REST
from session import ORPHANED, PLAYING

REMEMBERED = 128  # ticks


class Body:
    """A player's, by the inputs that were used."""

    def __init__(self):
        self.used = {}  # by tick, of the last ones
        self.turns = {}  # move by tick, of those in which it changed

    def use(self, tick, given):
        before = self.used.get(tick - 1, REST)
        self.used[tick] = given
        if given.move != before.move:
            self.turns[tick] = given.move
        self.used.pop(tick - REMEMBERED, None)
        self.turns.pop(tick - REMEMBERED, None)

    def turns_since(self, base):
        return {tick: move for tick, move in self.turns.items() if tick > base}


class Room:
    def __init__(self):
        self.tick = 0
        self.bodies = {}  # by id, of who plays or is awaited back
        self.outcomes = {}  # by (name, tick, id): what has been told of it to anybody
        self.states = {}  # by id: of this tick, as told to anybody

    def pass_tick(self, tick, sessions):
        """One step: each player's input is used."""
        self.tick = tick
        self.states = {}
        there = {s.accept["body"]: s for s in sessions if s.server.state in (PLAYING, ORPHANED)}
        self.bodies = {body: self.bodies.get(body) or Body() for body in there}
        for body, session in there.items():
            given = session.server.inputs.use(tick) if session.server.state == PLAYING else REST
            self.bodies[body].use(tick, given)
        if tick % REMEMBERED == 0:
            self.outcomes = {key: each for key, each in self.outcomes.items() if key[1] + REMEMBERED > tick}

    def agrees(self, name, tick, identity, value):
        """Whether everybody was told the same."""
        return self.outcomes.setdefault((name, tick, identity), value) == value

    def is_state(self, entity):
        return self.states.setdefault(entity.id, entity) == entity
