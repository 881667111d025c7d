"""FlatBuffers as the page's part "Messages" describes them: one root table, read with every offset checked."""

import struct

from game import Malformed


def need(holds, what):
    if not holds:
        raise Malformed(what)


class Number:
    """A field whose value lies in the table."""

    def __init__(self, name, code):
        self.name = name
        self.layout = struct.Struct("<" + code)
        self.align = self.layout.size

    def read(self, data, at):
        return self.layout.unpack_from(data, at)[0]


class Struct:
    """A field of several values that lie in the table, as `of` unpacks them."""

    def __init__(self, name, of, layout, align):
        self.name = name
        self.of = of
        self.layout = layout
        self.align = align

    def read(self, data, at):
        return self.of(data, at)


class Place(Struct):
    """A field in the table, read as its offset in the data."""

    def __init__(self, field):
        super().__init__(field.name, lambda _, at: at, field.layout, field.align)


OFFSET = struct.Struct("<I")


class Vector:
    """A field that is an offset to a count and that number of elements of `size` bytes; its value is their places."""

    def __init__(self, name, size, align):
        self.name = name
        self.layout = OFFSET
        self.align = OFFSET.size
        self.size = size
        self.element_align = align

    def read(self, data, at):
        return self.elements(data, *self.find(data, at))

    def elements(self, data, start, count):
        return range(start, start + count * self.size, self.size)

    def find(self, data, at):
        counted = at + u32(data, at)
        if counted % OFFSET.size:
            raise Malformed(f"{self.name}: count not aligned")
        count = u32(data, counted)
        start = counted + OFFSET.size
        if start + count * self.size > len(data):
            raise Malformed(f"{self.name}: {count} elements reach over the end")
        if start % self.element_align:
            raise Malformed(f"{self.name}: elements not aligned")
        return start, count


class Bytes(Vector):
    """A vector of bytes; its value is the bytes."""

    def __init__(self, name):
        super().__init__(name, 1, 1)

    def elements(self, data, start, count):
        return data[start : start + count]


class String(Bytes):
    """Bytes with a zero after the last."""

    def read(self, data, at):
        start, count = self.find(data, at)
        if start + count >= len(data) or data[start + count] != 0:
            raise Malformed(f"{self.name}: no zero after the last byte")
        return data[start : start + count]


def u32(data, at):
    if at < 0 or at + OFFSET.size > len(data):
        raise Malformed(f"an offset at {at} of {len(data)} bytes")
    return OFFSET.unpack_from(data, at)[0]


def read_root(data, fields):
    """The fields of the root table by name; None for an absent field that is no number."""
    table = u32(data, 0)
    u32(data, table)  # the table begins within the message
    vtable = table - struct.unpack_from("<i", data, table)[0]
    if table % 4 or vtable % 2 or vtable < 0 or vtable + 4 > len(data):
        raise Malformed("table or vtable out of place")
    vtable_bytes, table_bytes = struct.unpack_from("<HH", data, vtable)
    if vtable_bytes < 4 or vtable_bytes % 2 or vtable + vtable_bytes > len(data):
        raise Malformed(f"vtable of {vtable_bytes} bytes")
    if table_bytes < 4 or table + table_bytes > len(data):
        raise Malformed(f"table of {table_bytes} bytes")
    values = {}
    for number, field in enumerate(fields):
        entry = 4 + 2 * number
        inside = struct.unpack_from("<H", data, vtable + entry)[0] if entry < vtable_bytes else 0
        if inside == 0:
            values[field.name] = 0 if isinstance(field, Number) else None
            continue
        at = table + inside
        if inside < 4 or inside + field.layout.size > table_bytes:
            raise Malformed(f"{field.name}: outside its table")
        if at % field.align:
            raise Malformed(f"{field.name}: not aligned")
        values[field.name] = field.read(data, at)
    return values
