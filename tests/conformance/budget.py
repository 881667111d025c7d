"""What one client may be sent in snapshots: some bytes a second, and after a rest some at once."""

from math import inf

NS = 1_000_000_000
BYTES_PER_SECOND = 64_000
BURST = 16_000
BYTES_MIN = 400  # with less no snapshot is sent
SLACK = 2  # bytes: fractions


class Budget:
    def __init__(self):
        self.left = BURST
        self.at = -inf

    def level(self, now):
        return min(BURST, self.left + (now - self.at) * BYTES_PER_SECOND / NS)

    def was_short(self, now, tick_rate):
        """Whether there was too little for a snapshot in the tick before."""
        return self.level(now) - BYTES_PER_SECOND / tick_rate < BYTES_MIN + SLACK

    def spend(self, now, size):
        """Whether there was so much."""
        level = self.level(now)
        self.left, self.at = level - size, now
        return level + SLACK >= size
