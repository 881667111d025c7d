#!/usr/bin/python3
"""docker/FLEET.md: its commands for one machine run as they stand there; the files and figures that it names exist.

    page_test.py PROGRAMS [unittest options]     PROGRAMS: the folder with tickbox-server and tickbox
"""

import sys

sys.dont_write_bytecode = True

import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "agones"))

import programs
from programs import PATIENCE, environment

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


GATEWAY = os.path.join(TOP, "server", "gateway", "options.js")
PAGE = read(os.path.join(TOP, "docker", "FLEET.md"))
BLOCKS = re.findall(r"^```(.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
HERE = "".join(text for kind, text in BLOCKS if kind == "sh")
CLUSTER = "".join(text for kind, text in BLOCKS if kind == "sh cluster")


# A Job that has failed at the second look.
KUBECTL = """echo "$*" >>calls
case "$1 $2" in
  'get job') if [ -e looked ]; then printf 'FailureTarget Failed'; fi; touch looked ;;
  'apply -f') if [ "$3" = - ]; then cat >/dev/null; fi ;;
esac
"""


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class FleetPageTest(unittest.TestCase):
    def test_the_commands_for_one_machine(self):
        self.assertEqual({kind for kind, _ in BLOCKS}, {"sh", "sh cluster"})
        port, admin = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_STREAM)
        script = HERE.replace("127.0.0.1:7777", f"127.0.0.1:{port}").replace("127.0.0.1:9180", f"127.0.0.1:{admin}")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(TOP, "docker"), os.path.join(folder, "docker"))
            variables = environment(PATH=f"{programs.folder}:{os.environ['PATH']}", TICKBOX_PORT=str(port),
                                    TICKBOX_ADMIN_PORT=str(admin))
            script = "trap 'kill $! 2>/dev/null || true' EXIT\n" + script
            ended = subprocess.run(["bash", "-euxo", "pipefail", "-c", script], cwd=folder, env=variables, check=False,
                                   timeout=4 * PATIENCE, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            log = read(os.path.join(folder, "server.log"))
            self.assertRegex(log, r'"event":"session_opened",[^\n]*"room":2,[^\n]*"client":"7"')
            for name, image in (("fleet", "server"), ("servers", "server"), ("matchmaker", "matchmaker"),
                                ("gateway", "gateway")):
                self.assertIn(f"image: registry.example/tickbox-{image}\n", read(os.path.join(folder, name + ".yaml")))
            keep = re.search(r"`(sed -i [^`]* fleet\.yaml)`", PAGE)[1]
            subprocess.run(["bash", "-c", keep], cwd=folder, check=True, timeout=PATIENCE)
            self.assertTrue(read(os.path.join(folder, "fleet.yaml")).endswith(
                "- name: recordings\n              persistentVolumeClaim: {claimName: recordings}\n"))

    def test_the_commands_for_a_cluster_name_files_that_exist(self):
        made = set(re.findall(r">(\w+\.yaml)", HERE))
        used = {path for found in re.findall(r" -f (\S+)|(\S+\.yaml) \|", CLUSTER) for path in found} - {"", "-"}
        self.assertGreater(len(used), 5)
        for path in used:
            self.assertTrue(path in made or os.path.exists(os.path.join(TOP, path)), path)
        for path in re.findall(r"`((?:agones|kubernetes)/\S+)`", PAGE):
            self.assertTrue(os.path.exists(os.path.join(TOP, "docker", path)), path)
        # Each manifest and program for a fleet is on the page.
        for folder in ("agones", "kubernetes"):
            for name in os.listdir(os.path.join(TOP, "docker", folder)):
                self.assertIn(name, PAGE)
        options = programs.run("tickbox-server", "--help").stdout
        options += "".join(f"  --{name} " for name in re.findall(r'{ name: "([a-z-]+)"', read(GATEWAY)))
        text = "\n".join(line for line in PAGE.splitlines() if not line.startswith("|"))
        for option in re.findall(r"`(--[a-z-]+)", text):
            self.assertTrue(f"  {option} " in options, option)

    # Before the fix, a Job was begun once and never again, and one that failed was waited for in vain.
    def test_the_commands_of_a_job_begin_it_again_and_end_when_it_fails(self):
        blocks = [text for kind, text in BLOCKS if kind == "sh cluster" and "-job.yaml" in text]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(os.path.join(TOP, "docker"), os.path.join(folder, "docker"))
                for name, text in (("sleep", ""), ("tickbox", ""), ("kubectl", KUBECTL)):
                    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                        file.write("#!/bin/sh\n" + text)
                    os.chmod(file.name, 0o755)
                subprocess.run(["bash", "-c", block], cwd=folder, check=True, timeout=PATIENCE, capture_output=True,
                               env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
                calls = read(os.path.join(folder, "calls")).splitlines()
            delete, job = re.search(r"kubectl (delete job (\S+) --ignore-not-found .*)\n", block).groups()
            self.assertLess(calls.index(delete), calls.index("apply -f -"))
            self.assertEqual(sum(call.startswith(f"get job {job} ") for call in calls), 2)

    def test_figures_and_their_commands_are_in_the_evidence(self):
        evidence = read(os.path.join(TOP, "tests", "EVIDENCE.md"))
        rows = re.findall(r"^\| (.*) \| `(.*)` \|$", PAGE[PAGE.index("| figure | command |"):], re.MULTILINE)
        self.assertEqual(len(rows), 5)
        for figure, command in rows:
            self.assertIn(command, evidence)
            for number in re.findall(r"[0-9][0-9.,]*[0-9]|[0-9]", figure):
                self.assertRegex(evidence, rf"(?<![0-9.,]){re.escape(number)}(?![0-9])")


if __name__ == "__main__":
    programs.folder = sys.argv.pop(1)
    unittest.main(verbosity=1)
