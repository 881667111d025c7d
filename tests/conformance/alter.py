"""A capture with something changed in it, sealed again with the right keys, so that nothing but the change is wrong."""

import struct

from nacl import bindings

import compact
import crypto
import layouts
import messages
from compact import read_compact
from flatbuffer import Bytes, Place, Vector, read_root


def place(field):
    return Vector(field.name, 1, 1) if isinstance(field, Bytes) else Place(field)


PLACES = {
    layouts.ACCEPT: [place(field) for field in messages.ACCEPT],
    layouts.INPUT: [place(field) for field in messages.INPUT_MESSAGE],
    layouts.DISCONNECT: [Place(messages.DISCONNECT[0])],
    layouts.CHALLENGE: [Place(messages.PATH_CHECK[0])],
    layouts.SNAPSHOT: [place(field) for field in messages.SNAPSHOT],
}


def places(kind, message):
    """Where each field lies; of a vector, where its elements do."""
    read = read_compact if kind in (layouts.INPUT, layouts.SNAPSHOT) else read_root
    return tuple(read(message, PLACES[kind]).values())


def with_fields(message, **fields):
    """The snapshot with other bytes in these fields; None: without the field."""
    numbers = {each.name: number for number, each in enumerate(messages.SNAPSHOT)}
    return compact.altered(message, messages.SNAPSHOT, {numbers[name]: value for name, value in fields.items()})


def without(message, *names):
    return with_fields(message, **dict.fromkeys(names))


def flipped(data, at, bit=0):
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def put(data, at, code, value):
    packed = struct.pack("<" + code, value)
    return data[:at] + packed + data[at + len(packed) :]


def seal(key, sequence, clear, message):
    nonce = bytes(4) + struct.pack("<Q", sequence)
    return bindings.crypto_aead_chacha20poly1305_ietf_encrypt(message, clear, nonce, key)


def seal_drawn(key, nonce, clear, message):
    return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(message, clear, nonce, key)


class Capture:
    """The events of a capture, and the reader that has read them all and so has their keys."""

    def __init__(self, events, reader):
        self.events = events
        self.reader = reader

    def find(self, event, kind, nth=0, where=lambda data: True):
        """The number of the line with the nth datagram of this type."""
        return self.nth_line(event, kind, nth, lambda number: where(self.data(number)))

    def find_message(self, event, kind, nth=0, where=lambda message: True):
        """The number of the line with the nth packet of this type; `where` looks at the message in it."""
        return self.nth_line(event, kind, nth, lambda number: where(self.message(number)))

    def nth_line(self, event, kind, nth, where):
        for number, each in enumerate(self.events):
            if each["event"] == event and layouts.type_of(data_of(each)) == kind and where(number):
                if nth == 0:
                    return number
                nth -= 1
        raise LookupError(f"no such {event} of type {kind}")

    def messages(self, event, kind):
        """The messages of all packets of this type."""
        for number, each in enumerate(self.events):
            if each["event"] == event and layouts.type_of(data_of(each)) == kind:
                yield self.message(number)

    def message(self, number):
        return self.open(self.chain(number), self.data(number))

    def data(self, number):
        return data_of(self.events[number])

    def with_data(self, changed):
        """All lines, with other data where `changed` has the number of the line; None takes the line out."""
        events = []
        for number, event in enumerate(self.events):
            if number not in changed:
                events.append(event)
            elif changed[number] is not None:
                events.append(event | {"hex": changed[number].hex()})
        return events

    def with_line(self, number, event):
        return self.events[:number] + [event] + self.events[number:]

    def chain(self, number):
        """The keys under which the sealed packet of this line was sent."""
        end = "client" if self.events[number]["event"] == "client_sent" else "server"
        for session in self.reader.world.sessions[layouts.connection_of(self.data(number))]:
            chain = getattr(session, end).sender.chain
            if self.open(chain, self.data(number)) is not None:
                return chain
        raise LookupError("a packet of nobody's")

    @staticmethod
    def open(chain, data):
        sequence = layouts.sequence_bits(data)  # the whole sequence: such captures are short
        head = layouts.PACKET_HEAD_BYTES
        return crypto.unseal(chain.of(sequence), sequence, data[:head], data[head:], chain.cipher)

    def resealed(self, number, change):
        """The packet of this line with another message."""
        data, chain = self.data(number), self.chain(number)
        clear = data[: layouts.PACKET_HEAD_BYTES]
        sequence = layouts.sequence_bits(data)
        return clear + seal(chain.of(sequence), sequence, clear, change(self.open(chain, data)))


def data_of(event):
    return bytes.fromhex(event.get("hex", ""))
