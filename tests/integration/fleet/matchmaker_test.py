#!/usr/bin/python3
"""docker/agones/matchmaker.py beside a stand-in of the Kubernetes API, and a real server that admits its players.

    matchmaker_test.py PROGRAMS [unittest options]     PROGRAMS: the folder with tickbox-server and tickbox
"""

import sys

sys.dont_write_bytecode = True

import argparse
import concurrent.futures
import http.client
import importlib.util
import json
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "agones"))

try:
    import manifests
except ImportError:  # no python3-yaml
    manifests = None
import programs
from allocation_api import NAMESPACE, AllocationApi
from programs import PATIENCE, Server, eventually, tickbox
from side_car import SideCar

PROGRAM = os.path.join(FOLDER, "..", "..", "..", "docker", "agones", "matchmaker.py")
TOKEN = "a-token-of-the-account"
LOOK = 1.1  # seconds until the matchmaker looks at a server again


def rights(role):
    """What a Role permits: (verb, group, resource)."""
    found = [each.document for each in manifests.read_all() if each.kind == "Role" and each.name == role]
    return {(verb, group, resource) for each in found for rule in each["rules"] for verb in rule["verbs"]
            for group in rule["apiGroups"] for resource in rule["resources"]}


def loaded_program():
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("matchmaker", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MatchmakerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.keys = os.path.join(self.folder, "ring")
        self.assertEqual(tickbox("token", "keygen", "--out", self.keys).returncode, 0)
        for name, text in (("token", TOKEN), ("namespace", NAMESPACE)):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                file.write(text + "\n")
        self.side_car = SideCar({"players": 16, "rooms": 3})
        self.side_car.start()
        self.addCleanup(self.side_car.stop)
        self.api = AllocationApi(self.side_car, TOKEN)
        self.addCleanup(self.api.stop)

    def serve(self):
        server = Server("--agones", "--public-address=agones", "--key-file", self.keys, "--max-clients=8",
                        AGONES_SDK_HTTP_PORT=str(self.side_car.port))
        self.addCleanup(server.close)
        server.wait()
        self.assertTrue(eventually(lambda: self.side_car.state == "Ready"))
        # Its first room.
        self.assertTrue(eventually(lambda: self.side_car.counters["rooms"]["count"] == 1))
        return server

    def be_server(self):
        """Is the server in its place. It does not ping."""
        self.side_car.unhealthy_after = float("inf")
        self.side_car.change(state="Ready")

    def match(self, *options):
        """Starts the matchmaker."""
        self.matchmaker = subprocess.Popen(
            ["/usr/bin/python3", PROGRAM, "--port", "0", "--api", self.api.url, "--account", self.folder, "--key-file",
             self.keys, "--tickbox", os.path.join(programs.folder, "tickbox"), *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.port = int(self.matchmaker.stderr.readline().rsplit(":", 1)[1])
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.matchmaker.stderr), daemon=True)
        self.reader.start()

    def end(self):
        """Returns the exit code and the log."""
        self.matchmaker.terminate()
        code = self.matchmaker.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.matchmaker.stderr.close()
        return code, "".join(self.lines)

    def ask(self, body, path="/match", method="POST"):
        """Returns status, document and headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body=body if isinstance(body, str) else json.dumps(body))
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith("{") else text, answer.headers

    def join(self, player):
        status, place, _ = self.ask({"player": player})
        self.assertEqual(status, 200, f"{place} {self.lines}")
        return place

    def play(self, server, place):
        """Returns the exit code of a client with this token, and its last words."""
        token = os.path.join(self.folder, "player.token")
        with open(token, "w", encoding="ascii") as file:
            file.write(place["token"] + "\n")
        os.chmod(token, 0o600)
        ended = tickbox("connect", f"127.0.0.1:{server.port}", "--seconds", "0.3", "--token", token)
        return ended.returncode, ended.stderr

    def assert_no_place(self, reason):
        status, document, headers = self.ask({"player": 99})
        self.assertEqual((status, document, headers["Retry-After"]), (503, {"error": "no place now, ask again"}, "2"))
        self.assertTrue(eventually(lambda: reason in "".join(self.lines)), self.lines)

    def test_players_fill_a_match_and_their_tokens_admit_them(self):
        server = self.serve()
        self.match("--seats", "2")
        places = [self.join(player) for player in (7, 8, 7, 9)]
        self.assertEqual([place["room"] for place in places], [2, 2, 2, 3], "room 1 is there from the start")
        self.assertEqual({(place["address"], place["port"]) for place in places}, {("127.0.0.1", 7010)})
        for place in places[1:]:
            self.assertEqual(self.play(server, place)[0], 0)
        self.assertEqual(self.play(server, places[1])[0], 4, "a token admits once")
        opened = re.findall(r" session_opened room=([0-9]+) .*client=([0-9]+) ", "".join(server.lines))
        self.assertEqual(opened, [("2", "8"), ("2", "7"), ("3", "9")])
        # Three rooms are all that the server takes.
        self.join(10)
        self.assert_no_place("no server is free: UnAllocated")
        code, log = self.end()
        self.assertEqual(code, 0)
        self.assertIn("joined player=8 server=tickbox-x7 room=2\n", log)
        with open(self.keys, encoding="ascii") as file:
            secrets = [file.read().split()[1], TOKEN, *(place["token"] for place in places)]
        for secret in secrets:
            self.assertNotIn(secret, log)
        self.assertEqual(self.api.violations + self.side_car.violations, [])
        self.assertEqual(self.api.asked, rights("matchmaker") if manifests else self.api.asked)

    def test_players_who_ask_at_once_share_a_match(self):
        self.serve()
        self.match("--seats", "16")
        # Before the fix, the queue of connections had five places, and others were reset.
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            rooms = [place["room"] for place in pool.map(self.join, range(16))]
        self.assertEqual(rooms, [2] * 16)
        self.assertEqual(len(self.api.bodies), 1)

    def test_a_match_that_is_old_or_whose_server_is_gone_takes_nobody(self):
        self.serve()
        self.match("--fill", "0")
        self.assertEqual([self.join(player)["room"] for player in (7, 8)], [2, 3])
        self.end()
        self.side_car.counters["rooms"]["capacity"] = 4
        self.match()
        self.join(7)
        self.api.is_gone = True
        time.sleep(LOOK)
        self.assert_no_place("no server is free")

    def test_a_server_that_drains_takes_nobody(self):
        self.be_server()
        self.match()
        # Before the fix, an answer without a room was an error of Python, and each try leaked an allocation.
        self.api.rooms = [{"error": "the server drains"}, {"room": 5}]
        self.assertEqual(self.join(7)["room"], 5)
        self.assertEqual(len(self.api.bodies), 2)
        self.assertIn("refused server=tickbox-x7 reason='the server drains'\n", self.lines)
        # Before the fix, a server that began to drain was sent players until its match was full.
        self.side_car.counters["rooms"]["capacity"] = self.side_car.counters["rooms"]["count"]
        self.side_car.change(annotations=self.side_car.annotations | {"agones.dev/sdk-tickbox-drains": "true"})
        time.sleep(LOOK)
        self.assert_no_place("no server is free")
        self.assertEqual(len(self.api.bodies), 3)

    # Before the fix, one server with such an annotation kept all players of the fleet waiting, for as long as it was there.
    def test_a_server_that_says_nonsense_is_left_out(self):
        self.be_server()
        self.match("--fill", "0")
        nonsense = ["not json", "7", "null", "[7]", '[{"room": 5}]', "[" * 50_000, {"room": "5"}, {"room": 0},
                    {"room": 2**32}, {"room": 5.5}, {"room": True}, {"room": None}, {"port": 5}]
        for number, said in enumerate(nonsense):
            self.side_car.counters["rooms"]["count"] = 1
            self.api.rooms = [said, {"room": 5}]
            self.assertEqual(self.join(number)["room"], 5, said)
            self.assertEqual(len(self.api.bodies), 2 * number + 2)

    # What a server can make this program raise does not keep players waiting either.
    def test_a_server_has_its_time_whatever_is_raised(self):
        maker, logged = loaded_program(), []
        maker.OPENING, maker.TRIES, maker.log = 0.3, 2, logged.append
        matchmaker = maker.Matchmaker(argparse.Namespace(account=self.folder, api=self.api.url))
        allocated = []
        matchmaker.allocate = lambda: allocated.append(len(allocated)) or {
            "server": f"tickbox-{len(allocated)}", "allocated": "now", "until": time.monotonic() + maker.OPENING}
        servers = {"tickbox-1": {"metadata": {}}, "tickbox-2": {"status": {"state": "Allocated"}, "metadata": {
            "annotations": {"agones.dev/sdk-tickbox-rooms": '[{"allocated": "now", "room": 5}]'}}}}
        matchmaker.game_server = servers.get
        begin = time.monotonic()
        while time.monotonic() - begin < 5:
            try:
                self.assertEqual(matchmaker.open_match()["room"], 5)
                break
            except KeyError:
                time.sleep(0.05)
        self.assertEqual(len(allocated), 2)
        self.assertGreaterEqual(time.monotonic() - begin, maker.OPENING, "a fault of Kubernetes costs no room")
        self.assertIn("refused server=tickbox-1", logged[0])

    # Before the fix, each failure counted as the end of the server, and left a room that nobody played in.
    def test_a_fault_costs_no_room(self):
        self.be_server()
        self.match()
        self.api.rooms = [{"room": 5}]
        self.join(7)
        self.api.failing = ("GET",)
        for self.api.status in (429, 500, 403):
            time.sleep(LOOK)
            self.assert_no_place(str(self.api.status))
        self.api.status = None
        self.assertEqual(self.join(8)["room"], 5)
        self.assertEqual(len(self.api.bodies), 1)
        # The state of a server holds for a second.
        looks = len(self.api.looks)
        for player in range(9, 14):
            self.join(player)
        self.assertLessEqual(len(self.api.looks) - looks, 2)

    def test_faults_of_kubernetes_are_no_place(self):
        self.match()
        self.assert_no_place("no server is free")
        self.api.status = 403
        self.assert_no_place("403")
        self.api.status = None
        # Nobody opens the room.
        self.be_server()
        before = len(self.api.bodies)
        self.assert_no_place("has not opened the room")
        with open(os.path.join(self.folder, "token"), "w", encoding="ascii") as file:
            file.write("an-old-one")
        self.assert_no_place("401")
        # The room opens after all, and is used.
        with open(os.path.join(self.folder, "token"), "w", encoding="ascii") as file:
            file.write(TOKEN)
        said = json.dumps([{"allocated": self.side_car.annotations["agones.dev/last-allocated"], "room": 5}])
        self.side_car.change(annotations=self.side_car.annotations | {"agones.dev/sdk-tickbox-rooms": said})
        self.assertEqual(self.join(7)["room"], 5)
        self.assertEqual(len(self.api.bodies), before + 1)
        self.api.delay = 7
        time.sleep(LOOK)
        self.assert_no_place("timed out")

    def test_a_key_file_that_is_missing_is_no_place(self):
        self.serve()
        os.remove(self.keys)
        self.match()
        self.assert_no_place("no token: tickbox token: cannot read")

    def test_bad_input(self):
        self.match()
        for body in ("", "{", "[]", "7", '{"player": "7"}', '{"player": true}', '{"player": 7.5}', '{"player": -1}',
                     '{"player": 18446744073709551616}', '{"players": 7}', "[" * 1000,
                     '{"player": 7, "more": "' + 2000 * "x" + '"}'):
            self.assertEqual(self.ask(body)[:2], (400, {"error": 'the body is not like {"player": 7}'}), body)
        self.assertEqual(self.ask({"player": 7}, path="/other")[0], 404)
        self.assertEqual(self.ask("", method="GET")[0], 501)
        self.assertEqual(self.api.bodies, [])

    def test_it_asks_what_the_manifest_asks(self):
        if not manifests:
            self.skipTest("this needs Debian's python3-yaml")
        matchmaker = loaded_program()
        wanted = [each.document for each in manifests.read_all() if each.kind == "GameServerAllocation"]
        self.assertEqual([matchmaker.ALLOCATION], wanted)
        fleet = next(each for each in manifests.read_all() if each.kind == "Fleet").containers()[0]
        shown = subprocess.run([PROGRAM, "--help"], env=programs.environment(COLUMNS="200"), capture_output=True, text=True,
                               check=True, timeout=PATIENCE).stdout
        seats, fill = (re.search(rf"  --{name} .*\(([0-9.]+)\)\n", shown)[1] for name in ("seats", "fill"))
        self.assertEqual(seats, fleet.option("--max-clients"))
        with open(PROGRAM, encoding="utf-8") as file:
            program = file.read()
        self.assertLessEqual(len(program.splitlines()), 205)
        expires = manifests.seconds(re.search(r'"--expires", "([^"]+)"', program)[1])
        for option in ("--close-when-empty", "--exit-when-empty"):
            self.assertLess(float(fill) + expires, manifests.seconds(fleet.option(option)))


if __name__ == "__main__":
    programs.folder = sys.argv.pop(1)
    unittest.main(verbosity=1)
