#!/usr/bin/python3
"""Shows that the reader can fail: captures are altered, one thing each, and it has to name the rule that is broken.

    reader_test.py CAPTURE_PROGRAM [unittest options]
"""

import sys

sys.dont_write_bytecode = True

import json
import struct
import subprocess
import unittest

import alter
import credentials
import crypto
import layouts
import messages
from alter import flipped, places, put
from audit_entries import ENTRY_MAX, NEUTRAL, RAY, RECEIVED, REPEATED, SHOOT, TickLog
from audit_entries import read_keyframe, read_tick, take_entry
from causes import Bytes, read_input, read_shot
from events import SPAWN
from flatbuffer import Malformed
from reader import Reader

HEAD = layouts.PACKET_HEAD_BYTES
PLAYING = 60  # packets of a type after which everybody plays


def read(events, until=frozenset()):
    """Reads all, or as far as one of these rules is found broken."""
    reader = Reader()
    broken = reader.findings.broken
    for event in events:
        reader.read(event)
        if broken and until & {rule for _, rule, _ in broken}:
            return reader
    reader.finish()
    return reader


def snapshot_places(message):
    return dict(zip((field.name for field in messages.SNAPSHOT), places(layouts.SNAPSHOT, message)))


def at_places(change):
    return lambda message: change(message, snapshot_places(message))


def last_player(message, at):
    return max(each for each in at["bodies"] if message[each + 14] >> 6 == messages.PLAYER)


class Scene(unittest.TestCase):
    name = "match"

    @classmethod
    def setUpClass(cls):
        played = subprocess.run([PROGRAM, cls.name], check=True, capture_output=True, text=True)
        events = [json.loads(line) for line in played.stdout.splitlines()]
        cls.match = alter.Capture(events, read(events))

    def assert_found(self, rules, events):
        """That the reader finds one of these rules broken."""
        rules = set(rules.split())
        found = {rule for _, rule, _ in read(events, until=rules).findings.broken}
        self.assertTrue(found & rules, f"found: {found}")

    def alter_message(self, number, change):
        return self.match.with_data({number: self.match.resealed(number, change)})

    def snapshot_with(self, has, nth=3):
        """One for whose places that holds, and not of the first."""
        where = lambda message: has(snapshot_places(message))
        return self.match.find_message("server_sent", layouts.SNAPSHOT, nth, where)


class AlteredCrowd(Scene):
    """Here entities come in their wide form."""

    name = "crowd"

    def test_each_limit_of_an_entity(self):
        number = self.snapshot_with(lambda at: at["wide"], nth=0)
        for at, code, value in [(0, "I", 5), (4, "i", 2**30 - 2**20 + 1), (12, "i", -(2**28) - 1), (20, "B", 3)] + [
            (21, "B", 9),
            (23, "B", 1),
        ]:
            with self.subTest(at=at):
                change = at_places(lambda message, places: put(message, places["wide"][0] + at, code, value))
                self.assert_found("message", self.alter_message(number, change))

    def test_an_entity_that_fits_a_body(self):
        def slow_down(message, at):
            first = at["wide"][0]
            small = struct.pack("<I8xii3Bx", 2 << 30, 0, 0, 2, 0, 1)
            return message[:first] + small[:4] + message[first + 4 : first + 12] + small[12:] + message[first + 24 :]

        number = self.snapshot_with(lambda at: at["wide"], nth=0)
        self.assert_found("message", self.alter_message(number, at_places(slow_down)))


