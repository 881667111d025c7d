"""Reads the bytes of any game by its descriptor, from common/engine/FORMAT.md alone."""

import struct

import xxhash

WHOLE, FLAG, PRESS, PLAYER, REF = range(5)
NOBODY = 0xFFFF
NEUTRAL = 2
HAS_VELOCITY = 0xFFFF  # in place of the path of a spawned entity
DYNAMIC, KINEMATIC, FIXED = range(3)
NO_ID = (1 << 64) - 1
IDLE = bytes([16])  # an idle tick
MASK = (1 << 64) - 1
BY_ENTITY, WALL = 2, 3  # classes of ids: an entity that another has spawned; a wall
NEAR = 1 << 21


class Malformed(Exception):
    """Bytes that the standard does not allow."""


def one_of(types, number):
    if number >= len(types):
        raise Malformed(f"{number} is not one of {len(types)}")
    return types[number]


class Reader:
    """Takes fields from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Malformed("the bytes end too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def fixed(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def number(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.fixed("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift > 0:
                    raise Malformed("a number is not in its shortest form")
                return value
        raise Malformed("a number is too long")

    def text(self):
        try:
            return self.take(self.number()).decode()
        except UnicodeDecodeError as fault:
            raise Malformed("a text that is no UTF-8") from fault

    def at_end(self):
        return self.at == len(self.data)


class BitReader:
    """Takes bits from bytes, the lowest first."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.size = 8 * len(data)
        self.at = 0

    def take(self, count):
        if self.at + count > self.size:
            raise Malformed("the bits end too early")
        taken = self.value >> self.at & ((1 << count) - 1)
        self.at += count
        return taken

    def signed(self, count):
        value = self.take(count)
        return value - (1 << count) if value >> (count - 1) else value

    def one_of(self, count):
        value = self.take((count - 1).bit_length()) if count > 1 else 0
        if value >= count:
            raise Malformed(f"{value} is not one of {count}")
        return value

    def fill(self):
        if self.take(-self.at % 8) != 0:
            raise Malformed("bits that fill up a byte are not zero")

    def end(self):
        if self.size - self.at >= 8 or self.value >> self.at:
            raise Malformed("more than zeros follow")


def class_of(name):
    return name >> 62


def seat_of(avatar):
    return avatar >> 32 & 0xFFF


def generation_of(avatar):
    return avatar >> 44 & 0x3FFFF


def owner_of(name):
    """The seat of the player that an entity belongs to."""
    lineage = seat_of(name) if class_of(name) == 0 else name >> 40 & 0x3FFFFF
    return lineage if lineage < 1 << 12 else NOBODY


def take_id(bits, now):
    kind = bits.take(2)
    if kind == WALL:
        raise Malformed("the id of a wall")

    def small(few, many):
        is_large = bits.take(1)
        value = bits.take(many if is_large else few)
        if is_large and value >> few == 0:
            raise Malformed("a number is not in its shortest form")
        return value

    seat = bits.take(12) if kind == 0 else 0
    who = small(4, 18) if kind == 0 else small(12, 22)
    width = bits.take(6)
    age = bits.take(width) if width <= 32 else 0
    if width > 32 or age.bit_length() != width:
        raise Malformed("an age is not in its shortest form")
    count = bits.take(8) if bits.take(1) else None
    if count == 0:
        raise Malformed("a count is not in its shortest form")
    if kind == 0:
        if age >= 1 << 24:
            raise Malformed("an age of an avatar is too large")
        return who << 44 | seat << 32 | ((now - age) % (1 << 24)) << 8 | (count or 0)
    return kind << 62 | who << 40 | ((now - age) % (1 << 32)) << 8 | (count or 0)


class Field:
    def __init__(self, reader):
        self.name = reader.text()
        self.form = reader.fixed("B")
        self.times = reader.number()
        self.least, self.most = 0, 1
        if self.form == WHOLE:
            self.least, self.most = reader.fixed("i"), reader.fixed("i")
        elif self.form == PLAYER:
            self.most = NOBODY
        elif self.form == REF:
            self.most = MASK
        self.by_default = [reader.fixed("q" if self.form == WHOLE else "Q") for _ in range(self.times)]
        self.bits = (self.most - self.least).bit_length()

    def value(self, bits):
        value = bits.take(self.bits) + self.least
        if value > self.most:
            raise Malformed(f"{self.name} is out of its range")
        return value

    def canonical(self, value):
        """The bytes of a value as they are hashed."""
        if self.form in (FLAG, PRESS):
            return struct.pack("<B", value)
        if self.form == PLAYER:
            return struct.pack("<H", value)
        if self.form == REF:
            return struct.pack("<Q", value)
        if self.least >= -128 and self.most <= 127:
            return struct.pack("<b", value)
        if self.least >= 0 and self.most <= 255:
            return struct.pack("<B", value)
        if self.least >= -32768 and self.most <= 32767:
            return struct.pack("<h", value)
        return struct.pack("<i", value)


