"""The room, as far as it follows from what reached the server: whose body is there, and which input was used."""

from collections import namedtuple

from audit_entries import NEUTRAL, RAY, Input, Join
from inputs import REST
from session import ORPHANED, PLAYING

REMEMBERED = 128  # ticks
ENTERED = 1_024  # ticks of which what entered is known
SEAT_MASK = 0xFFF

Entered = namedtuple("Entered", "leaves joins inputs")
Held = namedtuple("Held", "move source")  # after a tick: where the stick is, where the input came from


class Body:
    """A player's, by the inputs that were used."""

    def __init__(self):
        self.used = {}  # by tick, of the last ones
        self.turns = {}  # move by tick, of those in which it changed
        self.held = Held(REST.move, NEUTRAL)

    def use(self, tick, given, source):
        """Returns whether the input is another than follows from the tick before."""
        before, self.held = self.held, Held(given.move, source)
        self.used[tick] = given
        if given.move != before.move:
            self.turns[tick] = given.move
        self.used.pop(tick - REMEMBERED, None)
        self.turns.pop(tick - REMEMBERED, None)
        return self.held != before or given.buttons != 0

    def turns_since(self, base):
        return {tick: move for tick, move in self.turns.items() if tick > base}


class Room:
    def __init__(self):
        self.tick = 0
        self.bodies = {}  # by id, of who plays or is awaited back
        self.outcomes = {}  # by (name, tick, id): what has been sent of it to any client
        self.states = {}  # by id: of this tick, as sent to any client
        self.entered = {}  # by tick: what enters it, as an audit has to tell
        self.there = {}  # by tick: Held of each player's body

    def pass_tick(self, tick, sessions):
        """One step: each player's input is used."""
        self.tick = tick
        self.states = {}
        there = {s.accept["body"]: s for s in sessions if s.server.state in (PLAYING, ORPHANED)}
        before = self.bodies
        self.bodies = {body: before.get(body) or Body() for body in sorted(there, key=seat_of)}
        inputs = []
        for body, each in self.bodies.items():
            server = there[body].server
            given, source = server.inputs.use(tick) if server.state == PLAYING else (REST, NEUTRAL)
            if each.use(tick, given, source):
                inputs.append(logged(seat_of(body), given, source))
        left = sorted(seat_of(body) for body in before if body not in self.bodies)
        joined = [Join(seat_of(body), there[body].client_id) for body in self.bodies if body not in before]
        self.remember(tick, Entered(left, joined, inputs))

    def remember(self, tick, entered):
        self.entered[tick] = entered
        self.there[tick] = {body: each.held for body, each in self.bodies.items()}
        self.entered.pop(tick - ENTERED, None)
        self.there.pop(tick - ENTERED, None)
        if tick % REMEMBERED == 0:
            self.outcomes = {key: each for key, each in self.outcomes.items() if key[1] + REMEMBERED > tick}

    def agrees(self, name, tick, identity, value):
        """Whether all clients received the same."""
        return self.outcomes.setdefault((name, tick, identity), value) == value

    def is_state(self, entity):
        return self.states.setdefault(entity.id, entity) == entity


def seat_of(body):
    return body & SEAT_MASK


def logged(seat, given, source):
    """An input without what has no effect: an aim without a button, a look back without a ray."""
    aim = given.aim if given.buttons else 0
    look_back = given.look_back if given.buttons & RAY else 0
    return Input(seat, given.move, given.buttons, aim, look_back, source)