class Altered(Scene):
    def snapshot(self, nth=PLAYING):
        return self.match.find("server_sent", layouts.SNAPSHOT, nth)

    def full_view(self):
        where = lambda message: messages.read_snapshot(message).head.base_age == 0
        return self.match.find_message("server_sent", layouts.SNAPSHOT, where=where)

    def input(self, nth=PLAYING):
        return self.match.find("client_sent", layouts.INPUT, nth)

    def request_lines(self, kind):
        """One request as it was sent, and all its arrivals."""
        sent = self.match.data(self.match.find("client_sent", kind))
        same = (n for n, e in enumerate(self.match.events) if alter.data_of(e) == sent)
        return sent, list(same)

    def alter_request(self, kind, change):
        sent, numbers = self.request_lines(kind)
        return self.match.with_data({number: change(sent) for number in numbers})

    def test_nothing_is_found_in_what_was_not_altered(self):
        self.assertEqual(self.match.reader.findings.broken, [])

    # One bit.

    def test_a_bit_of_any_part_of_a_snapshot(self):
        number = self.snapshot()
        data = self.match.data(number)
        for at in (1, 5, HEAD, len(data) - 1):
            with self.subTest(at=at):
                events = self.match.with_data({number: flipped(data, at)})
                self.assert_found("seal stranger", events)

    def test_a_bit_of_an_input(self):
        number = self.input()
        self.assert_found("seal", self.match.with_data({number: flipped(self.match.data(number), HEAD)}))

    def test_a_bit_of_an_accept(self):
        number = self.match.find("server_sent", layouts.ACCEPT)
        for at in (5, layouts.ACCEPT_HEAD_BYTES):
            events = self.match.with_data({number: flipped(self.match.data(number), at)})
            self.assert_found("seal", events)

    def test_a_bit_of_what_arrived(self):
        number = self.match.find("server_took", layouts.INPUT, PLAYING)
        events = self.match.with_data({number: flipped(self.match.data(number), HEAD)})
        self.assert_found("received", events)

    def test_a_bit_of_a_tag(self):
        self.assert_found("tag", self.alter_request(layouts.CONNECT, lambda data: flipped(data, 1_199)))
        self.assert_found("tag", self.alter_request(layouts.RESUME, lambda data: flipped(data, 1_199)))

    def test_a_bit_of_what_has_to_be_zero(self):
        self.assert_found("request", self.alter_request(layouts.HELLO, lambda data: flipped(data, 1_000)))

    # Sequences.

    def test_a_sequence_sent_twice(self):
        for number in (self.snapshot(), self.input()):
            events = self.match.with_line(number, self.match.events[number])
            self.assert_found("sequence", events)
            self.assert_found("sequence", self.match.with_data({number: None}))

    def test_a_key_and_nonce_used_for_two_messages(self):
        number = self.snapshot()
        again = dict(self.match.events[number])
        again["hex"] = self.match.resealed(number, lambda message: flipped(message, len(message) - 1)).hex()
        self.assert_found("key_nonce", self.match.with_line(number + 1, again))

    def test_each_field_of_an_accept(self):
        number = self.match.find("server_sent", layouts.ACCEPT, 4)  # others play already
        data = self.match.data(number)
        session = next(s for s in self.match.reader.world.all_sessions if s.datagram == data)
        clear = data[: layouts.ACCEPT_HEAD_BYTES]
        message = crypto.unseal(session.keys.to_client, 0, clear, data[len(clear) :])
        fields = dict(zip((field.name for field in messages.ACCEPT), places(layouts.ACCEPT, message)))
        for rule, name, change in [
            ("accept", "tick_rate", lambda at: flipped(message, at)),
            ("message", "tick_rate", lambda at: put(message, at, "H", 0)),
            ("message", "player", lambda at: flipped(message, at)),
            ("message", "body", lambda at: flipped(message, at + 3, 6)),
            ("accept", "tick", lambda at: put(message, at, "I", 0)),
            ("accept", "map_seats", lambda at: flipped(message, at, 3)),
            ("message", "map_seats", lambda at: put(message, at, "I", 4_097)),
            ("accept", "map_hash", lambda at: flipped(message, at)),
            ("accept", "boot", lambda at: flipped(message, at)),
            ("accept", "room", lambda at: flipped(message, at)),
            ("accept", "rules", lambda at: flipped(message, at.start)),
            ("accept", "ticket", lambda at: flipped(message, at.start)),
            ("message", "ticket", lambda at: put(message, at.start - 4, "I", 134)),
        ]:
            with self.subTest(name=name):
                sealed = clear + alter.seal(session.keys.to_client, 0, clear, change(fields[name]))
                self.assert_found(rule, self.match.with_data({number: sealed}))

    def test_an_accept_sealed_twice(self):
        number = self.match.find("server_sent", layouts.ACCEPT)
        self.assert_found("seal", self.match.with_line(number + 1, self.match.events[number]))

    # Snapshots.

    def test_two_bodies_swapped(self):
        number = self.snapshot_with(lambda at: len(at["bodies"] or ()) >= 2)

        def swap(message, at):
            first, second = at["bodies"][:2]
            a, b = (message[each : each + 16] for each in (first, second))
            return message[:first] + b + a + message[second + 16 :]

        self.assert_found("message", self.alter_message(number, at_places(swap)))

    def test_a_full_view_that_is_not_the_rooms(self):
        for rule, change in [
            ("view", lambda message, at: flipped(message, at["head"])),
            ("view", lambda message, at: flipped(message, at["bodies"][0] + 4)),
            ("sight", lambda message, at: flipped(message, at["bodies"][0] + 2, 6)),
            ("whole", lambda message, at: put(message, at["bodies"][0] + 15, "B", 7)),
            ("members", lambda message, at: flipped(message, last_player(message, at) + 13, 5)),
            ("members", lambda message, at: alter.without(message, "bodies")),
        ]:
            with self.subTest(rule=rule):
                self.assert_found(rule, self.alter_message(self.full_view(), at_places(change)))

    def test_each_number_of_a_snapshots_head(self):
        number = self.snapshot()
        for rule, at, bit in [("view", 4, 0), ("view", 5, 6), ("input_tick", 6, 1), ("base", 8, 0)] + [
            ("margin", 9, 5),
            ("substituted", 10, 0),
            ("received", 11, 0),
        ]:
            with self.subTest(at=at):
                change = at_places(lambda message, places: flipped(message, places["head"] + at, bit))
                self.assert_found(rule, self.alter_message(number, change))

    def test_a_base_that_there_is_not(self):
        number = self.snapshot_with(lambda at: at["causes"])
        for age in (0, 61):
            change = at_places(lambda message, at: put(message, at["head"] + 8, "B", age))
            self.assert_found("message", self.alter_message(number, change))

    def test_each_limit_of_a_body(self):
        number = self.snapshot_with(lambda at: at["bodies"])
        for at, code, value in [(0, "i", 2**30 - 2**20 + 1), (4, "i", -(2**30)), (14, "B", 3 << 6), (15, "B", 9)]:
            with self.subTest(at=at):
                change = at_places(lambda message, places: put(message, places["bodies"][0] + at, code, value))
                self.assert_found("message", self.alter_message(number, change))

    def test_a_receipt(self):
        change = at_places(lambda message, at: flipped(message, at["receipt"], 3))
        self.assert_found("acknowledged base", self.alter_message(self.snapshot(), change))
        absent = lambda message: alter.without(message, "receipt")
        self.assert_found("message", self.alter_message(self.snapshot(), absent))

    def test_each_part_of_an_event(self):
        def tells_a_spawn(message):
            events = messages.read_snapshot(message).events
            return events and events[0].kind == SPAWN

        number = self.match.find_message("server_sent", layouts.SNAPSHOT, 3, tells_a_spawn)
        for rules, at, bit in [
            ("events message", 0, 2),
            ("events message", 1, 7),
            ("message", 2, 0),
            ("events message", 3, 6),
            ("events", 4, 0),
            ("message", -1, 7),
        ]:
            with self.subTest(at=at, bit=bit):
                change = at_places(lambda message, places: flipped(message, places["events"][at], bit))
                self.assert_found(rules, self.alter_message(number, change))

    # Causes. The first three bytes say how many there are.

    def with_causes(self, shape):
        """A snapshot whose numbers of inputs, shots and teleports are `shape`."""
        return lambda at, message: at["causes"] and tuple(message[at["causes"].start :][:3]) == shape

    def alter_causes(self, rules, shape, change):
        """Changes the bytes behind the counts of the first snapshot with this `shape`."""
        number = self.match.find_message(
            "server_sent",
            layouts.SNAPSHOT,
            where=lambda message: self.with_causes(shape)(snapshot_places(message), message),
        )

        def altered(message, at):
            start = at["causes"].start + 3
            return message[:start] + change(message[start : at["causes"].stop]) + message[at["causes"].stop :]

        self.assert_found(rules, self.alter_message(number, at_places(altered)))

    def test_each_part_of_an_input_cause(self):
        for rules, at, bit in [("causes members", 0, 0), ("members", 0, 7), ("causes", 1, 0), ("message", 1, 3)] + [
            ("causes message", 1, 4),
            ("message", 1, 7),
        ]:
            with self.subTest(at=at, bit=bit):
                self.alter_causes(rules, (1, 0, 0), lambda data: flipped(data, at, bit))

    def test_each_part_of_a_shot(self):
        for rules, at, bit in [("causes members", 0, 0), ("causes", 1, 0), ("causes", 2, 1), ("causes message", 2, 2)]:
            with self.subTest(at=at, bit=bit):
                self.alter_causes(rules, (0, 1, 0), lambda data: flipped(data, at, bit))

    def test_each_part_of_a_placement(self):
        def placements_at(message):
            """Where the first teleport of a snapshot begins, or None."""
            said = snapshot_places(message)["causes"]
            data = Bytes(message[said.start : said.stop] if said else bytes(3))
            inputs, shots, teleports = data.u8(), data.u8(), data.u8()
            for read, count in ((read_input, inputs), (read_shot, shots)):
                for _ in range(count):
                    read(data)
            return said.start + data.at if teleports else None

        number = self.match.find_message("server_sent", layouts.SNAPSHOT, 3, placements_at)
        for rules, at in [("causes members", 0), ("causes message", 1), ("causes", 2), ("causes", 3)]:
            with self.subTest(at=at):
                change = lambda message: flipped(message, placements_at(message) + at)
                self.assert_found(rules, self.alter_message(number, change))

    def test_causes_in_another_order(self):
        self.alter_causes("message", (2, 0, 0), lambda data: data[2:4] + data[:2] + data[4:])
        self.alter_causes("message", (2, 0, 0), lambda data: data[:2] * 2 + data[4:])

    def test_more_and_fewer_causes_than_there_are(self):
        number = self.snapshot_with(lambda at: at["causes"])
        for kind in range(3):
            change = at_places(lambda message, at: put(message, at["causes"].start + kind, "B", 200))
            self.assert_found("message", self.alter_message(number, change))
        change = at_places(lambda message, at: put(message, at["causes"].start, "3s", bytes(3)))
        self.assert_found("message members causes", self.alter_message(number, change))
        said = lambda message: snapshot_places(message)["causes"].start
        change = lambda message: alter.with_fields(message, causes=message[said(message) : said(message) + 3])
        self.assert_found("message", self.alter_message(number, change))

    def test_what_happened_and_is_not_told(self):
        number = self.snapshot_with(lambda at: at["causes"])
        self.assert_found("causes", self.alter_message(number, lambda message: alter.without(message, "causes")))
        everything = lambda message: alter.without(message, "causes", "bodies", "wide")
        self.assert_found("pace", self.alter_message(number, everything))

    def test_leaves_of_who_is_not_there(self):
        def leaves(at, message):
            return at["causes"] and message[at["causes"].start : at["causes"].start + 3] == bytes(3)

        number = self.match.find_message(
            "server_sent", layouts.SNAPSHOT, where=lambda message: leaves(snapshot_places(message), message)
        )
        change = at_places(lambda message, at: put(message, at["causes"].stop - 1, "B", 255))
        self.assert_found("members", self.alter_message(number, change))
        own = at_places(lambda message, at: put(message, at["causes"].start + 3, "B", 0))
        self.assert_found("members message", self.alter_message(number, own))

    # What a snapshot says now and then, and how often there is one.

    def test_each_number_of_a_link_status(self):
        number = self.snapshot_with(lambda at: at["status"])
        for rule, at in [("received", 0), ("received", 4), ("late", 8)]:
            change = at_places(lambda message, places: flipped(message, places["status"] + at))
            self.assert_found(rule, self.alter_message(number, change))
        self.assert_found("status", self.alter_message(number, lambda message: alter.without(message, "status")))

    def test_a_server_that_falls_silent(self):
        to = self.match.events[self.snapshot()]["peer"]
        numbers = [
            number
            for number, event in enumerate(self.match.events)
            if event["event"] == "server_sent"
            and event["peer"] == to
            and layouts.type_of(alter.data_of(event)) == layouts.SNAPSHOT
        ]
        self.assert_found("pace", self.match.with_data(dict.fromkeys(numbers[PLAYING : PLAYING + 30])))

    def test_more_bytes_than_a_client_gets(self):
        events = [each | {"ns": each["ns"] // 100} if "ns" in each else each for each in self.match.events]
        self.assert_found("budget", events)

    def test_a_compact_form_that_is_none(self):
        self.assert_found("message", self.alter_message(self.snapshot(), lambda message: flipped(message, 0, 7)))
        self.assert_found("message", self.alter_message(self.full_view(), lambda message: message[:-1]))

    def test_a_snapshot_to_another_address(self):
        number = self.snapshot()
        events = list(self.match.events)
        events[number] = events[number] | {"peer": "127.0.0.1:9"}
        self.assert_found("address", events)

    # Inputs.

    def test_an_acknowledgement_of_what_did_not_come(self):
        for field, at in ((0, 0), (0, 6), (2, 0), (2, 2)):
            change = lambda message: flipped(message, places(layouts.INPUT, message)[field] + at, 3)
            self.assert_found("acknowledged", self.alter_message(self.input(), change))

    def test_an_input_that_is_another_than_before(self):
        number = self.match.find(
            "client_sent", layouts.INPUT, where=lambda data: len(data) > layouts.SEALED_MIN + 13 + 16
        )
        change = lambda message: flipped(message, places(layouts.INPUT, message)[1][0] + 2)
        self.assert_found("inputs", self.alter_message(number, change))

    # Who is let in.

    def test_a_token_of_another_key(self):
        def change(data):
            sealed = data[57:468]
            ring = self.match.reader.world.ring
            clear = b"tickbox connect token" + sealed[:21]
            key = ring[credentials.key_id(sealed)]
            secret = crypto.unseal_drawn(key, sealed[21:45], clear, sealed[45:])
            other = sealed[:45] + alter.seal_drawn(bytes(32), sealed[21:45], clear, secret)
            body = data[:57] + other + data[468:1_184]
            return body + crypto.tag(secret[8:40], body)

        events = self.alter_request(layouts.CONNECT, change)
        self.assert_found("token", events)
        self.assert_found("seal", events)

    def test_a_ring_of_other_keys(self):
        events = list(self.match.events)
        ring = "".join(f"{identity} {'00' * 32}\n" for identity in self.match.reader.world.ring)
        events[0] = events[0] | {"key_ring": ring}
        self.assert_found("verdict", events)

    def test_a_server_that_no_token_names(self):
        events = list(self.match.events)
        events[0] = events[0] | {"server": "127.0.0.1:9"}
        self.assert_found("verdict", events)

    def test_a_token_that_has_expired(self):
        events = list(self.match.events)
        events[0] = events[0] | {"ms_since_1970": events[0]["ms_since_1970"] + 3_600_000}
        self.assert_found("verdict", events)

    def test_one_more_than_there_are_seats(self):
        events = list(self.match.events)
        events[0] = events[0] | {"seats": 2}
        self.assert_found("verdict", events)

    def test_another_protocol_and_another_schema_let_in(self):
        for at in (1, 5):
            self.assert_found("verdict", self.alter_request(layouts.HELLO, lambda data: flipped(data, at)))

    # Answers.

    def test_an_answer_made_larger(self):
        for kind in (layouts.COOKIE, layouts.REFUSE):
            number = self.match.find("server_sent", kind)
            self.assert_found("size", self.match.with_data({number: self.match.data(number) + b"\0"}))
        number = self.match.find("server_sent", layouts.ACCEPT)
        self.assert_found("size", self.match.with_data({number: self.match.data(number) + bytes(512)}))

    def test_an_answer_sent_twice_or_to_nobody_or_not_at_all(self):
        number = self.match.find("server_sent", layouts.COOKIE)
        event = self.match.events[number]
        self.assert_found("answer", self.match.with_line(number + 1, event))
        stray = event | {"peer": "127.0.0.1:9"}
        self.assert_found("amplification", self.match.with_line(number + 1, stray))
        self.assert_found("answer", self.match.with_data({number: None}))

    def test_another_refusal(self):
        number = self.match.find("server_sent", layouts.REFUSE)
        data = self.match.data(number)
        for rule, change in [
            ("verdict", put(data, 33, "B", 4)),
            ("refuse", put(data, 33, "B", 22)),
            ("refuse", put(data, 34, "I", 3)),
            ("answer", flipped(data, 1)),
        ]:
            self.assert_found(rule, self.match.with_data({number: change}))

    def test_a_packet_before_anybody_connected(self):
        early = self.match.events[self.snapshot()]
        self.assert_found("stranger", self.match.with_line(1, early))

    # Moving and leaving.

    def test_a_challenge_and_a_response_with_other_data(self):
        change = lambda message: flipped(message, places(layouts.CHALLENGE, message)[0])
        for event, kind in (("server_sent", layouts.CHALLENGE), ("client_sent", layouts.RESPONSE)):
            number = self.match.find(event, kind)
            events = self.alter_message(number, change)
            self.assert_found("challenge", events)

    def test_a_challenge_that_is_not_answered(self):
        number = self.match.find("client_sent", layouts.RESPONSE)
        self.assert_found("challenge", self.match.with_data({number: None}))

    def test_a_tick_without_an_input_or_a_snapshot(self):
        self.assert_found("inputs", self.match.with_data({self.input(): None}))
        self.assert_found("sequence", self.match.with_data({self.snapshot(): None}))

    def test_a_move_without_a_response(self):
        numbers = [
            number
            for number, event in enumerate(self.match.events)
            if event["event"] == "server_took" and layouts.type_of(alter.data_of(event)) == layouts.RESPONSE
        ]
        self.assert_found("address", self.match.with_data(dict.fromkeys(numbers)))

    def test_a_goodbye_of_another_reason(self):
        number = self.match.find("server_sent", layouts.DISCONNECT)
        for reason in (messages.LEFT, messages.TIMED_OUT, messages.STOPPING, 0, 6):
            change = lambda message: put(message, places(layouts.DISCONNECT, message)[0], "B", reason)
            events = self.alter_message(number, change)
            self.assert_found("goodbye message", events)

    def test_a_drop_that_was_not_counted(self):
        events = list(self.match.events)
        last = max(number for number, event in enumerate(events) if event["event"] == "dropped")
        counts = events[last]["counts"]
        events[last] = events[last] | {"counts": counts | {"forged": counts["forged"] + 1}}
        self.assert_found("dropped", events)


class AlteredAudit(Scene):
    name = "audits"

    def test_a_copy_of_a_goodbye_from_elsewhere_counts(self):
        number = self.match.find("server_took", layouts.DISCONNECT, 1)
        events = list(self.match.events)
        events[number] = events[number] | {"peer": "127.0.0.1:9"}
        self.assert_found("dropped", events)

    def audit(self, nth=PLAYING, where=lambda message: True):
        return self.match.find_message("server_sent", layouts.AUDIT, nth, where)

    def assert_audit_found(self, rules, number, change):
        change_at = lambda message: change(message, *places(layouts.AUDIT, message)[:2])
        self.assert_found(rules, self.alter_message(number, change_at))

    def test_nothing_is_found_in_what_was_not_altered(self):
        self.assertEqual(self.match.reader.findings.broken, [])

    def test_any_byte_of_what_a_segment_tells(self):
        number = self.audit()
        size = len(places(layouts.AUDIT, self.match.message(number))[1])
        for nth in range(min(size, 16)):
            with self.subTest(nth=nth):
                change = lambda message, head, data: flipped(message, data[nth])
                self.assert_audit_found("audit", number, change)

    def test_the_number_of_a_segment_and_of_its_run(self):
        for at, code, value in ((8, "H", 9_999), (7, "B", 7)):
            change = lambda message, head, data: put(message, head + at, code, value)
            self.assert_audit_found("audit", self.audit(), change)

    def test_what_a_head_says_of_the_clients_packets(self):
        for at, rule in ((0, "audit"), (2, "input_tick"), (4, "margin"), (5, "substituted"), (6, "received")):
            change = lambda message, head, data: flipped(message, head + at, 6)
            self.assert_audit_found(rule, self.audit(), change)

    def test_a_keyframe_without_a_player_and_with_another_source(self):
        number = self.audit(0)
        for bit in (0, 1):
            change = lambda message, head, data: flipped(message, data[2 + 4 + 8 + 8 + 1], bit)
            self.assert_audit_found("audit", number, change)

    def test_a_join_of_another_client(self):
        clients = {session.client_id for session in self.match.reader.world.all_sessions}
        joins = [bytes([8]) + struct.pack("<Q", client) for client in clients]
        place = lambda message: max(message.find(join) for join in joins)
        is_later = lambda message: messages.read_audit(message).head.segment > 0
        number = self.audit(0, lambda message: is_later(message) and place(message) >= 0)
        self.assert_found("audit", self.alter_message(number, lambda message: flipped(message, place(message) + 1)))

    def test_an_acknowledgement_of_what_has_not_come(self):
        number = self.match.find_message(
            "client_sent", layouts.INPUT, PLAYING, lambda message: self.ack_at(message) is not None
        )
        for at in (0, 8, 10, 11, 12):
            change = lambda message: flipped(message, self.ack_at(message) + at)
            self.assert_found("acknowledged message", self.alter_message(number, change))

    @staticmethod
    def ack_at(message):
        return places(layouts.INPUT, message)[3]


class LogEntries(unittest.TestCase):
    """The tick log byte by byte: what is read of it, and what is malformed."""

    JOIN = bytes([8]) + struct.pack("<Q", 77)
    STRIKE = bytes([6]) + struct.pack("<HI", 0, 1 << 12)

    @staticmethod
    def keyframe(first=1 << 3 | REPEATED << 1 | 1, empty=NEUTRAL << 1, size=22, move=3):
        """Three seats. The first is taken: its stick is at 3, its last input was repeated."""
        seats = bytes([3, first, 5, empty, 0, 2 << 3 | empty, 300 & 127 | 128, 300 >> 7])
        player = bytes([size]) + struct.pack("<IiiiiBB", 1 << 12, -1, 2, -3, 4, move, 6)
        return struct.pack("<IQQ", 9, 10, 11) + seats + bytes([1]) + player

    def assert_read(self, data, leaves=(), joins=(), inputs=(), strikes=()):
        log = TickLog(read_keyframe(self.keyframe()))
        tick = log.read(bytes(data))
        self.assertEqual(tick, (list(leaves), list(joins), list(inputs), list(strikes)))
        return log

    def assert_malformed(self, *ticks):
        """The last of these; those before are read."""
        log = TickLog(read_keyframe(self.keyframe()))
        for data in ticks[:-1]:
            log.read(bytes(data))
        with self.subTest(data=bytes(ticks[-1]).hex()), self.assertRaises(Malformed):
            log.read(bytes(ticks[-1]))

    def test_a_keyframe(self):
        tick, state_hash, random, seats, entities = read_keyframe(self.keyframe())
        self.assertEqual((tick, state_hash, random), (9, 10, 11))
        self.assertEqual(seats, [(1, 5, 1, REPEATED), (0, 0, 0, NEUTRAL), (2, 300, 0, NEUTRAL)])
        self.assertEqual(entities, [(1 << 12, -1, 2, -3, 4, 0, 3, 6)])

    def test_a_keyframe_that_is_none(self):
        whole = self.keyframe()
        for data in (
            whole[:-1],
            whole + b"\0",
            self.keyframe(first=3 << 1 | 1),
            self.keyframe(empty=RECEIVED << 1),
            self.keyframe(size=21),
            self.keyframe(size=23),
            self.keyframe(move=9),
        ):
            with self.subTest(data=data.hex()), self.assertRaises(Malformed):
                read_keyframe(data)

    def test_a_tick_of_each_list(self):
        self.assert_read([])
        self.assert_read([1, 1, 0], leaves=[0])
        self.assert_read([2, 2, 1, *self.JOIN, 0, 10, *self.JOIN[1:], 1, 2], joins=[(1, 77), (2, 77)])
        self.assert_read([3, 1, 0, 1, 0, *self.JOIN], leaves=[0], joins=[(0, 77)])
        self.assert_read([4, 1, 0, RECEIVED], inputs=[(0, 3, 0, 0, 0, RECEIVED)])
        self.assert_read([4, 1, 0, 1 << 2 | RECEIVED, 4], inputs=[(0, 4, 0, 0, 0, RECEIVED)])
        self.assert_read([4, 1, 0, 3 << 2 | REPEATED, SHOOT << 4 | 3, 1, 2], inputs=[(0, 3, SHOOT, 513, 0, REPEATED)])
        self.assert_read([4, 1, 0, 4 << 2, RAY << 4, 1, 2, 255], inputs=[(0, 0, RAY, 513, 255, RECEIVED)])
        self.assert_read([8, 1, *self.STRIKE], strikes=[(0, 1 << 12)])

    def test_what_a_tick_leaves_out(self):
        log = self.assert_read([4, 1, 0, 1 << 2 | RECEIVED, 4], inputs=[(0, 4, 0, 0, 0, RECEIVED)])
        self.assertEqual(log.read(bytes([4, 1, 0, NEUTRAL])).inputs, [(0, 4, 0, 0, 0, NEUTRAL)])
        log.read(bytes([3, 1, 0, 1, 0, *self.JOIN]))
        self.assertEqual(log.read(bytes([4, 1, 0, RECEIVED])).inputs, [(0, 0, 0, 0, 0, RECEIVED)])

    def test_a_tick_that_is_none(self):
        self.assert_malformed([0])
        self.assert_malformed([16])
        for kind in (1, 2, 4, 8):
            self.assert_malformed([kind, 0])
            self.assert_malformed([kind, 1])
        self.assert_malformed([1, 1, 0, 0])  # bytes left over
        self.assert_malformed([1, 1, 1])  # nobody is there
        self.assert_malformed([1, 1, 3])  # no such seat
        self.assert_malformed([1, 1, 0], [1, 1, 0])
        self.assert_malformed([2, 1, 0, *self.JOIN])  # is there
        self.assert_malformed([2, 1, 1, 7, *self.JOIN[1:]])  # too short
        self.assert_malformed([2, 1, 1, 1_025 & 127 | 128, 1_025 >> 7, *bytes(1_025)])  # too long
        self.assert_malformed([2, 2, 1, *self.JOIN, 1, *self.JOIN])  # a seat beyond the last

    def test_an_input_that_is_none(self):
        for what, *data in (
            [REPEATED],  # as before
            [3],  # no source
            [1 << 2 | REPEATED, 3],  # as before, in bytes
            [1 << 2 | RECEIVED, 3],  # only another source, in bytes
            [1 << 2 | RECEIVED, 9],  # no stick
            [2 << 2 | RECEIVED, 4, 0],  # bytes left over
            [3 << 2 | RECEIVED, 4 << 4, 0, 0],  # no button
            [2 << 2 | RECEIVED, SHOOT << 4, 0],  # an aim cut short
            [3 << 2 | RECEIVED, SHOOT << 4, 0, 4],  # no aim
            [4 << 2 | RECEIVED, SHOOT << 4, 0, 0, 0],  # a look back without a ray
            [3 << 2 | RECEIVED, RAY << 4, 0, 0],  # a ray without one
        ):
            self.assert_malformed([4, 1, 0, what, *data])
        self.assert_malformed([4, 1, 1, RECEIVED])  # nobody is there
        self.assert_malformed([5, 1, 0, 1, 0, RECEIVED])  # has left
        self.assert_malformed([4, 1, 128, 0, RECEIVED])  # a number in a longer form

    def test_an_outcome_that_is_none(self):
        self.assert_malformed([8, 2, *self.STRIKE, *self.STRIKE])  # does not rise
        self.assert_malformed([8, 1, 5, *self.STRIKE[1:6]])
        self.assert_malformed([8, 1, 7, *self.STRIKE[1:], 0])
        for shooter, victim in ((3, 1 << 12), (0, 1 << 30), (0, 1 << 12 | 3)):
            self.assert_malformed([8, 1, 6, *struct.pack("<HI", shooter, victim)])

    def test_an_entry(self):
        self.assertIsNone(take_entry(b""))
        self.assertIsNone(take_entry(b"\x80\x80"))
        self.assertIsNone(take_entry(b"\x02a"))
        self.assertEqual(take_entry(b"\x02abc"), (b"ab", b"c"))
        most = ENTRY_MAX + 1
        too_long = bytes([most & 127 | 128, most >> 7 & 127 | 128, most >> 14])
        for length in (b"\0", b"\x80\x80\x80", too_long):
            with self.assertRaises(Malformed):
                take_entry(length + bytes(9))
        with self.assertRaises(Malformed):
            read_tick(bytes(7))
        self.assertEqual(read_tick(bytes([1, *bytes(7), 5])), (1, b"\5"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=1)
