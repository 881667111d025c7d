"""Who is in a view, as far as that follows without stepping.

Members are numbered by id, and so those come first that players control or the server has spawned. Of these every
number is known: in the games of the scenes none of them despawns by the rules. Behind them are those that entities
have spawned, of which only the ones told in full are certain."""

from collections import namedtuple

from flatbuffer import need
from game import BY_ENTITY, PRESS, class_of, generation_of, seat_of
from game_views import MEMBERS_MAX

OTHER = "other"  # a flag has changed

# A member that is replayed: the causes told of it, by tick. Inputs are values by (field, number).
Replayed = namedtuple("Replayed", "id inputs outcomes")


def is_solid(member):
    return class_of(member) != BY_ENTITY


def who_of(avatar):
    """The player in its seat, as a session knows it."""
    return generation_of(avatar) << 12 | seat_of(avatar)


def told_values(changes):
    """The values that change, by (field, number); of one of two values that is no press, only that it changes."""
    return {
        (field.name, i): (1 if field.form == PRESS else OTHER) if value is None else value
        for field, i, value in changes
    }


class View:
    def __init__(self, tick, solid, spawned, is_whole):
        self.tick = tick
        self.solid = solid  # ids, sorted
        self.spawned = spawned  # ids, sorted, of those that arrived in full
        self.is_whole = is_whole  # whether there is nothing else in it

    def known(self):
        return self.solid + self.spawned if self.is_whole else self.solid

    def more(self):
        """How many follow those that are known: at least, at most."""
        return (0, 0) if self.is_whole else (len(self.spawned), MEMBERS_MAX - len(self.solid))

    def players(self):
        return [each for each in self.solid if class_of(each) == 0]

    def fault(self, seats):
        """What is wrong with who is in it, or None."""
        players = self.players()
        if len({who_of(each) for each in players}) != len({seat_of(each) for each in players}):
            return "two players of one seat"
        if any(seat_of(each) >= seats for each in players):
            return "a player of no seat"
        if len(self.solid) + len(self.spawned) > MEMBERS_MAX:
            return "too many members"
        return None


def whole_view(tick, rows):
    ids = [row["id"] for row in rows]
    solid = [each for each in ids if is_solid(each)]
    return View(tick, solid, ids[len(solid) :], True)


def on_base(base, tick, content):
    """The view that a content makes of its base, and the members that are replayed.

    Fails: Malformed, where it speaks of who is not there."""
    whole = {row["id"] for row in content["rows"]}
    exits = set(content["exits"]) - {None}
    need(not exits & whole, "a member that exits, and comes in full")
    replayed = {
        each: Replayed(each, {}, {}) for each in base.solid if each not in exits and each not in whole
    }
    gone = exits | (whole - {None})
    for when, member, changes in content["inputs"]:
        need(member not in gone, "an input of who is not replayed")
        replayed[member].inputs[when] = told_values(changes)
    for when, member, outcome in content["outcomes"]:
        need(member not in gone, "an outcome of who is not replayed")
        if member in replayed:
            replayed[member].outcomes.setdefault(when, []).append(outcome)
    told = whole - {None}
    solid = sorted(set(replayed) | {each for each in told if is_solid(each)})
    spawned = sorted(each for each in told if not is_solid(each))
    return View(tick, solid, spawned, False), list(replayed.values())
