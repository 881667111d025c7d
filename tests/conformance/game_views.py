"""Reads the bits of views of any game, from common/views/FORMAT.md and common/engine/FORMAT.md alone."""

import struct

import xxhash

import game

UNIT = 1 << 16


class BitReader:
    """Takes bits from bytes, the lowest first."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.size = 8 * len(data)
        self.at = 0

    def take(self, count):
        if self.at + count > self.size:
            raise game.Malformed("the bits end too early")
        taken = self.value >> self.at & ((1 << count) - 1)
        self.at += count
        return taken

    def signed(self, count):
        value = self.take(count)
        return value - (1 << count) if value >> (count - 1) else value

    def one_of(self, count):
        value = self.take((count - 1).bit_length()) if count > 1 else 0
        if value >= count:
            raise game.Malformed(f"{value} is not one of {count}")
        return value

    def end(self):
        if self.size - self.at >= 8 or self.value >> self.at:
            raise game.Malformed("more than zeros follow")


def change(kind, bits):
    """A function that changes a value so."""
    changes = []
    for field in kind.fields:
        for i in range(field.times):
            if bits.take(1) == 0:
                continue
            changes.append((field, i, field.value(bits) if field.bits > 1 else None))

    def apply(values):
        changed = {name: list(all_of) for name, all_of in values.items()}
        for field, i, value in changes:
            other = field.least + field.most - changed[field.name][i]
            changed[field.name][i] = other if value is None else value
        return changed
    return apply


def take_id(bits, now):
    kind = bits.take(2)
    if kind == 3:
        raise game.Malformed("the id of a wall")

    def small(few, many):
        is_large = bits.take(1)
        value = bits.take(many if is_large else few)
        if is_large and value >> few == 0:
            raise game.Malformed("a number is not in its shortest form")
        return value

    seat = bits.take(12) if kind == 0 else 0
    who = small(4, 18) if kind == 0 else small(12, 22)
    width = bits.take(6)
    age = bits.take(width) if width <= 32 else 0
    if width > 32 or age.bit_length() != width:
        raise game.Malformed("an age is not in its shortest form")
    count = bits.take(8) if bits.take(1) else None
    if count == 0:
        raise game.Malformed("a count is not in its shortest form")
    if kind == 0:
        if age >= 1 << 24:
            raise game.Malformed("an age of an avatar is too large")
        return who << 44 | seat << 32 | ((now - age) % (1 << 24)) << 8 | (count or 0)
    return kind << 62 | who << 40 | ((now - age) % (1 << 32)) << 8 | (count or 0)


class Views:
    """Reads contents and events of one game. `kinematic`, `fixed`: the kinds of entities that are."""

    def __init__(self, of, kinematic, fixed):
        self.game = of
        self.kinematic = kinematic
        self.fixed = fixed

    def content(self, data, now, age, base):
        """`base`: the ids of the members of the view `age` ticks before `now`, or None."""
        content = {"inputs": [], "outcomes": [], "room": {}, "exits": [], "rows": []}
        if not data:
            return content
        bits = BitReader(data)
        members = len(base) if base is not None else 0
        if bits.take(4) != max(members - 1, 0).bit_length():
            raise game.Malformed("an index has another width")
        has = [bits.take(1) for _ in range(5)]
        if not any(has) or base is None and (has[0] or has[1] or has[3]):
            raise game.Malformed("lists that cannot be")
        if has[0]:
            self._ticks(bits, now, age, lambda tick: content["inputs"].append(
                (tick, base[bits.one_of(members)], change(self.game.input, bits))))
        if has[1]:
            self._ticks(bits, now, age, lambda tick: content["outcomes"].append(
                (tick, base[bits.one_of(members)], self._outcome(bits))))
        if has[2] and base is None:
            content["room"][now] = self.game.room.sparse_bits(bits)
        elif has[2]:
            for tick in range(now - age + 1, now + 1):
                if bits.take(1):
                    content["room"][tick] = self.game.room.sparse_bits(bits)
        if has[3]:
            content["exits"] = self._exits(bits, base)
        if has[4]:
            content["rows"] = self._rows(bits, now, base)
        if [bool(value) for value in content.values()] != [bool(each) for each in has]:
            raise game.Malformed("a list that is present is empty")
        bits.end()
        return content

    @staticmethod
    def _ticks(bits, now, age, take):
        for tick in range(now - age + 1, now + 1):
            while bits.take(1):
                take(tick)

    def _outcome(self, bits):
        if bits.take(1):
            return ("strike", bits.take(12))
        phase, of = bits.take(1), bits.one_of(len(self.game.outcomes))
        return ("decided", phase, of, self.game.outcomes[of].sparse_bits(bits))

    @staticmethod
    def _exits(bits, base):
        if bits.take(1):
            return [member for member in base if bits.take(1)]
        exits = []
        while bits.take(1):
            exits.append(base[bits.one_of(len(base))])
        if exits != sorted(set(exits)):
            raise game.Malformed("the exits do not ascend")
        return exits

    def _rows(self, bits, now, base):
        origin = bits.signed(16) * UNIT, bits.signed(16) * UNIT
        rows = []
        while bits.take(1):
            if base is not None and bits.take(1):
                name = base[bits.one_of(len(base))]
            else:
                name = take_id(bits, now)
                if base is not None and name in base:
                    raise game.Malformed("a member of the base is named by its id")
            rows.append(self._row(bits, name, origin))
        ids = [row["id"] for row in rows]
        if ids != sorted(set(ids)) or not ids:
            raise game.Malformed("the rows are not sorted by id")
        return rows

    def _row(self, bits, name, origin):
        row = {"id": name, "kind": bits.one_of(len(self.game.kinds)), "new": bits.take(1)}
        is_far = bits.take(1)
        row["place"] = [bits.signed(32) if is_far else origin[axis] + bits.signed(22) for axis in range(2)]
        fits = all(-(1 << 21) <= row["place"][axis] - origin[axis] < 1 << 21 for axis in range(2))
        if is_far == fits:
            raise game.Malformed("a place is not in its shortest form")
        kind = self.game.kinds[row["kind"]]
        row["state"] = kind.sparse_bits(bits)
        row["extra"] = b"" if kind.name in self.fixed else self._velocity(bits)
        row["parent"] = 0
        if name >> 62 == 2 and bits.take(1):
            row["parent"] = 1 + bits.take(1)
            row["extra"] += struct.pack("<Q", bits.take(64))
        if kind.name in self.kinematic:
            row["extra"] += struct.pack("<HI", bits.take(16), bits.take(32))
        elif kind.name not in self.fixed and bits.take(1):
            row["extra"] += struct.pack("<Q", bits.take(64))
        if name >> 62 == 0:
            row["input"] = self.game.input.sparse_bits(bits)
        return row

    @staticmethod
    def _velocity(bits):
        """As a keyframe has it."""
        width = bits.take(5)
        coded = [bits.take(width) for _ in range(2)]
        if max(coded).bit_length() != width:
            raise game.Malformed("a velocity is not in its shortest form")
        return struct.pack("<2i", *(value >> 1 ^ -(value & 1) for value in coded))

    def view_hash(self, frame, members):
        """The hash of a view with these members of a keyframe."""
        entities = {entity["id"]: entity for entity in frame["entities"]}
        total = xxhash.xxh3_64_intdigest(self.game.room.canonical(frame["room"]), 0)
        for member in members:
            total += self.game._entity_hash(entities[member])
            if member >> 62 == 0:
                seat = member >> 32 & 0xFFF
                held = self.game.input.canonical(frame["seats"][seat]["input"])
                total += xxhash.xxh3_64_intdigest(held, seat)
        return total & 0xFFFFFFFF

    def events(self, data):
        if not data:
            return []
        bits = BitReader(data)
        number, events = bits.take(16), []
        while bits.take(1):
            age = bits.take(5)
            age += bits.take(8) if age == 31 else 0
            kind = bits.one_of(len(self.game.events) + 1)
            seat = bits.take(12) if kind == 0 else None
            value = (self.game.events[kind - 1] if kind else self.game.seat).sparse_bits(bits)
            events.append((number, age, kind, seat, value))
            number = (number + 1) % (1 << 16)
        bits.end()
        return events
