"""The page's part "Audits": the entries that flow to an auditing client. game.py reads what they hold."""

import struct

from game import NEUTRAL, Reader
from flatbuffer import need

RECEIVED, REPEATED = 0, 1  # sources of an input, beside NEUTRAL
LENGTH_BYTES_MAX = 5
HASH = struct.Struct("<Q")

assert NEUTRAL == 2


def take_entry(stream):
    """The next entry without its length, and the bytes behind it; None where it is not whole."""
    length = stream[:LENGTH_BYTES_MAX]
    if len(length) < LENGTH_BYTES_MAX and all(byte >= 128 for byte in length):
        return None
    head = Reader(length)
    size = head.number()
    need(size >= 1, "an entry of no bytes")
    if len(stream) < head.at + size:
        return None
    return stream[head.at : head.at + size], stream[head.at + size :]


def read_tick(entry):
    """The state hash, and the record of the tick."""
    need(len(entry) >= HASH.size, "an entry that is too short for a hash")
    return HASH.unpack_from(entry)[0], entry[HASH.size :]
