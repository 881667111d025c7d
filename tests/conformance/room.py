"""What goes on in the room, as far as it follows from what reached the server: whose body is there, and which input was used."""

from audit_entries import Input
from audit_entries import Tick as Entered
from inputs import REST
from session import ORPHANED, PLAYING

REMEMBERED = 128  # ticks
ENTERED = 1_024  # ticks of which what entered is known
SEAT_MASK = 0xFFF


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
        self.entered = {}  # by tick: what enters it, as an audit has to tell
        self.there = {}  # by tick: the bodies of players

    def pass_tick(self, tick, sessions):
        """One step: each player's input is used."""
        self.tick = tick
        self.states = {}
        there = {s.accept["body"]: s for s in sessions if s.server.state in (PLAYING, ORPHANED)}
        before = set(self.bodies)
        self.bodies = {body: self.bodies.get(body) or Body() for body in there}
        for body, session in there.items():
            given = session.server.inputs.use(tick) if session.server.state == PLAYING else REST
            self.bodies[body].use(tick, given)
        self.note_entered(tick, before)
        if tick % REMEMBERED == 0:
            self.outcomes = {key: each for key, each in self.outcomes.items() if key[1] + REMEMBERED > tick}

    def note_entered(self, tick, before):
        """Of an input only what a player would not do anyway: its stick stays, no button is pressed."""
        inputs = []
        for body in sorted(self.bodies, key=lambda each: each & SEAT_MASK):
            used = self.bodies[body].used
            given, held = used[tick], used.get(tick - 1, REST).move
            if given.move != held or given.buttons:
                aim = given.aim if given.buttons else 0
                inputs.append(
                    Input(body & SEAT_MASK, given.move if given.move != held else None, given.buttons, aim)
                )
        left, joined = before - set(self.bodies), set(self.bodies) - before
        self.entered[tick] = Entered(
            None, sorted(each & SEAT_MASK for each in left), sorted(each & SEAT_MASK for each in joined), inputs
        )
        self.there[tick] = set(self.bodies)
        self.entered.pop(tick - ENTERED, None)
        self.there.pop(tick - ENTERED, None)

    def agrees(self, name, tick, identity, value):
        """Whether everybody was told the same."""
        return self.outcomes.setdefault((name, tick, identity), value) == value

    def is_state(self, entity):
        return self.states.setdefault(entity.id, entity) == entity
