"""The views that a session was sent, and the one on which the next has to be built."""

from budget import NS, Budget

ASKS_PER_SECOND = 1
ASKS_AT_ONCE = 2
REMEMBERED = 64  # ticks
UNPROVEN_FREE = 4  # snapshots to a client without proof, at one a second
UNPROVEN_ANSWERS = 3  # bytes beyond those snapshots, for each byte that it sends
INTERVALS = 5  # between snapshots: the age of a base beyond the round trip
TENTHS_LEAST = 3  # of a second, as which these count at least


def base_age_max(tick_rate):
    """A second, within limits."""
    return min(max(tick_rate, 24), 60)


class RoundTrip:
    """Ticks from a snapshot to its acknowledgement: the least, which grows by one a second at most.

    A packet may arrive just before or after a tick, so there are two bounds."""

    def __init__(self):
        self.low = None
        self.high = None
        self.measured = 0  # tick of the last

    def measure(self, ticks, now, tick_rate):
        grown = self.high_at(now, tick_rate)
        self.low = ticks if self.low is None else min(self.low, ticks)
        self.high = ticks + 1 if grown is None else min(grown, ticks + 1)
        self.measured = now

    def high_at(self, now, tick_rate):
        return None if self.high is None else self.high + 1 + (now - self.measured) // tick_rate


def unproven_interval(silent, tick_rate):
    """The least ticks between two snapshots to a client that has been silent for that long."""
    if silent < NS // 4:
        return 0
    return tick_rate if silent >= NS else tick_rate // 5


class SentViews:
    def __init__(self):
        self.last = 0  # tick of the last
        self.recent = [0] * INTERVALS  # ticks of the last ones, the oldest first
        self.round_trip = RoundTrip()
        self.views = {}  # by tick; None where it cannot be known
        self.receipts = {}  # of the views, by tick
        self.base = None  # tick of the newest that was acknowledged
        self.base_then = None  # the same as it was at the last snapshot
        self.proven = 0  # ns: when it was last proven that the client receives its snapshots
        self.proven_then = 0  # the same as it was at the last snapshot
        self.unproven_in = 0  # bytes from the client since then
        self.unproven_slow = 0  # snapshots sent to it after a second without a proof
        self.unproven_out = 0  # bytes of those beyond the first few
        self.status = 0  # tick of the last that told the status
        self.budget = Budget()
        self.events = {}  # by number, which here goes on beyond 2^16: when, and what
        self.newest_event = 0
        self.events_had = 0  # the newest that the client has acknowledged
        self.asks_left = ASKS_AT_ONCE
        self.asked = 0  # ns

    def add(self, tick, view, receipt):
        self.last = tick
        self.recent = self.recent[1:] + [tick]
        self.views[tick] = view
        self.receipts[tick] = receipt
        for old in [each for each in self.views if each + REMEMBERED < tick]:
            del self.views[old], self.receipts[old]

    def acknowledge(self, now, tick, receipt, present, tick_rate):
        """Whether the receipt proves that the view was received."""
        if self.receipts.get(tick) != receipt:
            return False
        if self.base is None or tick > self.base:
            self.base = tick
            self.round_trip.measure(present - tick, present, tick_rate)
            self.proven = now
            self.unproven_in = self.unproven_slow = self.unproven_out = 0
        return True

    def spend_unproven(self, size):
        """Counts a snapshot to a client that has been silent for a second; whether it may be sent so much."""
        self.unproven_slow += 1
        if self.unproven_slow <= UNPROVEN_FREE:
            return True
        self.unproven_out += size
        return self.unproven_out <= UNPROVEN_ANSWERS * self.unproven_in

    def acknowledge_events(self, low):
        number = self.newest_event - (self.newest_event - low) % 2**16
        if number >= self.events_had:
            self.events_had = number

    def throw_away(self, now):
        """The client asks for a full view. Returns whether it gets one."""
        left = min(ASKS_AT_ONCE, self.asks_left + (now - self.asked) / NS * ASKS_PER_SECOND)
        self.asks_left, self.asked = left - (1 if left >= 1 else 0), now
        if left >= 1:
            self.base = None
        return left >= 1

    def has_base(self, tick, tick_rate):
        """Whether there is a base that is young enough: surely, and possibly."""
        if self.base is None:
            return False, False
        most = base_age_max(tick_rate)
        intervals = max(TENTHS_LEAST * tick_rate // 10, tick - self.recent[0])
        age = tick - self.base
        surely = age <= min(most, self.round_trip.low + intervals)
        return surely, age <= min(most, self.round_trip.high_at(tick, tick_rate) + intervals)
