"""One direction of a session, seen from either end: what a sender numbers, and what a receiver takes."""

import layouts
from crypto import EPOCH_PACKETS, KeyChain, unseal

WINDOW = 1_024


def open_packet(chain, sequence, data):
    clear = data[: layouts.PACKET_HEAD_BYTES]
    return unseal(chain.of(sequence), sequence, clear, data[layouts.PACKET_HEAD_BYTES :], chain.cipher)


class Sender:
    """Numbers its packets 1, 2, 3 …"""

    def __init__(self, key, cipher):
        self.chain = KeyChain(key, cipher)
        self.last = 0

    def opens(self, data):
        sequence = layouts.nearest_sequence(layouts.sequence_bits(data), self.last + 1)
        return open_packet(self.chain, sequence, data) is not None

    def read(self, data):
        """The sequence that a datagram must have to open, and its message; None where it opens under none near."""
        sequence = layouts.nearest_sequence(layouts.sequence_bits(data), self.last + 1)
        message = open_packet(self.chain, sequence, data)
        self.last = max(self.last, sequence) if message is not None else self.last
        return sequence, message


class Receiver:
    """Takes each sequence once, and none that is too old; the page's steps 4 to 6."""

    def __init__(self, key, cipher):
        self.chain = KeyChain(key, cipher)
        self.newest = 0
        self.taken = 0
        self._window = set()

    def read(self, data):
        """The sequence and the message; or why it is dropped, and None."""
        sequence = layouts.nearest_sequence(layouts.sequence_bits(data), self.newest)
        far = sequence // EPOCH_PACKETS > self.newest // EPOCH_PACKETS + 1
        if sequence == 0 or sequence in self._window or sequence + WINDOW <= self.newest or far:
            return "replayed", None
        message = open_packet(self.chain, sequence, data)
        if message is None:
            return "forged", None
        self._window.add(sequence)
        self.taken += 1
        self.newest = max(self.newest, sequence)
        if len(self._window) > 4 * WINDOW:
            self._window = {each for each in self._window if each + WINDOW > self.newest}
        return sequence, message
