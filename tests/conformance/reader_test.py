#!/usr/bin/python3
"""Shows that the reader can fail: captures are altered, one thing each, and it has to name the rule that is broken.

    reader_test.py CAPTURE_PROGRAM [unittest options]
"""

import sys

sys.dont_write_bytecode = True

import json
import subprocess
import unittest

import alter
import credentials
import crypto
import layouts
import messages
from alter import flipped, places, put
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


class Altered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        played = subprocess.run([PROGRAM, "match"], check=True, capture_output=True, text=True)
        events = [json.loads(line) for line in played.stdout.splitlines()]
        cls.match = alter.Capture(events, read(events))

    def assert_found(self, rules, events):
        """That the reader finds one of these rules broken."""
        rules = set(rules.split())
        found = {rule for _, rule, _ in read(events, until=rules).findings.broken}
        self.assertTrue(found & rules, f"found: {found}")

    def snapshot(self, nth=PLAYING):
        return self.match.find("server_sent", layouts.SNAPSHOT, nth)

    def input(self, nth=PLAYING):
        return self.match.find("client_sent", layouts.INPUT, nth)

    def alter_message(self, number, change):
        return self.match.with_data({number: self.match.resealed(number, change)})

    def ask_lines(self, kind):
        """One ask as it was sent, and all its arrivals."""
        sent = self.match.data(self.match.find("client_sent", kind))
        same = (n for n, e in enumerate(self.match.events) if alter.data_of(e) == sent)
        return sent, list(same)

    def alter_ask(self, kind, change):
        sent, numbers = self.ask_lines(kind)
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
        self.assert_found("tag", self.alter_ask(layouts.CONNECT, lambda data: flipped(data, 1_199)))
        self.assert_found("tag", self.alter_ask(layouts.RESUME, lambda data: flipped(data, 1_199)))

    def test_a_bit_of_what_has_to_be_zero(self):
        self.assert_found("ask", self.alter_ask(layouts.HELLO, lambda data: flipped(data, 1_000)))

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
        session = next(s for s in self.match.reader.world.all_sessions() if s.datagram == data)
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

    def test_two_entities_swapped(self):
        def swap(message):
            _, entities = places(layouts.SNAPSHOT, message)
            a, b = (message[at : at + 28] for at in entities[:2])
            return message[: entities[0]] + b + a + message[entities[0] + 56 :]

        self.assert_found("message", self.alter_message(self.snapshot(), swap))

    def test_an_entity_that_is_elsewhere(self):
        def move(message):
            return flipped(message, places(layouts.SNAPSHOT, message)[1][0] + 4)

        self.assert_found("view", self.alter_message(self.snapshot(), move))

    def test_a_view_hash(self):
        def change(message):
            return flipped(message, places(layouts.SNAPSHOT, message)[0])

        self.assert_found("view", self.alter_message(self.snapshot(), change))

    def test_each_number_of_a_snapshots_head(self):
        for rule, at in [("view", 8), ("input_tick", 12), ("received", 16), ("received", 20), ("received", 25)] + [
            ("message", 26),
            ("substituted", 28),
            ("late", 30),
            ("message", 35),
            ("message", 36),
            ("message", 37),
        ]:
            with self.subTest(at=at):
                change = lambda message: flipped(message, places(layouts.SNAPSHOT, message)[0] + at, 6)
                self.assert_found(rule, self.alter_message(self.snapshot(), change))

    def test_each_limit_of_an_entity(self):
        for at, code, value in [(4, "i", 2**30 + 1), (12, "i", -(2**28) - 1), (20, "H", 1_024), (22, "B", 3)] + [
            (23, "B", 9),
            (24, "B", 2),
            (26, "H", 1),
        ]:
            with self.subTest(at=at):
                change = lambda message: put(message, places(layouts.SNAPSHOT, message)[1][0] + at, code, value)
                self.assert_found("message", self.alter_message(self.snapshot(), change))

    def test_a_message_whose_offsets_lead_out_of_it(self):
        for at in (0, 1):
            self.assert_found("message", self.alter_message(self.snapshot(), lambda message: flipped(message, at, 7)))
        self.assert_found("message", self.alter_message(self.snapshot(), lambda message: message[:-8]))

    def test_a_snapshot_to_another_address(self):
        number = self.snapshot()
        events = list(self.match.events)
        events[number] = events[number] | {"peer": "127.0.0.1:9"}
        self.assert_found("address", events)

    # Inputs.

    def test_an_acknowledgement_of_what_did_not_come(self):
        for at in (0, 8, 16):
            change = lambda message: flipped(message, places(layouts.INPUT, message)[0] + at, 3)
            self.assert_found("acknowledged", self.alter_message(self.input(), change))

    def test_an_input_that_is_another_than_before(self):
        number = self.match.find(
            "client_sent", layouts.INPUT, where=lambda data: len(data) > layouts.SEALED_MIN + 24 + 40
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

        events = self.alter_ask(layouts.CONNECT, change)
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
            self.assert_found("verdict", self.alter_ask(layouts.HELLO, lambda data: flipped(data, at)))

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
            ("refuse", put(data, 33, "B", 17)),
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
        self.assert_found("view", self.match.with_data({self.snapshot(): None}))

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


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=1)
