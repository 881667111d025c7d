"""The page's part "Audits": what flows to an auditing client, as entries of bytes in the one form that is accepted."""

from collections import namedtuple

from flatbuffer import need
from front import Front
from messages import MAP_SEATS_MAX, PLAYER, Entity, check_entity, rises

ENTITIES_MAX = 16_384
ENTRY_MAX = 409_632
TICK_MAX = 2**31
GENERATIONS = 2**18
JOIN_MAX = 1_024
MOVES = 8
AIMS = 1_024
SHOOT, RAY = 1, 2  # buttons
LEAVES, JOINS, INPUTS, OUTCOMES = 1, 2, 4, 8
RECEIVED, REPEATED, NEUTRAL = range(3)  # sources of an input

Keyframe = namedtuple("Keyframe", "tick state_hash random seats entities")
Seat = namedtuple("Seat", "generation score taken source")
Tick = namedtuple("Tick", "leaves joins inputs strikes")
Join = namedtuple("Join", "seat client")
Input = namedtuple("Input", "seat move buttons aim look_back source")
Strike = namedtuple("Strike", "shooter victim")


class Seats:
    """Seats of a list, which rise and are written as gaps."""

    def __init__(self, data, count):
        self.data = data
        self.count = count
        self.next = 0

    def read(self):
        seat = self.next + self.data.number()
        need(seat < self.count, "a seat beyond the last")
        self.next = seat + 1
        return seat


def take_entry(stream):
    """The next entry without its length, and the bytes behind it; None where it is not whole."""
    length = stream[:3]
    if len(length) < 3 and all(byte >= 128 for byte in length):
        return None
    head = Front(length)
    size = head.number()
    need(1 <= size <= ENTRY_MAX, "length of an entry")
    if len(stream) < head.at + size:
        return None
    return stream[head.at : head.at + size], stream[head.at + size :]


def take_all(data, code):
    """The values of an element that begins with its size, and holds these values and nothing else."""
    element = Front(data.bytes(data.number()))
    values = element.take(code)
    need(element.left() == 0, "an element with bytes left over")
    return values


def read_seat(data):
    both, score = data.number(), data.number()
    seat = Seat(both >> 3, score, both & 1, both >> 1 & 3)
    need(seat.generation < GENERATIONS, "generation")
    need(seat.source <= NEUTRAL, "source of a seat")
    need(seat.taken or seat.source == NEUTRAL, "an empty seat with a source")
    return seat


def read_entity(data):
    identity, x, y, vx, vy, move, timer = take_all(data, "IiiiiBB")
    return check_entity(Entity(identity, x, y, vx, vy, identity >> 30, move, timer))


def read_keyframe(entry):
    data = Front(entry)
    tick, state_hash, random = data.take("IQQ")
    need(tick <= TICK_MAX, "a tick after the last")
    count = data.number()
    need(count <= MAP_SEATS_MAX, "too many seats")
    seats = [read_seat(data) for _ in range(count)]
    count = data.number()
    need(count <= ENTITIES_MAX, "too many entities")
    entities = [read_entity(data) for _ in range(count)]
    need(rises(entities), "entities not sorted by id")
    need(data.left() == 0, "bytes behind the last entity")
    return Keyframe(tick, state_hash, random, seats, entities)


def read_tick(entry):
    """The state hash, and the tick as its log has it."""
    data = Front(entry)
    return data.take("Q"), data.bytes(data.left())


def read_input(element):
    """Stick, buttons, aim and look back of an input that has bytes."""
    data = Front(element)
    both = data.take("B")
    move, buttons = both & 15, both >> 4
    need(move <= MOVES, "a move that there is not")
    need(buttons <= SHOOT | RAY, "a button that there is not")
    aim = data.take("H") if buttons else 0
    need(aim < AIMS, "an aim that there is not")
    look_back = data.take("B") if buttons & RAY else 0
    need(data.left() == 0, "an input with bytes left over")
    return move, buttons, aim, look_back


class Held:
    """What a tick leaves out of a seat, as it follows from the tick before."""

    def __init__(self, taken=False, move=0, source=NEUTRAL):
        self.taken = taken
        self.move = move  # where the stick is
        self.source = source  # of the last input


class TickLog:
    """Reads the ticks after a keyframe, one after the other. Of no use after a fault."""

    def __init__(self, keyframe):
        self.seats = [Held(seat.taken, 0, seat.source) for seat in keyframe.seats]
        for entity in keyframe.entities:
            seat = entity.id & MAP_SEATS_MAX - 1
            if entity.kind == PLAYER and seat < len(self.seats):
                self.seats[seat].move = entity.move

    def read(self, entry):
        """What the bytes of the next tick say: of the inputs, those that change something."""
        data = Front(entry)
        lists = data.take("B") if entry else 0
        need(lists <= LEAVES | JOINS | INPUTS | OUTCOMES, "a list that there is not")
        need(lists or not entry, "bytes that say nothing")
        leaves = self.read_list(data, self.read_leave) if lists & LEAVES else []
        joins = self.read_list(data, self.read_join) if lists & JOINS else []
        inputs = self.read_list(data, self.read_change) if lists & INPUTS else []
        strikes = self.read_list(data, self.read_outcome) if lists & OUTCOMES else []
        need(rises_by_seat(strikes), "outcomes not sorted by shooter")
        need(data.left() == 0, "bytes behind the last list")
        return Tick(leaves, joins, inputs, strikes)

    def read_list(self, data, read):
        count = data.number()
        need(count > 0, "an empty list")
        seats = Seats(data, len(self.seats))
        return [read(data, seats) for _ in range(count)]

    def read_leave(self, data, seats):
        seat = seats.read()
        need(self.seats[seat].taken, "somebody leaves who is not there")
        self.seats[seat] = Held()
        return seat

    def read_join(self, data, seats):
        seat, size = seats.read(), data.number()
        need(size <= JOIN_MAX, "size of a join")
        client = Front(data.bytes(size)).take("Q")  # a later version may append to it
        need(not self.seats[seat].taken, "somebody joins who is there")
        self.seats[seat] = Held(taken=True)
        return Join(seat, client)

    def read_change(self, data, seats):
        seat, what = seats.read(), data.number()
        size, source, held = what >> 2, what & 3, self.seats[seat]
        need(source <= NEUTRAL, "source of an input")
        need(held.taken, "an input of somebody who is not there")
        given = read_input(data.bytes(size)) if size else (held.move, 0, 0, 0)
        stays = given[:2] == (held.move, 0)
        need(not stays or size == 0, "an input in bytes, and nothing changes")
        need(not stays or source != held.source, "an input that changes nothing")
        held.move, held.source = given[0], source
        return Input(seat, *given, source)

    def read_outcome(self, data, _):
        strike = Strike(*take_all(data, "HI"))
        need(strike.shooter < len(self.seats), "a shooter whose seat there is not")
        player = strike.victim >> 30 == PLAYER and strike.victim & MAP_SEATS_MAX - 1 < len(self.seats)
        need(player, "a victim that is no player of the map")
        return strike


def rises_by_seat(strikes):
    return all(a.shooter < b.shooter for a, b in zip(strikes, strikes[1:]))
