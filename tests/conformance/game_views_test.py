#!/usr/bin/python3
"""Reads the snapshots of a match of a game, and compares them with what entered each tick and with each state.

game_views_test.py PROGRAM GAME: PROGRAM prints the match. Exit 0, or 3 where a bit is not as the standard says.
"""

import subprocess
import sys

import game
import game_views

def held_before(reader, records, frames, tick, seat):
    """The input that a player held before a tick gave it another one."""
    by_default = {field.name: list(field.by_default) for field in reader.input.fields}
    others = {outcome[2] for outcome in records[tick]["outcomes"] if outcome[0] in ("joined", "left")}
    if seat in others or tick - 1 not in frames or not frames[tick - 1]["seats"][seat]["taken"]:
        return by_default
    return frames[tick - 1]["seats"][seat]["input"]


def check_causes(reader, content, records, frames):
    """Returns what of the causes did not enter its tick; empty where all did."""
    told = {}
    for tick, member, changes in content["inputs"]:
        seat = member >> 32 & 0xFFF
        given = records[tick]["inputs"].get(seat)
        held = held_before(reader, records, frames, tick, seat)
        if given is None or game_views.changed_by(changes, held) != given:
            return f"an input of seat {seat} at tick {tick} is not the one recorded"
    for tick, member, outcome in content["outcomes"]:
        if outcome[0] == "strike":
            if ("strike", 0, outcome[1], member) not in records[tick]["outcomes"]:
                return f"a strike at tick {tick} was not recorded"
            continue
        decided = [(each[1], each[2], each[4]) for each in records[tick]["outcomes"]
                   if each[0] == "decided" and each[3] == member]
        nth = told.setdefault((tick, member), 0)
        told[(tick, member)] += 1
        if nth >= len(decided) or decided[nth] != outcome[1:]:
            return f"an outcome at tick {tick} was not recorded"
    for tick, room in content["room"].items():
        if room != frames[tick]["room"]:
            return f"the room of tick {tick} is not the one recorded"
    return ""


def check_rows(content, frame, members):
    """Returns which row in full is not the one of the keyframe; empty where all are."""
    entities = {entity["id"]: entity for entity in frame["entities"]}
    for row in content["rows"]:
        entity = entities.get(row["id"])
        if row["id"] not in members or entity is None:
            return f"row {row['id']} is in no view"
        for part in ("kind", "new", "place", "state", "parent", "extra"):
            if row[part] != entity[part]:
                return f"row {row['id']}: {part} is {row[part]}, not {entity[part]}"
        if "input" in row and row["input"] != frame["seats"][row["id"] >> 32 & 0xFFF]["input"]:
            return f"row {row['id']}: its player holds another input"
    return ""


def check_members(content, base, members, frame):
    """Returns which member of the base is lost; empty where none is."""
    ids = {entity["id"] for entity in frame["entities"]}
    if set(content["exits"]) & set(members):
        return "a member that leaves stays"
    in_full = {row["id"] for row in content["rows"]}
    for member in base or []:
        if member in ids and member not in content["exits"] and member not in members:
            return f"member {member} leaves without an exit"
    for member in members:
        if member not in (base or []) and member not in in_full and member >> 62 != 2:
            return f"member {member} appears without a row"
    return ""


def refuses(views, raw, tick, age, base, wanted):
    """Turns each bit. Returns how many can be turned without a refusal and without another content."""
    silent = 0
    for at in range(8 * len(raw)):
        altered = bytearray(raw)
        altered[at // 8] ^= 1 << at % 8
        try:
            content = views.content(bytes(altered), tick, age, base)
        except game.Malformed:
            continue
        silent += content == wanted
    return silent


def main():
    program, name = sys.argv[1:]
    lines = subprocess.run([program, name], check=True, capture_output=True, text=True).stdout.splitlines()
    reader = game.Game(bytes.fromhex(lines[0].split(" ")[1]))
    views = game_views.Views(reader)
    records, frames, held, seen, altered, log = {}, {}, {}, set(), 0, None
    commands = []
    for line in lines[1:]:
        word, *fields = line.split(" ")
        if word == "commands":
            commands = views.commands(bytes.fromhex(fields[0]))
            seen.add("commands")
        elif word == "record":
            record = log.record(bytes.fromhex(fields[0]))
            commanded = [(each[3], each[4]) for each in record["outcomes"] if each[0] == "commanded"]
            if [each[1:] for each in commands] != commanded:
                return f"the commands after tick {tick} are not those recorded"
            if commands and [each[0] for each in commands] != [tick + 1 + i for i in range(len(commands))]:
                return f"the commands after tick {tick} have other numbers"
            commands = []
        elif word == "keyframe":
            frame = reader.keyframe(bytes.fromhex(fields[0]))
            tick = frame["tick"]
            frames[tick] = frame
            if log is None:
                log = game.TickLog(reader, frame)
                continue
            records[tick] = record
            frames.pop(tick - 70, None)
        elif word == "events":
            events = views.events(bytes.fromhex(fields[0]))
            numbers = [event[0] for event in events]
            if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
                return f"events at tick {tick} are not consecutive"
            seen.update("event" if event[2] else "seat event" for event in events)
        elif word == "content":
            age, told, raw = int(fields[0]), int(fields[1]), bytes.fromhex(fields[2])
            members = [int(member) for member in fields[3].split(",") if member]
            base = held[tick - age] if age else None
            content = views.content(raw, tick, age, base)
            wrong = (check_causes(reader, content, records, frames) or check_rows(content, frame, members) or
                     check_members(content, base, members, frame))
            if not wrong and views.view_hash(frame, members) != told:
                wrong = "the hash of the view is another one"
            if wrong:
                return f"tick {tick}: {wrong}"
            if len(held) % 97 == 0:
                altered += 8 * len(raw)
                silent = refuses(views, raw, tick, age, base, content)
                if silent:
                    return f"tick {tick}: {silent} bits of a content can be turned without effect"
            held[tick] = members
            seen.update(part for part, value in content.items() if value)
            seen.update(outcome[2][0] for outcome in content["outcomes"])
    wanted = {"inputs", "outcomes", "exits", "rows", "decided", "strike", "event", "seat event"}
    wanted |= {"room"} if reader.room.fields else set()
    wanted |= {"commands"} if reader.commands else set()
    if wanted - seen:
        return f"the match has no {sorted(wanted - seen)}"
    print(f"{len(held)} snapshots of {name} are as the standard says; {altered} bits turned, each with an effect")
    return None


if __name__ == "__main__":
    try:
        error = main()
    except game.Malformed as malformed:
        error = str(malformed)
    if error:
        print(error)
    sys.exit(3 if error else 0)
