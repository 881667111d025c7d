"""Reads the bits of views of any game, from common/views/FORMAT.md and common/engine/FORMAT.md alone."""

import struct

import xxhash

import game

UNIT = 1 << 16
INPUTS_MAX = 64
MEMBERS_MAX = 1_024
EVENTS_MAX = 16
COMMANDS_MAX = 10


def changes_of(kind, bits):
    """Which values change: the field, which of its values, and the new one; None: the other one of two."""
    changes = []
    for field in kind.fields:
        for i in range(field.times):
            if bits.take(1):
                changes.append((field, i, field.value(bits) if field.bits > 1 else None))
    return changes


def changed_by(changes, values):
    changed = {name: list(all_of) for name, all_of in values.items()}
    for field, i, value in changes:
        other = field.least + field.most - changed[field.name][i]
        changed[field.name][i] = other if value is None else value
    return changed


class Views:
    """Reads the bits of one game; all entities of a kind move in the same way."""

    def __init__(self, of):
        self.game = of
        self.has_bit_for_each = False  # the exits of the content that was read last

    def inputs(self, data):
        """The inputs of a message: look back and values of each."""
        bits, look_back, values, inputs = game.BitReader(data), 0, self.game.input.by_default(), []
        while bits.take(1):
            if len(inputs) == INPUTS_MAX:
                raise game.Malformed("too many inputs")
            if bits.take(1):
                look_back = bits.take(8)
            values = changed_by(changes_of(self.game.input, bits), values)
            inputs.append((look_back, values))
        bits.end()
        return inputs

    def commands(self, data):
        """(number, type, value) of each command of a message."""
        if not data:
            return []
        if not self.game.commands:
            raise game.Malformed("commands of a game without any")
        bits = game.BitReader(data)
        number, commands = bits.take(16), []
        while bits.take(1):
            kind = bits.one_of(len(self.game.commands))
            commands.append((number, kind, self.game.commands[kind].sparse_bits(bits)))
            number = (number + 1) % (1 << 16)
        bits.end()
        if not 1 <= len(commands) <= COMMANDS_MAX:
            raise game.Malformed(f"{len(commands)} commands")
        return commands

    def content_on(self, data, now, age, known, more, is_likely):
        """The content on a base of which only the members before the last ones are known by id.

        `more`: the least and the most number of members that follow the known ones, and that entities have spawned;
        None stands for each of these in the exits.
        If the exits have a bit for each member, the number of members decides what the bits behind mean. Of the numbers
        that can be, the first counts whose content is likely, or else the first whose content can be read."""
        width = game.BitReader(data).take(4) if data else None
        first, fault = None, game.Malformed("an index has another width")
        for number in range(more[0], more[1] + 1):
            base = known + [None] * number
            if width is not None and width != max(len(base) - 1, 0).bit_length():
                continue
            try:
                content = self.content(data, now, age, base)
            except game.Malformed as found:
                fault = found
                continue
            first = first or content
            if not self.has_bit_for_each or is_likely(content):
                return content
        if first is None:
            raise fault
        return first

    def content(self, data, now, age, base):
        """`base`: the ids of the members of the view `age` ticks before `now`, or None. None is an unknown id."""
        content = {"inputs": [], "outcomes": [], "room": {}, "exits": [], "rows": []}
        self.has_bit_for_each = False
        if not data:
            return content
        bits = game.BitReader(data)
        members = len(base) if base is not None else 0
        if bits.take(4) != max(members - 1, 0).bit_length():
            raise game.Malformed("an index has another width")
        has = [bits.take(1) for _ in range(5)]
        if not any(has) or base is None and (has[0] or has[1] or has[3]):
            raise game.Malformed("lists that cannot be")
        if has[0]:
            self._ticks(bits, now, age, lambda tick: content["inputs"].append(
                (tick, self._player(base[bits.one_of(members)]), changes_of(self.game.input, bits))))
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
    def _player(member):
        if member is None or game.class_of(member) != 0:
            raise game.Malformed("an input of an entity that no player controls")
        return member

    def _exits(self, bits, base):
        is_bitmap, places = bits.take(1), []
        self.has_bit_for_each = is_bitmap == 1
        if is_bitmap:
            places = [place for place in range(len(base)) if bits.take(1)]
        else:
            while bits.take(1):
                places.append(bits.one_of(len(base)))
        if places != sorted(set(places)):
            raise game.Malformed("the exits do not ascend")
        each = 1 + max(len(base) - 1, 0).bit_length()
        if is_bitmap != (len(base) < len(places) * each + 1):
            raise game.Malformed("the exits are not in their shortest form")
        return [base[place] for place in places]

    def _rows(self, bits, now, base):
        origin = bits.signed(16) * UNIT, bits.signed(16) * UNIT
        rows = []
        while bits.take(1):
            if base is not None and bits.take(1):
                name = base[bits.one_of(len(base))]
            else:
                name = game.take_id(bits, now)
                if base is not None and name in base:
                    raise game.Malformed("a member of the base is named by its id")
            rows.append(self._with_input(bits, self.game.row(bits, name, origin)))
        return self._sorted(rows)

    @staticmethod
    def _sorted(rows):
        ids = [row["id"] for row in rows if row["id"] is not None]
        if ids != sorted(set(ids)) or len(rows) > MEMBERS_MAX:
            raise game.Malformed("the rows are not sorted by id, or too many")
        return rows

    def _with_input(self, bits, row):
        if row["id"] is not None and game.class_of(row["id"]) == 0:
            row["input"] = self.game.input.sparse_bits(bits)
        return row

    def whole_view(self, data, now):
        """The members of a view, and its room, as one end of a desync sends it."""
        bits = game.BitReader(data)
        room, rows = self.game.room.sparse_bits(bits), []
        while bits.take(1):
            rows.append(self._with_input(bits, self.game.whole_row(bits, now)))
        bits.end()
        return self._sorted(rows), room

    def view_hash(self, frame, members):
        """The hash of a view with these members of a keyframe."""
        entities = {entity["id"]: entity for entity in frame["entities"]}
        rows = [dict(entities[member]) for member in members]
        for row in rows:
            if game.class_of(row["id"]) == 0:
                row["input"] = frame["seats"][game.seat_of(row["id"])]["input"]
        return self.rows_hash(rows, frame["room"])

    def rows_hash(self, rows, room):
        """The hash of a view with these members, as a snapshot has it."""
        total = xxhash.xxh3_64_intdigest(self.game.room.canonical(room), 0)
        for row in rows:
            total += self.game.entity_hash(row)
            if "input" in row:
                held = self.game.input.canonical(row["input"])
                total += xxhash.xxh3_64_intdigest(held, game.seat_of(row["id"]))
        return total & 0xFFFFFFFF

    def events(self, data):
        """(number, age, kind, seat, value) of each; kind 0 is the new state of the player in a seat."""
        if not data:
            return []
        bits = game.BitReader(data)
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
        if not 1 <= len(events) <= EVENTS_MAX:
            raise game.Malformed(f"{len(events)} events")
        return events
