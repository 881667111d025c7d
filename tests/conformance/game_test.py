#!/usr/bin/python3
"""Reads a match of a game by the game's descriptor, and follows seats, inputs and sources from record to keyframe.

game_test.py PROGRAM GAME: PROGRAM prints the match. Exit 0, or 3 where a byte is not as the standard says, a state does
not follow or has another hash, or a kind of entry is missing.
"""

import subprocess
import sys

import game


def follow(reader, before, record, after):
    """Returns what of the keyframe does not follow from the one before and the record; empty where all does."""
    taken = {number: dict(seat) for number, seat in enumerate(before["seats"]) if seat["taken"]}
    ids = {entity["id"] for entity in before["entities"]}
    for outcome in record["outcomes"]:
        if outcome[0] == "left":
            del taken[outcome[2]]
        elif outcome[0] == "joined":
            taken[outcome[2]] = None
    now = {number for number, seat in enumerate(after["seats"]) if seat["taken"]}
    if now != set(taken):
        return f"the seats taken are {sorted(now)}, not {sorted(taken)}"
    for number, (client, _) in record["joins"].items():
        if client != after["tick"] << 16 | number:
            return f"the client of seat {number} is {client}"
    states = {outcome[2]: outcome[3] for outcome in record["outcomes"] if outcome[0] == "seat"}
    presses = [field.name for field in reader.input.fields if field.form == game.PRESS]
    for number in now:
        seat = after["seats"][number]
        if number in states and seat["state"] != states[number]:
            return f"the state of seat {number} is not the one recorded"
        if seat["source"] != record["sources"][number]:
            return f"the source of seat {number} is not the one recorded"
        if any(value for name in presses for value in seat["input"][name]):
            return f"a press of seat {number} is down between ticks"
        given = record["inputs"].get(number)
        held = taken[number]["input"] if taken[number] else None
        if given is None and held is not None and seat["input"] != held:
            return f"the input of seat {number} has changed without a record"
    for entity in after["entities"]:
        is_server_spawned = entity["id"] >> 62 == 1
        recorded = {outcome[4] for outcome in record["outcomes"] if outcome[0] == "spawned"}
        if entity["id"] not in ids and is_server_spawned and entity["id"] not in recorded:
            return f"entity {entity['id']} appears without a record"
    return ""


def main():
    program, name = sys.argv[1:]
    lines = subprocess.run([program, name], check=True, capture_output=True, text=True).stdout.splitlines()
    word, data = lines[0].split(" ")
    assert word == "descriptor"
    reader = game.Game(bytes.fromhex(data))
    if reader.name != name:
        print(f"the descriptor is of {reader.name}")
        return 3
    before = reader.keyframe(bytes.fromhex(lines[1].partition(" ")[2]))
    log, seen, refused = game.TickLog(reader, before), set(), 0
    for record_line, keyframe_line in zip(lines[2::2], lines[3::2]):
        raw = bytes.fromhex(record_line.partition(" ")[2])
        for altered in (raw[:-1], raw + b"\0") if raw else ():
            try:
                game.TickLog(reader, before).record(altered)
            except (game.Malformed, IndexError):
                refused += 1
        record = log.record(raw)
        frame = reader.keyframe(bytes.fromhex(keyframe_line.partition(" ")[2]))
        seen.update(outcome[0] for outcome in record["outcomes"])
        seen.update(["fixed"] * any(entity["motion"] == game.FIXED for entity in frame["entities"]))
        seen.update(["input"] * bool(record["inputs"]))
        seen.update(f"source {source}" for source in record["sources"].values())
        seen.update(["user bytes"] * any(user for _, user in record["joins"].values()))
        if reader.state_hash(frame) != frame["hash"]:
            print(f"tick {frame['tick']}: the state has another hash")
            return 3
        wrong = follow(reader, before, record, frame)
        if wrong:
            print(f"tick {frame['tick']}: {wrong}")
            return 3
        before = frame
    ticks = len(lines) // 2 - 1
    wanted = {"left", "joined", "spawned", "decided", "seat", "secret", "input", "strike", "user bytes",
              "source 0", "source 1", "source 2"}
    if name == "menagerie":
        wanted |= {"room", "removed", "focused", "commanded", "fixed", "published"}
    if not wanted <= seen:
        print(f"not seen: {sorted(wanted - seen)}")
        return 3
    print(f"ok - {name}: {ticks} ticks, {len(reader.kinds)} kinds, {refused} altered records refused")
    return 0


try:
    sys.exit(main())
except game.Malformed as error:
    print(error)
    sys.exit(3)
