"""The page's part "Audits": what flows to an auditing client, as entries of bytes in the one form that is accepted."""

from collections import namedtuple

from flatbuffer import need
from front import Front
from messages import MAP_SEATS_MAX, PLAYER, Entity, check_entity, rises

ENTITIES_MAX = 16_384
ENTRY_MAX = 393_248
TICK_MAX = 2**31
GENERATIONS = 2**18
STICK_STAYS = 15
MOVES = 8
BUTTONS_KNOWN = 3
LEAVES, JOINS = 1, 2

Keyframe = namedtuple("Keyframe", "tick state_hash random seats entities")
Seat = namedtuple("Seat", "generation score taken")
Tick = namedtuple("Tick", "state_hash leaves joins inputs")
Input = namedtuple("Input", "seat move buttons aim")  # move None: where it was


class Seats:
    """Seats that rise, told as gaps."""

    def __init__(self, data):
        self.data = data
        self.next = 0

    def read(self):
        seat = self.next + self.data.number()
        need(seat < MAP_SEATS_MAX, "a seat that there is not")
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


def read_keyframe(entry):
    data = Front(entry)
    tick, state_hash, random = data.take("IQQ")
    need(tick <= TICK_MAX, "a tick after the last")
    count = data.number()
    need(count <= MAP_SEATS_MAX, "too many seats")
    seats = []
    for _ in range(count):
        both = data.number()
        seats.append(Seat(both >> 1, data.number(), both & 1))
        need(seats[-1].generation < GENERATIONS, "generation")
    count = data.number()
    need(count <= ENTITIES_MAX, "too many entities")
    entities = []
    for _ in range(count):
        identity, x, y, vx, vy, move, timer = data.take("IiiiiBB")
        entities.append(check_entity(Entity(identity, x, y, vx, vy, identity >> 30, move, timer)))
    need(rises(entities), "entities not sorted by id")
    need(data.left() == 0, "bytes behind the last entity")
    return Keyframe(tick, state_hash, random, seats, entities)


def read_list(data):
    count = data.number()
    need(count > 0, "an empty list")
    seats = Seats(data)
    return [seats.read() for _ in range(count)]


def read_input(data, seats):
    seat, what = seats.read(), data.take("B")
    need(what < 64, "a bit without meaning")
    move = what & 15
    need(move <= MOVES or move == STICK_STAYS, "a move that there is not")
    need(what != STICK_STAYS, "an input that changes nothing")
    buttons = aim = 0
    if what & 16:
        both = data.take("H")
        buttons, aim = both >> 10, both & 1_023
        need(buttons != 0 and buttons & ~BUTTONS_KNOWN == 0, "buttons")
    if what & 32:
        need(buttons != 0 and data.take("I") >> 30 == PLAYER, "a strike of nobody, or at no player")
    return Input(seat, None if move == STICK_STAYS else move, buttons, aim)


def read_tick(entry):
    data = Front(entry)
    state_hash = data.take("Q")
    if data.left() == 0:
        return Tick(state_hash, [], [], [])
    lists = data.take("B")
    need(lists <= 3, "a list that there is not")
    need(lists or data.left(), "bytes that say nothing")
    leaves = read_list(data) if lists & LEAVES else []
    joins = read_list(data) if lists & JOINS else []
    seats, inputs = Seats(data), []
    while data.left():
        inputs.append(read_input(data, seats))
    return Tick(state_hash, leaves, joins, inputs)
