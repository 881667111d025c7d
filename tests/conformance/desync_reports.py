"""Reports of views that came out wrong: the page's part "Reporting a wrong view"."""

from flatbuffer import Malformed

ROUND_MIN = 400_000_000  # ns
BEGINS_EVERY = 5_000_000_000  # ns, of a session


def name_of(head):
    return head.tick, head.said, head.made, head.base_age


class Report:
    """What one end has sent of one view."""

    def __init__(self, name, now):
        self.name = name
        self.began = now
        self.parts = {}  # number → bytes
        self.count = None

    def add(self, part, check):
        """Each part is the same each time, and they agree on how many there are."""
        check(self.count in (None, part.head.parts), "trace", "another number of parts than before")
        self.count = part.head.parts
        before = self.parts.setdefault(part.head.part, part.bytes)
        check(before == part.bytes, "trace", f"part {part.head.part} is another than before")

    def whole(self):
        return self.count is not None and len(self.parts) == self.count

    def check_hash(self, expected, world, whose):
        """Once all parts are there."""
        check = world.findings.check
        if not self.whole():
            return
        data = b"".join(self.parts[number] for number in sorted(self.parts))
        try:
            rows, room = world.views.whole_view(data, self.name[0])
        except Malformed as fault:
            world.findings.add("trace", f"{whose} view: {fault}")
            return
        made = world.views.rows_hash(rows, room)
        check(made == expected, "trace", lambda: f"{whose} view has hash {made:08x}, not {expected:08x}")


class ClientReports:
    """What a client sends."""

    def __init__(self):
        self.current = None
        self.input_since = True
        self.wrong = {}  # tick → hash as the snapshot told it

    def sent(self, now, part, world):
        findings, head = world.findings, part.head
        check = findings.check
        check(self.input_since, "trace", "two TRACEs and no INPUT between them")
        self.input_since = False
        name = name_of(head)
        if self.current is None or self.current.name != name:
            soon = self.current is not None and now - self.current.began < BEGINS_EVERY
            check(not soon, "trace", "another view within 5 s")
            self.current = Report(name, now)
            findings.saw("view traced")
        told = self.wrong.get(head.tick)
        check(told == head.said, "trace", "of a view that was not wrong, or of another hash")
        self.current.add(part, check)
        self.current.check_hash(head.made, world, "the client's")


class ServerReports:
    """What a server has been sent, and answers."""

    def __init__(self):
        self.arrived = {}  # by name → Report
        self.answered = {}
        self.bytes_in = {}
        self.bytes_out = {}

    def took(self, now, part, size):
        name = name_of(part.head)
        trace = self.arrived.setdefault(name, Report(name, now))
        trace.add(part, lambda *_: None)
        self.bytes_in[name] = self.bytes_in.get(name, 0) + size

    def sent(self, now, part, size, world):
        findings, head = world.findings, part.head
        check, name = findings.check, name_of(head)
        asked = self.arrived.get(name)
        if not check(asked is not None, "trace", "a DESYNC_STATE of what nobody has asked"):
            return
        self.bytes_out[name] = self.bytes_out.get(name, 0) + size
        within = self.bytes_out[name] <= self.bytes_in[name]
        check(within, "amplification", f"{self.bytes_out[name]} bytes for {self.bytes_in[name]}")
        if head.parts == 0:
            findings.saw("view forgotten")
            return
        check(asked.whole(), "trace", "a DESYNC_STATE before all of the client's view has come")
        check(head.arrived == 2**asked.count - 1, "trace", "the client's parts are not named as arrived")
        trace = self.answered.setdefault(name, Report(name, now))
        trace.add(part, check)
        trace.check_hash(head.said, world, "the server's")
        if head.parts > 1:
            findings.saw("view in parts")
        if trace.whole():
            findings.saw("wrong view answered")
