"""The room, as far as it follows from what reached the server: who is there, and which input was used."""

from collections import defaultdict, namedtuple

from game import NEUTRAL
from session import ORPHANED, PLAYING
from views import fits

REMEMBERED = 128  # ticks
ENTERED = 1_024  # ticks of which what entered is known
SEAT_MASK = 0xFFF

# What enters a tick; of the inputs the sources and the values by seat, None: those by default.
Entered = namedtuple("Entered", "leaves joins sources used")


class Player:
    """A player by the inputs that were used."""

    def __init__(self, joined):
        self.joined = joined  # tick
        self.used = {}  # values by tick, of the last ones
        self.source = NEUTRAL

    def use(self, tick, values, source):
        self.used[tick] = values
        self.source = source
        self.used.pop(tick - REMEMBERED, None)

    def changes_since(self, base):
        """In how many ticks the input was another than before."""
        return sum(values != self.used.get(tick - 1) for tick, values in self.used.items() if tick > base)


class Room:
    def __init__(self):
        self.tick = 0
        self.players = {}  # by seat and generation: who plays or is awaited back
        self.told = defaultdict(dict)  # by (name, tick): what any client was sent, by the seat or entity that it is of
        self.logged = {}  # by (name, tick): the same as an audit has it, whole
        self.states = {}  # by id: rows of this tick, as sent to any client
        self.kinds = {}  # by id
        self.entered = {}  # by tick: what enters it, as an audit has to tell
        self.there = {}  # by tick: who was there, and the source of each one's input

    def pass_tick(self, tick, sessions):
        """One step: each player's input is used."""
        self.tick = tick
        self.states = {}
        there = {s.who: s for s in sessions if s.server.state in (PLAYING, ORPHANED)}
        before = self.players
        self.players = {who: before.get(who) or Player(tick) for who in sorted(there, key=seat_of)}
        sources, used = {}, {}
        for who, each in self.players.items():
            server = there[who].server
            values, source = server.inputs.use(tick) if server.state == PLAYING else (None, NEUTRAL)
            each.use(tick, values, source)
            sources[seat_of(who)], used[seat_of(who)] = source, values
        left = sorted(seat_of(who) for who in before if who not in self.players)
        joined = {seat_of(who): there[who].client_id for who in self.players if who not in before}
        self.remember(tick, Entered(left, joined, sources, used))

    def remember(self, tick, entered):
        self.entered[tick] = entered
        self.there[tick] = {who: each.source for who, each in self.players.items()}
        self.entered.pop(tick - ENTERED, None)
        self.there.pop(tick - ENTERED, None)
        if tick % REMEMBERED == 0:
            for kept in (self.told, self.logged):
                for key in [each for each in kept if each[1] + REMEMBERED <= tick]:
                    del kept[key]

    def agrees(self, name, tick, identity, value):
        """Whether all clients received the same of it, and auditors too, who receive all of it."""
        logged = self.logged.get((name, tick))
        if logged is not None and not fits(logged.get(identity, type(value)()), value):
            return False
        return self.told[(name, tick)].setdefault(identity, value) == value

    def log(self, name, tick, values):
        """Takes all of it that an auditor received. Returns whether no client was sent anything else."""
        self.logged.setdefault((name, tick), values)
        told = self.told.get((name, tick), {})
        return all(fits(values.get(each, type(value)()), value) for each, value in told.items())

    def is_state(self, row):
        if row["id"] is None:
            return True
        is_kind = self.kinds.setdefault(row["id"], row["kind"]) == row["kind"]
        return is_kind and self.states.setdefault(row["id"], row) == row


def seat_of(who):
    return who & SEAT_MASK
