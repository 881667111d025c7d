#!/usr/bin/python3
"""Shows that the reader can fail: captures are altered, one thing each, and it has to name the rule that is broken.

    reader_test.py CAPTURE_PROGRAM [unittest options]
"""

import sys

sys.dont_write_bytecode = True

import json
import re
import struct
import subprocess
import unittest

import alter
import credentials
import crypto
import game
import layouts
import messages
from alter import flipped, places, put
from flatbuffer import Malformed
from game import NEUTRAL
from reader import SCHEMA, Reader

HEAD = layouts.PACKET_HEAD_BYTES
PLAYING = 100  # packets of a type after which everybody plays
RECEIVED, REPEATED = 0, 1  # sources of an input, beside NEUTRAL
LISTS = ("inputs", "outcomes", "room", "exits", "rows")  # of a content


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


class Scene(unittest.TestCase):
    name = "match"

    @classmethod
    def setUpClass(cls):
        played = subprocess.run([PROGRAM, cls.name], check=True, capture_output=True, text=True)
        events = [json.loads(line) for line in played.stdout.splitlines()]
        cls.match = alter.Capture(events, read(events))
        cls.acknowledged = {cls.view_of(message) for message in cls.match.messages("client_sent", layouts.INPUT)}

    @staticmethod
    def view_of(message):
        """Tick and receipt of the view that an INPUT acknowledges."""
        view = dict(zip((field.name for field in messages.INPUT_MESSAGE), places(layouts.INPUT, message)))["view"]
        return view and message[view : view + 4]

    def assert_found(self, rules, events):
        """That the reader finds one of these rules broken."""
        rules = set(rules.split())
        found = {rule for _, rule, _ in read(events, until=rules).findings.broken}
        self.assertTrue(found & rules, f"found: {found}")

    def alter_message(self, number, change):
        return self.match.with_data({number: self.match.resealed(number, change)})

    def snapshot_with(self, has, nth=3):
        """The line of a snapshot whose places fulfil `has`, but not of the first ones."""
        where = lambda message: has(snapshot_places(message))
        return self.match.find_message("server_sent", layouts.SNAPSHOT, nth, where)

    def assert_bits_found(self, rules, number, name, step):
        """That each of some bits of a vector of bytes matters. The highest bits of the last byte may be unused."""
        data = snapshot_places(self.match.message(number))[name]
        for bit in range(0, 8 * len(data) - 7, step):
            with self.subTest(bit=bit):
                at = data.start + bit // 8
                self.assert_found(rules, self.alter_message(number, lambda message: flipped(message, at, bit % 8)))


