#!/usr/bin/python3
"""The real server beside a strict stand-in of the side car of Agones, which starts late, fails, is slow and loses.

    agones_test.py PROGRAMS [unittest options]     PROGRAMS: the folder with tickbox-server, tickbox and faulty-server
"""

import sys

sys.dont_write_bytecode = True

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import programs
from programs import PATIENCE, environment, eventually, http_get, start, tickbox
from side_car import Fault, SideCar

EIGHT_SEATS = ["--max-clients", "8"]
COUNTERS = {"players": 64, "rooms": 10}
LISTS = {"players": 64}


class Server(programs.Server):
    """A server that reports to a side car."""

    def __init__(self, side_car, *arguments, **options):
        super().__init__("--agones", *EIGHT_SEATS, *arguments, AGONES_SDK_HTTP_PORT=str(side_car.port), **options)
        self.is_terminated = False
        side_car.on_shutdown = self.terminate

    def terminate(self):
        """Kubernetes sends SIGTERM once. A second one may meet a process that exits, whose code it then is."""
        if not self.is_terminated:
            self.is_terminated = True
            self.process.send_signal(signal.SIGTERM)

    def logged(self, words):
        return [line for line in list(self.lines) if words in line]

    def metric(self, sample):
        lines = http_get(self.admin, "/metrics")[1].splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(sample))


