#!/usr/bin/python3
"""Reads captured traffic and says where it breaks the protocol standard, schema/README.md.

It learns the game from the descriptor in the capture. It was written from the pages alone: no line of the product is
used or was looked at, so the pages are tested as much as the traffic is.

    reader.py [--require WHAT]… CAPTURE      a file, or - for standard input

Exits with 0 where nothing is wrong and all that is required was seen, with 3 where not, with 2 where the file
is no capture. README.md beside this file says what a capture is.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import json
import pathlib

import layouts
from client import Clients
from credentials import BadCredential
from findings import Findings
from server_requests import ServerRequests
from server_packets import GOODBYES, ServerPackets
from world import World

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "schema"
SCHEMA_FILE = "wire.fbs"
WRONG = 3
UNUSABLE = 2


class Reader:
    """Reads a capture, one event after the other."""

    def __init__(self):
        self.findings = Findings()
        self.world = None
        self.requests = None
        self.unanswered = []
        self.dropped = {}  # by name, of this server

    def read(self, event):
        self.findings.line += 1
        name = event["event"]
        if self.world is None and name != "start":
            raise ValueError("a capture begins with what the server is")
        if name == "start":
            schema = layouts.schema_hash((SCHEMA / SCHEMA_FILE).read_bytes())
            self.world = World(event, schema, self.findings)
            self.clients = Clients(self.world)
            self.begin_server()
        elif name == "restart":
            self.world.restart(event)
            self.begin_server()
        elif name == "token":
            self.world.hand_out(event["token"])
        elif name == "drawn":
            self.world.draw(bytes.fromhex(event["hex"]))
        elif name == "tick":
            self.world.play.pass_tick(event["tick"], self.world.all_sessions)
        elif name == "stop":
            self.world.draining = True
        elif name == "dropped":
            self.compare_drops(event["counts"])
        else:
            self.pass_datagram(event)

    def begin_server(self):
        if self.requests is not None:
            self.requests.settle()
            self.unanswered += self.requests.unanswered
        self.requests = ServerRequests(self.world)
        self.packets = ServerPackets(self.world, self.requests.door)
        self.dropped = {}

    def pass_datagram(self, event):
        now = event["ns"]
        data = bytes.fromhex(event["hex"])
        peer = layouts.read_address(event["peer"])
        self.packets.pass_time(now)
        name = event["event"]
        if name == "server_took":
            self.requests.settle()
            self.server_took(now, peer, data)
        elif name == "server_sent":
            self.server_sent(now, peer, data)
        elif name == "client_took":
            self.clients.arrived(now, peer, data)
        elif name == "client_sent":
            self.clients.sent(now, peer, data)
        else:
            raise ValueError(f"no event: {name}")

    def server_took(self, now, peer, data):
        side = self.requests if layouts.type_of(data) in layouts.ASKS else self.packets
        name = side.arrived(now, peer, data)
        if name is not None:
            self.dropped[name] = self.dropped.get(name, 0) + 1
            self.findings.saw(f"dropped as {name} by the server")

    def server_sent(self, now, peer, data):
        kind = layouts.type_of(data)
        answers = (layouts.COOKIE, layouts.ACCEPT, layouts.REFUSE)
        to_client = kind in answers or kind in layouts.SEALED_TO_CLIENT
        if not self.findings.check(to_client, "type", f"{kind} from the server"):
            return
        if not self.world.check_size(data, kind):
            return
        side = self.requests if kind in answers else self.packets
        side.sent(now, peer, data, kind)

    def compare_drops(self, counts):
        """What the server says that it dropped, beside what the page says that it must have."""
        for name in sorted(set(counts) | set(self.dropped)):
            said, owed = counts.get(name, 0), self.dropped.get(name, 0)
            self.findings.check(said == owed, "dropped", f"{name}: {said} counted, {owed} owed")

    def finish(self):
        if self.world is None:
            raise ValueError("empty")
        self.begin_server()
        for waiting in self.unanswered:
            self.findings.line = waiting.line
            self.findings.add("answer", f"a {layouts.NAMES[waiting.request.type]} was never answered")
        for session in self.world.all_sessions:
            for said in (len(session.server.goodbyes), session.client.goodbyes):
                self.findings.check(said in (0, GOODBYES), "goodbye", f"said {said} times")
            silent = len(session.client.challenges)
            self.findings.check(silent == 0, "challenge", f"{silent} of a session were not answered")
        self.findings.seen["sessions"] = len(self.world.all_sessions)


def main():
    parser = argparse.ArgumentParser(description="Reads captured traffic by schema/README.md alone.")
    parser.add_argument("--require", action="append", default=[], help="what has to be seen at least once")
    parser.add_argument("capture")
    options = parser.parse_args()
    reader = Reader()
    try:
        with sys.stdin if options.capture == "-" else open(options.capture, encoding="utf-8") as lines:
            for line in lines:
                reader.read(json.loads(line))
        reader.finish()
    except (ValueError, KeyError, OSError, BadCredential) as fault:
        print(f"reader.py: line {reader.findings.line}: {fault}", file=sys.stderr)
        return UNUSABLE
    findings = reader.findings
    for what in options.require:
        if findings.seen[what] == 0:
            findings.add("require", f"not seen: {what}")
    for what, count in sorted(findings.seen.items()):
        print(f"{count:8} {what}")
    findings.report(sys.stderr)
    return WRONG if findings.broken else 0


if __name__ == "__main__":
    sys.exit(main())