class Page(unittest.TestCase):
    def test_one_protocol_version_in_every_place(self):
        """In its head, and in the table of the requests."""
        page = (SCHEMA / "README.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"protocol(?: version |, u32: )(\d+)", page), [str(layouts.PROTOCOL)] * 2)


class Altered(Scene):
    def snapshot(self, nth=PLAYING):
        return self.match.find("server_sent", layouts.SNAPSHOT, nth)

    def full_view(self, nth=1):
        where = lambda message: message[snapshot_places(message)["head"] + 8] == 0
        return self.match.find_message("server_sent", layouts.SNAPSHOT, nth, where)

    def snapshot_acknowledged(self, has=lambda message: True, nth=0):
        """One that the client acknowledges: what is altered in another one, nobody may ever need."""

        def known(message):
            at = snapshot_places(message)
            tick, receipt = (message[each : each + 2] for each in (at["head"] + 4, at["receipt"]))
            return tick + receipt in self.acknowledged and has(message)

        return self.match.find_message("server_sent", layouts.SNAPSHOT, nth, known)

    def snapshot_of(self, *lists, nth=0):
        """One on a base, with these lists in its content and no other."""
        bits = sum(1 << number for number, name in enumerate(LISTS) if name in lists)

        def has(message):
            at = snapshot_places(message)
            content = at["content"]
            if message[at["head"] + 8] == 0 or content is None or len(content) < 2:
                return False
            return int.from_bytes(message[content.start : content.start + 2], "little") >> 4 & 31 == bits

        return self.snapshot_acknowledged(has, nth)

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
            ("accept members", "player", lambda at: flipped(message, at)),
            ("message", "player", lambda at: put(message, at, "H", 4_096)),
            ("message", "generation", lambda at: flipped(message, at + 2, 2)),
            ("members", "generation", lambda at: flipped(message, at)),
            ("accept", "tick", lambda at: put(message, at, "I", 0)),
            ("accept", "map_seats", lambda at: flipped(message, at, 3)),
            ("message", "map_seats", lambda at: put(message, at, "I", 4_097)),
            ("accept", "map_hash", lambda at: flipped(message, at)),
            ("accept", "boot", lambda at: flipped(message, at)),
            ("accept", "room", lambda at: flipped(message, at)),
            ("accept", "game", lambda at: flipped(message, at.start)),
            ("accept", "game_version", lambda at: flipped(message, at)),
            ("accept", "game_hash", lambda at: flipped(message, at)),
            ("accept", "ticket", lambda at: flipped(message, at.start)),
            ("message", "ticket", lambda at: put(message, at.start - 4, "I", 134)),
        ]:
            with self.subTest(name=name):
                sealed = clear + alter.seal(session.keys.to_client, 0, clear, change(fields[name]))
                self.assert_found(rule, self.match.with_data({number: sealed}))

    def test_an_accept_sealed_twice(self):
        number = self.match.find("server_sent", layouts.ACCEPT)
        self.assert_found("seal", self.match.with_line(number + 1, self.match.events[number]))

    # What the game is.

    def test_a_descriptor_of_another_game(self):
        events = list(self.match.events)
        name, other = b"arena".hex(), b"arenb".hex()
        events[0] = events[0] | {"descriptor": events[0]["descriptor"].replace(name, other, 1)}
        self.assert_found("accept", events)

    # Snapshots.

    def test_a_full_view_that_is_not_the_rooms(self):
        change = at_places(lambda message, at: flipped(message, at["head"]))
        self.assert_found("view", self.alter_message(self.full_view(), change))
        self.assert_bits_found("view message members sight whole", self.full_view(), "content", step=61)
        without = lambda message: alter.without(message, "content")
        self.assert_found("members", self.alter_message(self.full_view(), without))

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
        number = self.snapshot_of("inputs")
        for age in (0, 61):
            change = at_places(lambda message, at: put(message, at["head"] + 8, "B", age))
            self.assert_found("message", self.alter_message(number, change))

    def test_a_receipt(self):
        change = at_places(lambda message, at: flipped(message, at["receipt"], 3))
        number = self.snapshot_acknowledged(nth=PLAYING)
        self.assert_found("acknowledged base", self.alter_message(number, change))
        absent = lambda message: alter.without(message, "receipt")
        self.assert_found("message", self.alter_message(self.snapshot(), absent))

    def test_each_part_of_an_event(self):
        number = self.snapshot_with(lambda at: at["events"], nth=17)  # its events are sent again
        self.assert_bits_found("events message", number, "events", step=5)

    # The content of a snapshot on a base.

    def test_each_bit_of_the_causes_of_an_input(self):
        self.assert_bits_found("causes message members", self.snapshot_of("inputs", nth=2), "content", step=3)

    def test_each_bit_of_an_outcome(self):
        self.assert_bits_found("causes message members", self.snapshot_of("inputs", "outcomes"), "content", step=7)

    def test_each_bit_of_who_leaves(self):
        number = self.snapshot_of("inputs", "exits")
        self.assert_bits_found("causes message members", number, "content", step=7)

    def test_each_bit_of_a_row(self):
        self.assert_bits_found("causes message members whole", self.snapshot_of("inputs", "rows"), "content", step=20)

    def test_a_content_of_no_bytes_and_of_more(self):
        number = self.snapshot_of("inputs")
        data = lambda message: bytes(message[each] for each in snapshot_places(message)["content"])
        for change in (
            lambda message: alter.with_fields(message, content=b""),
            lambda message: alter.with_fields(message, content=data(message) + b"\0"),
            lambda message: alter.with_fields(message, content=data(message)[:-1]),
        ):
            self.assert_found("message", self.alter_message(number, change))

    def test_what_happened_and_is_not_told(self):
        number = self.snapshot_of("inputs")
        self.assert_found("causes pace", self.alter_message(number, lambda message: alter.without(message, "content")))

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
        events = [each | {"ns": each["ns"] // 1_000} if "ns" in each else each for each in self.match.events]
        self.assert_found("budget", events)

    def test_a_compact_form_that_is_none(self):
        self.assert_found("message", self.alter_message(self.snapshot(), lambda message: flipped(message, 0, 7)))
        self.assert_found("message", self.alter_message(self.full_view(), lambda message: message[:20]))

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
            "client_sent", layouts.INPUT, where=lambda data: len(data) > layouts.SEALED_MIN + 13 + 6
        )
        change = lambda message: flipped(message, places(layouts.INPUT, message)[1][0], 6)
        self.assert_found("inputs message", self.alter_message(number, change))

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
        for reason in (messages.LEFT, messages.TIMED_OUT, messages.STOPPING, 0, 7, 10):
            change = lambda message: put(message, places(layouts.DISCONNECT, message)[0], "B", reason)
            events = self.alter_message(number, change)
            self.assert_found("goodbye message", events)

    def test_a_drop_that_was_not_counted(self):
        events = list(self.match.events)
        last = max(number for number, event in enumerate(events) if event["event"] == "dropped")
        counts = events[last]["counts"]
        events[last] = events[last] | {"counts": counts | {"forged": counts["forged"] + 1}}
        self.assert_found("dropped", events)

    def test_a_copy_of_a_goodbye_from_elsewhere_counts(self):
        number = self.match.find("server_took", layouts.DISCONNECT, 1)
        events = list(self.match.events)
        events[number] = events[number] | {"peer": "127.0.0.1:9"}
        self.assert_found("dropped", events)


class LogEntries(Scene):
    """The records of ticks byte by byte: what is read, and what is malformed."""

    JOIN = bytes([8]) + struct.pack("<Q", 77)
    LEFT = bytes([1, 0 << 1])
    JOINED = bytes([1, 1 << 1])
    STRIKE = bytes([10, 10 << 1, 2]) + struct.pack("<Q", 1 << 44)

    def log(self):
        """Three seats. The first is taken: its move is 3, its last input was repeated."""
        reader = self.match.reader.world.game
        held = reader.input.by_default() | {"move": [3]}
        empty = {"taken": 0, "source": NEUTRAL}
        return game.TickLog(reader, {"seats": [{"taken": 1, "source": REPEATED, "input": held}, empty, empty]})

    @staticmethod
    def moved(move):
        """An input with this move, and the other values by default."""
        return 1 | move << 1

    def assert_malformed(self, *ticks):
        """The last of these ticks is malformed; those before it are read."""
        log = self.log()
        for data in ticks[:-1]:
            log.record(bytes(data))
        with self.subTest(data=bytes(ticks[-1]).hex()), self.assertRaises(Malformed):
            log.record(bytes(ticks[-1]))

    def test_a_tick_of_each_list(self):
        self.assertEqual(self.log().record(b"")["sources"], {0: REPEATED})
        self.assertEqual(self.log().record(bytes([9, 1, 0, 1, *self.LEFT]))["leaves"], [0])
        both = self.log().record(bytes([10, 2, 1, *self.JOIN, 0, 10, *self.JOIN[1:], 1, 2, 2, *self.JOINED, *self.JOINED]))
        self.assertEqual(both["joins"], {1: (77, b""), 2: (77, b"\1\2")})
        again = self.log().record(bytes([11, 1, 0, 1, 0, *self.JOIN, 2, *self.LEFT, *self.JOINED]))
        self.assertEqual((again["leaves"], list(again["joins"]), again["sources"]), ([0], [0], {0: NEUTRAL}))
        source = self.log().record(bytes([4, 1, 0, RECEIVED]))
        self.assertEqual((source["inputs"], source["sources"]), ({}, {0: RECEIVED}))
        given = self.log().record(bytes([4, 1, 0, 1 << 2 | RECEIVED, self.moved(4)]))
        self.assertEqual(given["inputs"][0]["move"], [4])
        struck = self.log().record(bytes([8, 1, *self.STRIKE]))
        self.assertEqual(struck["outcomes"], [("strike", 0, 2, 1 << 44)])

    def test_an_idle_tick(self):
        log = self.log()
        log.record(bytes([9, 1, 0, 1, *self.LEFT]))
        idle = log.record(bytes([16]))
        self.assertEqual((idle["idle"], idle["sources"]), (True, {}))
        self.assertFalse(log.record(b"")["idle"])
        self.assert_malformed([9, 1, 0, 1, *self.LEFT], [16, 0])
        self.assert_malformed([9, 1, 0, 1, *self.LEFT], [17, 1, 0, 1, *self.LEFT])

    def test_what_a_tick_leaves_out(self):
        log = self.log()
        log.record(bytes([4, 1, 0, 1 << 2 | RECEIVED, self.moved(4)]))
        after = log.record(b"")
        self.assertEqual((after["given"][0]["move"], after["sources"]), ([4], {0: RECEIVED}))
        log.record(bytes([11, 1, 0, 1, 0, *self.JOIN, 2, *self.LEFT, *self.JOINED]))
        self.assertEqual(log.record(b"")["given"][0]["move"], [0])

    def test_a_tick_that_is_none(self):
        self.assert_malformed([0])
        self.assert_malformed([16])
        for kind in (1, 2, 4, 8):
            self.assert_malformed([kind, 0])
            self.assert_malformed([kind, 1])
        self.assert_malformed([1, 1, 0])  # a leave without its outcome
        self.assert_malformed([9, 1, 0, 1, *self.LEFT, 0])  # bytes left over
        self.assert_malformed([9, 1, 1, 1, *self.LEFT])  # nobody is there
        self.assert_malformed([9, 1, 3, 1, *self.LEFT])  # no such seat
        self.assert_malformed([9, 1, 0, 1, *self.LEFT], [9, 1, 0, 1, *self.LEFT])
        self.assert_malformed([10, 1, 0, *self.JOIN, 1, *self.JOINED])  # is there
        self.assert_malformed([10, 1, 1, 7, *self.JOIN[1:], 1, *self.JOINED])  # too short
        self.assert_malformed([10, 2, 1, *self.JOIN, 1, *self.JOIN, 2, *self.JOINED, *self.JOINED])  # beyond the last

    def test_an_input_that_is_none(self):
        for what, *data in (
            [REPEATED],  # as before
            [3],  # no source
            [1 << 2 | RECEIVED, self.moved(9)],  # out of its range
            [1 << 2 | RECEIVED, self.moved(0)],  # one by default, in bits
            [2 << 2 | RECEIVED, self.moved(4), 0],  # bytes left over
            [1 << 2 | RECEIVED, 8],  # cut short
        ):
            self.assert_malformed([4, 1, 0, what, *data])
        self.assert_malformed([4, 1, 1, RECEIVED])  # nobody is there
        self.assert_malformed([13, 1, 0, 1, 0, RECEIVED, 1, *self.LEFT])  # has left
        self.assert_malformed([4, 1, 128, 0, RECEIVED])  # a number in a longer form

    def test_an_outcome_that_is_none(self):
        self.assert_malformed([8, 1, 9, *self.STRIKE[1:10]])  # cut short
        self.assert_malformed([8, 1, 11, *self.STRIKE[1:], 0])  # bytes left over
        self.assert_malformed([8, 1, 10, 10 << 1 | 1, *self.STRIKE[2:]])  # of the other phase
        self.assert_malformed([8, 1, 1, 11 << 1])  # of no kind
        self.assert_malformed([8, 1, *self.LEFT])  # not in the list
        self.assert_malformed([8, 1, 11, 6 << 1, 9, *self.STRIKE[3:]])  # the game does not have it


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=1)