class Type:
    def __init__(self, reader):
        self.name = reader.text()
        self.fields = [Field(reader) for _ in range(reader.number())]

    def sparse(self, reader):
        """Fills up whole bytes."""
        bits = BitReader(reader.data[reader.at:])
        values = self.sparse_bits(bits)
        bits.fill()
        reader.take(bits.at // 8)
        return values

    def sparse_bits(self, bits):
        """Every value; the bits leave out those by default."""
        values = self.by_default()
        for field in self.fields:
            for i in range(field.times):
                if bits.take(1) == 0:
                    continue
                values[field.name][i] = field.value(bits)
                if values[field.name][i] == field.by_default[i]:
                    raise Malformed(f"{field.name} has its default, and is written")
        return values

    def canonical(self, values):
        return b"".join(field.canonical(value) for field in self.fields for value in values[field.name])

    def by_default(self):
        return {field.name: list(field.by_default) for field in self.fields}

    def released(self, values):
        """The same with every press up."""
        return {field.name: [0] * field.times if field.form == PRESS else list(values[field.name])
                for field in self.fields}


class Game:
    def __init__(self, data):
        reader = Reader(data)
        if reader.fixed("B") != 1:
            raise Malformed("a descriptor of another version")
        self.name = reader.text()
        self.version = reader.fixed("I")
        self.hash = reader.fixed("Q")
        self.gravity = reader.fixed("i")
        self.avatar = reader.number()
        self.input, self.seat, self.room, self.secret = (Type(reader) for _ in range(4))
        self.kinds = []
        for _ in range(reader.number()):
            kind = Type(reader)
            kind.top_speed = reader.fixed("i")
            kind.predict = reader.fixed("B")
            kind.motion = reader.fixed("B")
            if kind.predict > 2 or kind.motion > 2:
                raise Malformed("a kind that cannot be")
            self.kinds.append(kind)
        self.outcomes, self.events, self.commands = (
            [Type(reader) for _ in range(reader.number())] for _ in range(3))
        self.results = []
        if not reader.at_end():
            self.results = [Type(reader) for _ in range(reader.number())]
            if not self.results:
                raise Malformed("an empty list of results")
        if not reader.at_end():
            raise Malformed("bytes follow the descriptor")

    def keyframe(self, data):
        bits = BitReader(data)
        frame = {"tick": bits.take(32), "hash": bits.take(64), "random": bits.take(64), "seed": bits.take(64),
                 "lineage": bits.take(22), "room": self.room.sparse_bits(bits), "secret": self.secret.sparse_bits(bits)}
        frame["seats"] = [self._seat(bits) for _ in range(bits.take(13))]
        frame["entities"] = []
        bits.fill()
        while bits.take(1):
            frame["entities"].append(self.whole_row(bits, frame["tick"]))
            bits.fill()
        ids = [entity["id"] for entity in frame["entities"]]
        if ids != sorted(set(ids)):
            raise Malformed("the entities are not sorted by id")
        bits.end()
        return frame

    def _seat(self, bits):
        was_used = bits.take(1)
        seat = {"generation": bits.take(18) if was_used else 0, "source": NEUTRAL, "chosen": 0}
        if was_used and not seat["generation"]:
            raise Malformed("a generation is not in its shortest form")
        seat["taken"] = bits.take(1)
        if seat["taken"]:
            seat.update(source=bits.take(2), chosen=bits.take(1), focus=bits.take(64),
                        place=(bits.signed(32), bits.signed(32)),
                        state=self.seat.sparse_bits(bits), input=self.input.sparse_bits(bits))
        if seat["source"] > 2:
            raise Malformed("a source that an input cannot have")
        return seat

    def whole_row(self, bits, now):
        name, motion = take_id(bits, now), bits.take(2)
        if motion > FIXED:
            raise Malformed("an entity that moves in no way")
        return self.row(bits, name, (0, 0), motion)

    def row(self, bits, name, origin, motion=None):
        """`name`: None is an unknown entity, which another one has spawned."""
        row = {"id": name, "kind": bits.one_of(len(self.kinds)), "new": bits.take(1)}
        row["owner"] = owner_of(name) if name is not None else None
        of_class = class_of(name) if name is not None else BY_ENTITY
        is_far = bits.take(1)
        row["place"] = [bits.signed(32) if is_far else origin[axis] + bits.signed(22) for axis in range(2)]
        fits = all(-NEAR <= row["place"][axis] - origin[axis] < NEAR for axis in range(2))
        if is_far == fits:
            raise Malformed("a place is not in its shortest form")
        kind = self.kinds[row["kind"]]
        row["motion"] = motion = kind.motion if motion is None else motion
        row["state"] = kind.sparse_bits(bits)
        row["extra"] = b"" if motion == FIXED else self._velocity(bits)
        row["parent"] = 0
        if of_class == BY_ENTITY and bits.take(1):
            row["parent"] = 1 + bits.take(1)
            row["extra"] += struct.pack("<Q", bits.take(64))
        if motion == KINEMATIC:
            row["extra"] += struct.pack("<HI", bits.take(16), bits.take(32))
        elif motion == DYNAMIC and bits.take(1):
            row["extra"] += struct.pack("<Q", bits.take(64))
        return row

    @staticmethod
    def _velocity(bits):
        width = bits.take(5)
        coded = [bits.take(width) for _ in range(2)]
        if max(coded).bit_length() != width:
            raise Malformed("a velocity is not in its shortest form")
        return struct.pack("<2i", *(value >> 1 ^ -(value & 1) for value in coded))

    def state_hash(self, frame):
        """The hash that a keyframe's content has."""
        total = sum(self.entity_hash(entity) for entity in frame["entities"])
        for number, seat in enumerate(frame["seats"]):
            if seat["generation"] or seat["taken"]:
                total += self._seat_hash(number, seat)
        rest = struct.pack("<QIQI", total & MASK, frame["tick"], frame["random"], frame["lineage"])
        rest += self.room.canonical(frame["room"]) + self.secret.canonical(frame["secret"])
        return xxhash.xxh3_64_intdigest(rest, frame["seed"])

    def entity_hash(self, entity):
        """`entity`: as entities of a keyframe, or as rows of views."""
        head = struct.pack("<HH2i", entity["kind"] << 8 | entity["parent"] << 1 | entity["new"], entity["owner"],
                           *entity["place"])
        state = self.kinds[entity["kind"]].canonical(entity["state"])
        return xxhash.xxh3_64_intdigest(head + entity["extra"] + state, entity["id"])

    def _seat_hash(self, number, seat):
        data = struct.pack("<I", seat["generation"] << 2 | seat["chosen"] << 1 | seat["taken"])
        if seat["taken"]:
            data += struct.pack("<Q2i", seat["focus"], *seat["place"])
            data += self.seat.canonical(seat["state"]) + self.input.canonical(seat["input"])
        return xxhash.xxh3_64_intdigest(data, number)

    def outcome(self, reader):
        """An outcome of a tick: its name, its phase, and what it has."""
        both = reader.fixed("B")
        kind, phase = both >> 1, both & 1
        if kind < 2 or kind == 10:
            if phase != 0:
                raise Malformed("an outcome of the wrong phase")
            return (("strike", 0, reader.number(), reader.fixed("Q")) if kind == 10
                    else (("left", "joined")[kind], 0))
        if kind == 2:
            of, player, ref = reader.number(), reader.number() - 1, reader.fixed("Q")
            place, path = (reader.fixed("i"), reader.fixed("i")), reader.number() - 1
            velocity = (reader.fixed("i"), reader.fixed("i")) if path == HAS_VELOCITY else (0, 0)
            if path > HAS_VELOCITY or (path == HAS_VELOCITY and velocity == (0, 0)):
                raise Malformed("neither a path nor a velocity")
            return ("spawned", phase, of, player, ref, place, path, velocity, one_of(self.kinds, of).sparse(reader))
        if kind == 3:
            return ("removed", phase, reader.fixed("Q"))
        if kind == 4:
            return ("focused", phase, reader.number(), reader.fixed("Q"), reader.fixed("i"), reader.fixed("i"))
        if kind == 5:
            seat, of = reader.number(), reader.number()
            return ("commanded", phase, seat, of, one_of(self.commands, of).sparse(reader))
        if kind == 6:
            of, ref = reader.number(), reader.fixed("Q")
            return ("decided", phase, of, ref, one_of(self.outcomes, of).sparse(reader))
        if kind == 7:
            return ("seat", phase, reader.number(), self.seat.sparse(reader))
        if kind == 8:
            return ("room", phase, self.room.sparse(reader))
        if kind == 9:
            return ("secret", phase, reader.fixed("Q"), self.secret.sparse(reader))
        if kind == 11:
            of = reader.number()
            return ("published", phase, of, one_of(self.results, of).sparse(reader))
        if kind == 12:
            return ("closed", phase)
        raise Malformed("an unknown outcome")


class TickLog:
    """Reads the log of a game from a keyframe on."""

    def __init__(self, game, frame):
        self.game = game
        self.seats = len(frame["seats"])
        taken = {number: seat for number, seat in enumerate(frame["seats"]) if seat["taken"]}
        self.sources = {number: seat["source"] for number, seat in taken.items()}
        self.held = {number: seat["input"] for number, seat in taken.items()}

    def record(self, data):
        """What entered the next tick: leaves, joins, inputs and outcomes, and the source of each player's input.

        Also the input that each player has in the tick. An idle tick is not stepped."""
        record = {"leaves": [], "joins": {}, "inputs": {}, "outcomes": [], "idle": data == IDLE}
        if record["idle"]:
            if self.sources:
                raise Malformed("an idle tick with players")
            return record | {"sources": {}, "given": {}}
        reader = Reader(data)
        lists = reader.fixed("B") if data else 0
        if lists > 15 or (data and lists == 0):
            raise Malformed("unknown lists")
        if lists & 1:
            for seat in self._seats(reader):
                if self.sources.pop(seat, None) is None:
                    raise Malformed("a player leaves who is not in the room")
                record["leaves"].append(seat)
        if lists & 2:
            for seat in self._seats(reader):
                join = Reader(reader.take(reader.number()))
                if seat in self.sources:
                    raise Malformed("a player joins who is in the room")
                self.sources[seat] = NEUTRAL
                record["joins"][seat] = (join.fixed("Q"), join.take(len(join.data) - join.at))
        if lists & 4:
            for seat in self._seats(reader):
                self._input(reader, seat, record)
        if lists & 8:
            self._outcomes(reader, record)
        elif record["leaves"] or record["joins"]:
            raise Malformed("a leave or a join without its outcome")
        if not reader.at_end():
            raise Malformed("bytes follow the record")
        record["sources"] = dict(self.sources)
        joining = {seat: self.game.input.by_default() for seat in record["joins"]}
        held = {seat: self.held[seat] for seat in self.sources if seat not in joining}
        record["given"] = held | joining | record["inputs"]
        self.held = {seat: self.game.input.released(values) for seat, values in record["given"].items()}
        return record

    @staticmethod
    def _count(reader):
        count = reader.number()
        if count == 0:
            raise Malformed("a list that is present is empty")
        return count

    def _seats(self, reader):
        """The seats of a list, before each of its elements."""
        seat = -1
        for _ in range(self._count(reader)):
            seat += 1 + reader.number()
            if seat >= self.seats:
                raise Malformed("a seat that does not exist")
            yield seat

    def _input(self, reader, seat, record):
        head = reader.number()
        given = Reader(reader.take(head >> 2))
        source = head & 3
        if source > 2 or seat not in self.sources:
            raise Malformed("an input that cannot be")
        if given.data:
            record["inputs"][seat] = self.game.input.sparse(given)
            if not given.at_end():
                raise Malformed("bytes follow an input")
        elif self.sources[seat] == source:
            raise Malformed("an input that changes nothing")
        self.sources[seat] = source

    def _outcomes(self, reader, record):
        leaves, joins, part = list(record["leaves"]), list(record["joins"]), 0
        for _ in range(self._count(reader)):
            one = Reader(reader.take(reader.number()))
            outcome = self.game.outcome(one)
            if not one.at_end():
                raise Malformed("bytes follow an outcome")
            now = 1 if outcome[0] == "strike" else 2 * outcome[1]
            if now < part:
                raise Malformed("an outcome after those that it precedes")
            part = now
            if outcome[0] == "left":
                if not leaves or len(joins) < len(record["joins"]):
                    raise Malformed("a leave that is not in the list")
                outcome += (leaves.pop(0),)
            elif outcome[0] == "joined":
                if not joins:
                    raise Malformed("a join that is not in the list")
                outcome += (joins.pop(0),)
            record["outcomes"].append(outcome)
        if leaves or joins:
            raise Malformed("a leave or a join without its outcome")