class AgonesTest(unittest.TestCase):
    def setUp(self):
        self.children = []
        self.side_car = SideCar(COUNTERS, LISTS)
        self.addCleanup(self.stop)

    def stop(self):
        self.side_car.stop()
        for child in self.children:
            child.kill()
            child.wait()
            for stream in (child.stdout, child.stderr):
                if stream:
                    stream.close()

    def serve(self, *arguments, **options):
        server = Server(self.side_car, *arguments, **options)
        self.children.append(server.process)
        return server

    def load(self, server, *arguments):
        child = start("tickbox", "load", server.address, *arguments,
                      env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.children.append(child)
        return child

    def become(self, state):
        self.assertTrue(eventually(lambda: self.side_car.state == state), self.side_car.states)

    def count_is(self, key, count):
        return eventually(lambda: self.side_car.counters[key]["count"] == count)

    def is_reported(self):
        """Whether the server has sent the number of its rooms, and read the list of its players."""
        return self.count_is("rooms", 1) and eventually(lambda: self.side_car.times("GET /v1beta1/lists/players"))

    def list_is(self, *clients):
        return eventually(lambda: sorted(self.side_car.written["players"]) == list(clients))

    def assert_ended(self, server, code=0):
        """The server ends, has done everything that it must, and nothing that it must not."""
        self.assertEqual(server.end(), code, "".join(server.lines))
        self.assertEqual(self.side_car.missing(), [], "".join(server.lines))
        self.assert_nothing_wrong(server)

    def assert_nothing_wrong(self, server):
        self.assertEqual(self.side_car.violations, [], "".join(server.lines))
        self.assertNotIn("Unhealthy", self.side_car.states)

    # --- a life without a fault ---

    def test_a_match_is_drained_before_the_shutdown(self):
        self.side_car.start()
        server = self.serve("--drain-time", "1m").wait()
        self.become("Ready")
        self.side_car.allocate()
        self.assertTrue(eventually(lambda: server.logged(" agones_state state=Allocated ")))
        load = self.load(server, "--clients", "2", "--client", "7", "--seconds", "60")
        self.assertTrue(self.count_is("players", 2))
        self.assertTrue(self.list_is("7", "8"), self.side_car.lists)
        self.assertEqual(self.side_car.counters["players"]["capacity"], 8)
        server.terminate()
        pings = len(self.side_car.times("POST /health"))
        self.assertTrue(eventually(lambda: len(self.side_car.times("POST /health")) >= pings + 2))
        self.assertEqual(self.side_car.state, "Allocated", "the players play on")
        rooms = self.side_car.counters["rooms"]
        self.assertEqual(rooms["capacity"], rooms["count"], "no allocation finds space for a room")
        self.assertEqual(self.side_car.annotations["agones.dev/sdk-tickbox-drains"], "true")
        load.terminate()
        self.assert_ended(server)
        self.assertEqual(self.side_car.states[-4:], ["RequestReady", "Ready", "Allocated", "Shutdown"])
        self.assertEqual(len(server.logged(" agones_allocated ")), 1)
        self.assertEqual(len(server.logged(" agones_call_failed ")), 0)

    def test_a_server_that_is_over_waits_for_sigterm(self):
        self.side_car.start()
        server = self.serve("--ticks", "240")
        ended = []
        self.side_car.on_shutdown = lambda: (ended.append(server.process.poll()), server.terminate())
        server.wait()
        self.assert_ended(server)
        # Kubernetes restarts a container that ends by itself.
        self.assertEqual(ended, [None])

    def test_a_server_without_a_side_car_serves_and_ends(self):
        server = self.serve("--ticks", "60").wait()
        self.assertEqual(server.end(), 0)
        self.assertEqual(len(server.logged(" agones_call_failed ")), 1)

    # --- faults ---

    def test_a_side_car_that_starts_late(self):
        server = self.serve().wait()
        time.sleep(3)
        self.side_car.start()
        self.become("Ready")
        self.assertGreater(server.metric('tickbox_agones_requests_total{code="none"}'), 2)
        self.assertTrue(self.is_reported())
        server.terminate()
        self.assert_ended(server)

    def test_a_side_car_whose_first_answers_are_errors(self):
        self.side_car.fault = lambda call, number: Fault(status=500 if number <= 2 else 200)
        self.side_car.start()
        server = self.serve().wait()
        self.become("Ready")
        self.assertTrue(self.is_reported())
        server.terminate()
        self.assert_ended(server)
        self.assertEqual(len(server.logged(" agones_call_failed call=/ready ")), 1)

    def test_a_side_car_that_is_slow(self):
        self.side_car.fault = lambda call, number: Fault(before=0.8)
        self.side_car.start()
        server = self.serve().wait()
        self.become("Ready")
        load = self.load(server, "--clients", "1", "--client", "7", "--seconds", "60")
        self.assertTrue(self.count_is("players", 1))
        self.assertTrue(self.is_reported())
        self.assertTrue(self.list_is("7"))
        load.terminate()
        server.terminate()
        self.assert_ended(server)

    # Each joins and leaves under each fault. The stand-in takes no value twice: that would be a violation.
    def test_the_list_is_that_of_the_players_whatever_fails(self):
        faults = {"none": lambda call, number: Fault(),
                  "errors": lambda call, number: Fault(status=500 if number % 2 else 200),
                  "slow": lambda call, number: Fault(before=0.5),
                  "lost answers": lambda call, number: Fault(lost=number % 2)}
        self.side_car.start()
        server = self.serve().wait()
        self.become("Ready")
        for name, fault in faults.items():
            with self.subTest(name):
                self.side_car.fault = lambda call, number, of=fault: of(call, number) if "/lists/" in call else Fault()
                load = self.load(server, "--clients", "3", "--client", "7", "--seconds", "60")
                self.assertTrue(self.list_is("7", "8", "9"), self.side_car.lists)
                load.terminate()
                self.assertTrue(self.list_is(), self.side_car.lists)
        server.terminate()
        self.assert_ended(server)

    # A second request to be ready would take the server out of the match for which it was allocated meanwhile.
    def test_an_answer_that_is_lost_when_the_server_is_allocated_at_once(self):
        def fault(call, number):
            if call == "POST /ready":
                return Fault(after=4)
            if call == "GET /watch/gameserver" and number <= 3:
                return Fault(status=500)
            return Fault(lost=call == "GET /gameserver" and number == 2)

        self.side_car.fault = fault
        self.side_car.on_ready = self.side_car.allocate
        self.side_car.start()
        server = self.serve().wait()
        self.become("Allocated")
        asked = len(self.side_car.times("GET /gameserver"))
        self.assertTrue(eventually(lambda: len(self.side_car.times("GET /gameserver")) >= asked + 2))
        self.assertEqual(len(self.side_car.times("POST /ready")), 1)
        server.terminate()
        self.assert_ended(server)

    def test_a_watch_that_repeats_mixes_up_loses_and_breaks_off(self):
        held = []

        def events_of(event):
            """Each event twice, and every second one again after the one that follows it."""
            late = [held.pop()] if held else []
            if len(late) == 0:
                held.append(event)
            return [event, event, *late]

        self.side_car.events_of = events_of
        self.side_car.start()
        server = self.serve().wait()
        self.become("Ready")
        for _ in range(4):
            before = len(server.logged(" agones_allocated "))
            self.side_car.allocate()
            self.assertTrue(eventually(lambda: len(server.logged(" agones_allocated ")) == before + 1))
        opened = len(self.side_car.times("GET /watch/gameserver"))
        self.side_car.cut(b'{"result":{"status":{"state":"Ready')
        self.assertTrue(eventually(lambda: len(self.side_car.times("GET /watch/gameserver")) == opened + 1))
        self.side_car.events_of = lambda event: []
        self.side_car.allocate()
        self.assertTrue(eventually(lambda: len(server.logged(" agones_allocated ")) == 5))
        server.terminate()
        self.assert_ended(server)
        self.assertEqual(len(server.logged(" agones_allocated ")), 5)
        self.assertEqual(len(server.logged(" agones_state state=Allocated ")), 1)

    def test_a_shard_that_is_stuck_becomes_unhealthy(self):
        self.side_car.unhealthy_after = 6
        self.side_car.start()
        # The second client makes a tick take a minute.
        server = self.serve(program="faulty-server", FAULT_SLOW_MS="60000").wait()
        self.become("Ready")
        self.load(server, "--clients", "2", "--seconds", "60")
        self.become("Unhealthy")
        pings = len(self.side_car.times("POST /health"))
        others = len(self.side_car.times("GET /gameserver"))
        self.assertTrue(eventually(lambda: len(self.side_car.times("GET /gameserver")) > others))
        self.assertEqual(len(self.side_car.times("POST /health")), pings)
        self.assertEqual(self.side_car.violations, [])

    # --- what a fleet gives its servers ---

    def make_keys(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        keys = os.path.join(folder.name, "keys")
        self.assertEqual(tickbox("token", "keygen", "--out", keys).returncode, 0)
        return folder.name, keys

    def test_tokens_name_the_address_that_agones_says_or_the_server(self):
        folder, keys = self.make_keys()
        self.side_car.change(state="Starting", address="")
        server = self.serve("--key-file", keys, "--public-address", "agones", "--name", "tickbox-x7")
        self.side_car.start()
        self.assertTrue(eventually(lambda: server.logged(" public_address_not_found ")))
        self.assertEqual(self.side_car.times("POST /ready"), [])
        self.side_car.change(state="Scheduled", address="127.0.0.1")
        server.wait()
        self.become("Ready")

        def connect(named):
            return tickbox("connect", server.address, "--seconds", "0.3", "--json", "--key-file", keys,
                           "--token-server", named).returncode

        self.assertEqual(connect("127.0.0.1:7010"), 0)
        self.assertEqual(connect(server.address), 4, "this address is not for players")
        for name, code in (("tickbox-x7", 0), ("tickbox-x8", 4)):
            token = os.path.join(folder, name)
            self.assertEqual(tickbox("token", "issue", "--key-file", keys, "--client", "7", "--server", "name=" + name,
                                     "--expires", "5m", "--out", token).returncode, 0)
            self.assertEqual(tickbox("connect", server.address, "--seconds", "0.3", "--token", token).returncode, code)
        server.terminate()
        self.assert_ended(server)

    def test_an_allocation_opens_the_room_that_it_names(self):
        folder, keys = self.make_keys()
        self.side_car.start()
        server = self.serve("--key-file", keys).wait()
        self.become("Ready")
        self.assertTrue(self.count_is("rooms", 1))
        game = {"tickbox.dev/game": "bomber", "tickbox.dev/seed": "7"}
        allocated = [self.side_car.allocate(game, ["rooms"]),
                     self.side_car.allocate(game | {"tickbox.dev/map": "none"}, ["rooms"]),
                     self.side_car.allocate({"tickbox.dev/game": "arena", "tickbox.dev/map": "", "tickbox.dev/seed": ""},
                                            ["rooms"])]

        def named():
            return json.loads(self.side_car.annotations.get("agones.dev/sdk-tickbox-rooms", "[]"))

        self.assertTrue(eventually(lambda: len(named()) == 3), server.lines)
        # Each is named once it is answered, and a refusal is answered sooner than a room opens.
        rooms = {room["allocated"]: room for room in named()}
        first, refused, last = (rooms[each] for each in allocated)
        self.assertEqual((first["room"], first["game"], first["shard"]), (2, "bomber", 0))
        self.assertIn("none", refused["error"])
        self.assertEqual((last["room"], last["game"]), (3, "arena"), "not the map of the one before")
        # The second allocation has counted a room that does not exist.
        self.assertTrue(self.count_is("rooms", 3))
        token = os.path.join(folder, "token")
        self.assertEqual(tickbox("token", "issue", "--key-file", keys, "--client", "7", "--server", server.address,
                                 "--room", "2", "--expires", "5m", "--out", token).returncode, 0)
        played = tickbox("connect", server.address, "--seconds", "0.3", "--json", "--token", token)
        self.assertEqual(json.loads(played.stdout.splitlines()[-1])["game"], "bomber")
        server.terminate()
        self.assert_ended(server)

    def test_a_room_that_nobody_joins_closes_and_is_not_counted(self):
        self.side_car.start()
        server = self.serve("--close-when-empty", "2s").wait()
        self.become("Ready")
        self.assertTrue(self.count_is("rooms", 1))
        for room in (2, 3):
            self.side_car.allocate({"tickbox.dev/game": "bomber"}, ["rooms"])
            self.assertTrue(eventually(lambda: server.logged(f" room_closed room={room} ")), server.lines)
            self.assertTrue(self.count_is("rooms", 1))
        server.terminate()
        self.assert_ended(server)

    def test_what_the_spec_does_not_have(self):
        del self.side_car.counters["rooms"]
        del self.side_car.lists["players"]
        self.side_car.start()
        server = self.serve().wait()
        self.become("Ready")
        self.assertTrue(eventually(lambda: server.logged(" agones_counter_missing counter=rooms ")))
        self.assertTrue(eventually(lambda: server.logged(" agones_list_missing list=players ")))
        server.terminate()
        self.assert_ended(server)
        for call in ("PATCH /v1beta1/counters/rooms", "GET /v1beta1/lists/players"):
            self.assertEqual(len(self.side_car.times(call)), 1)

    def test_wrong_usage(self):
        for variables, arguments, words in (
            ({"AGONES_SDK_HTTP_PORT": "70000"}, ["--agones"], "AGONES_SDK_HTTP_PORT: '70000' is not a port"),
            ({}, ["--public-address", "agones"], "add --agones"),
        ):
            ended = subprocess.run([os.path.join(programs.folder, "tickbox-server"), *arguments], timeout=PATIENCE,
                                   env=environment(**variables), capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(words, ended.stderr)


if __name__ == "__main__":
    programs.folder = sys.argv.pop(1)
    unittest.main(verbosity=1)
