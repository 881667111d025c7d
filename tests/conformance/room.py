"""The room, as far as it follows from what reached the server: who is there, and which input was used."""

from collections import defaultdict

from session import ORPHANED, PLAYING

REMEMBERED = 128  # ticks
THERE = 1_024  # ticks of which it is known who was there
SEAT_MASK = 0xFFF


class Player:
    """A player by the inputs that were used."""

    def __init__(self, joined):
        self.joined = joined  # tick
        self.used = {}  # values by tick, of the last ones

    def use(self, tick, values):
        self.used[tick] = values
        self.used.pop(tick - REMEMBERED, None)

    def changes_since(self, base):
        """In how many ticks the input was another than before."""
        return sum(values != self.used.get(tick - 1) for tick, values in self.used.items() if tick > base)


class Room:
    def __init__(self):
        self.tick = 0
        self.players = {}  # by seat and generation: who plays or is awaited back
        self.told = defaultdict(dict)  # by (name, tick): what any client was sent, by the seat or entity that it is of
        self.states = {}  # by id: rows of this tick, as sent to any client
        self.kinds = {}  # by id
        self.there = {}  # by tick: who was there

    def pass_tick(self, tick, sessions):
        """One step: each player's input is used."""
        self.tick = tick
        self.states = {}
        there = {s.who: s for s in sessions if s.server.state in (PLAYING, ORPHANED)}
        before = self.players
        self.players = {who: before.get(who) or Player(tick) for who in sorted(there, key=seat_of)}
        for who, each in self.players.items():
            server = there[who].server
            each.use(tick, server.inputs.use(tick) if server.state == PLAYING else None)
        self.there[tick] = set(self.players)
        self.there.pop(tick - THERE, None)
        if tick % REMEMBERED == 0:
            for key in [each for each in self.told if each[1] + REMEMBERED <= tick]:
                del self.told[key]

    def agrees(self, name, tick, identity, value):
        """Whether all clients received the same of it."""
        return self.told[(name, tick)].setdefault(identity, value) == value

    def is_state(self, row):
        if row["id"] is None:
            return True
        is_kind = self.kinds.setdefault(row["id"], row["kind"]) == row["kind"]
        return is_kind and self.states.setdefault(row["id"], row) == row


def seat_of(who):
    return who & SEAT_MASK
