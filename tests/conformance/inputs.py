"""A client's inputs as the server has them: one for each tick, its own or a substituted one."""

AHEAD_MAX = 64  # ticks
LATE_MAX = 64  # ticks; an input that is later is not even counted
REPEATS_MAX = 8


class Inputs:
    def __init__(self, opened):
        self.opened = opened  # the tick of the room when the session began
        self.used = opened  # the last tick that has used its input
        self.held = {}  # by tick
        self.missed = set()  # ticks without one of their own
        self.given = opened  # the last tick with one of its own
        self.last = None  # values; None: those by default
        self.substituted = 0
        self.late = 0

    def arrive(self, tick, given):
        """The first input for a tick counts; if it comes after its tick, it is late."""
        if tick in self.missed and tick + LATE_MAX > self.used:
            self.missed.remove(tick)
            self.late += 1
        elif self.used < tick <= self.used + AHEAD_MAX:
            self.held.setdefault(tick, given)

    def use(self, tick):
        """The values of this tick's input; None: those by default."""
        self.used = tick
        given = self.held.pop(tick, None)
        if given is not None:
            self.given, self.last = tick, given.values
            return given.values
        self.substituted += 1
        self.missed.add(tick)
        self.missed.discard(tick - LATE_MAX)
        return self.last if tick - self.given <= REPEATS_MAX else None

    def complete(self):
        """The tick up to which all inputs have come or were given up."""
        tick = self.used
        while tick + 1 in self.held:
            tick += 1
        return tick
