"""Fields taken from the front of bytes, as the page writes them: of fixed width, or numbers of 7 bits a byte."""

import struct

from flatbuffer import need


class Front:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, code):
        layout = struct.Struct("<" + code)
        need(self.at + layout.size <= len(self.data), "bytes end too early")
        values = layout.unpack_from(self.data, self.at)
        self.at += layout.size
        return values if len(values) > 1 else values[0]

    def number(self, bits=32):
        value, shift = 0, 0
        while True:
            byte = self.take("B")
            value |= (byte & 127) << shift
            if byte < 128:
                need(byte > 0 or shift == 0, "a number in a longer form")
                need(value < 2**bits, f"a number beyond {bits} bits")
                return value
            shift += 7
            need(shift < 35, "a number without an end")

    def bytes(self, count):
        need(count <= self.left(), "bytes end too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def left(self):
        return len(self.data) - self.at
