#!/usr/bin/python3
"""The Jobs of docker/kubernetes: their parts run at once, on recordings and against a server as they would meet.

    jobs_test.py PROGRAMS [unittest options]     PROGRAMS: the folder with tickbox-server and tickbox
"""

import sys

sys.dont_write_bytecode = True

import glob
import json
import os
import signal
import subprocess
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "agones"))

try:
    import manifests
except ImportError:
    print("SKIPPED: this needs Debian's python3-yaml")
    sys.exit(77)
import programs
from programs import PATIENCE, Server, environment, tickbox

JOBS = {each.command()[0]: each for manifest in manifests.read_all() if manifest.kind == "Job"
        for each in manifest.containers()}


class JobsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_parts(self, job, meanwhile=lambda parts: None, **others):
        """Runs all parts at once, in the folder of this test and with other values of options.

        Returns their exit codes, and their logs as those of containers: stdout and stderr in one.
        """
        spec = job.manifest.spec
        self.assertEqual((spec["completionMode"], spec["parallelism"]), ("Indexed", spec["completions"]))
        self.assertEqual(job.option("--part"), f"auto/{spec['completions']}")
        args = []
        for word in job.args:
            name, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
            value = others.get(name.strip("-") or word, value)
            args.append(name + equals + (self.folder + value if value.startswith("/") else value))
        parts = []
        for index in range(spec["completions"]):
            words = [word.replace("$(JOB_COMPLETION_INDEX)", str(index)) for word in args]
            parts.append(subprocess.Popen([os.path.join(programs.folder, "tickbox"), *words], text=True,
                                          env=environment(JOB_COMPLETION_INDEX=str(index)), stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT))
        meanwhile(parts)
        logs = [part.communicate(timeout=PATIENCE)[0] for part in parts]
        return [part.returncode for part in parts], logs

    def test_every_recording_is_verified_once_and_a_difference_fails_its_part(self):
        job = JOBS["replay"]
        recordings, verified = (os.path.join(self.folder, name) for name in ("recordings", "verified"))
        os.mkdir(verified)
        played = programs.run("tickbox-server", "--port", "0", "--admin-port", "0", "--rooms", "8", "--ticks", "120",
                              "--max-clients", "16", "--record", recordings)
        self.assertEqual(played.returncode, 0, played.stderr)
        names = sorted(glob.glob(recordings + "/*.tickbox"))
        self.assertEqual(len(names), 8)
        codes, logs = self.run_parts(job)
        self.assertEqual(codes, [0, 0, 0, 0], logs)
        lines = []
        for path in glob.glob(verified + "/*.jsonl"):
            with open(path, encoding="utf-8") as file:
                lines += [json.loads(line) for line in file]
        self.assertEqual(sorted(os.path.basename(line["file"]) for line in lines), list(map(os.path.basename, names)))
        self.assertEqual({line["outcome"] for line in lines}, {"whole"})
        # Another recording has come. The parts, started again, verify that one alone.
        with open(names[0], "rb") as file:
            content = bytearray(file.read())
        content[len(content) // 2] ^= 1
        with open(os.path.join(recordings, "damaged.tickbox"), "wb") as file:
            file.write(content)
        codes, logs = self.run_parts(job)
        self.assertEqual(sorted(codes), [0, 0, 0, 3], logs)
        summaries = [json.loads(line) for log in logs for line in log.splitlines() if line.startswith('{"files":')]
        self.assertEqual(sum(summary["skipped"] for summary in summaries), 8)
        failing = [rule["onExitCodes"] for rule in job.manifest.spec["podFailurePolicy"]["rules"]
                   if rule["action"] == "FailIndex"]
        self.assertEqual([(rule["containerName"], rule["values"]) for rule in failing], [(job.spec["name"], [2, 3])])

    def test_the_parts_of_the_load_are_one_run(self):
        keys, admin, metrics = (os.path.join(self.folder, *path) for path in (
            ("keys", "ring"), ("admin", "token"), ("metrics", "token")))
        for path in (keys, admin, metrics):
            os.mkdir(os.path.dirname(path))
        self.assertEqual(tickbox("token", "keygen", "--out", keys).returncode, 0)
        secret = "a-token-of-the-test"
        for path, text in ((admin, "another-" + secret), (metrics, secret)):
            with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text + "\n")
        job = JOBS["load"]
        server = Server("--key-file", keys, "--rooms", job.option("--rooms"), "--max-clients", "16",
                        "--admin-token-file", admin, "--metrics-token-file", metrics)
        self.addCleanup(server.close)
        server.wait()
        places = {job.args[1]: f"127.0.0.1:{server.port}", "admin": f"127.0.0.1:{server.admin_port}"}

        def stop_the_last(parts):
            self.assertTrue(programs.eventually(
                lambda: "\ntickbox_clients 8\n" in programs.http_get(server.admin, "/metrics", token=secret)[1]))
            parts[-1].send_signal(signal.SIGINT)

        codes, logs = self.run_parts(job, stop_the_last, clients="8", ramp="1", seconds="5", **places)
        # A machine that is busy with others makes a result inconclusive, too.
        self.assertLessEqual(set(codes[:-1]), {0, 5}, logs)
        self.assertEqual(codes[-1], 5, logs)
        # Before the fix, the reason after the document of the stopped part hid it.
        self.assertFalse(logs[-1].splitlines()[-1].startswith("{"), logs[-1])
        files = [os.path.join(self.folder, f"part{index}.json") for index in range(4)]
        for path, log in zip(files, logs):
            with open(path, "w", encoding="utf-8") as file:
                file.write(log)
        merged = tickbox("load", "merge", "--json", *files)
        self.assertEqual(merged.returncode, 5, merged.stderr)
        document = json.loads(merged.stdout.splitlines()[-1])
        clients = document["clients"]
        self.assertEqual((clients["asked"], clients["connected"], clients["dropped"]), (8, 8, 0))
        self.assertIsNotNone(document["tick_ms"]["p99"], "the figures of the server")


if __name__ == "__main__":
    programs.folder = sys.argv.pop(1)
    unittest.main(verbosity=1)
