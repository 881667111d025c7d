"""Who is in a view, as far as that follows without stepping: all but the deaths of bullets.

Members are numbered by id, and so players first, then crates, then bullets: of the former every number is known."""

from collections import namedtuple

from flatbuffer import Malformed, need
from messages import BULLET, PLAYER

MEMBERS_MAX = 256

# A player that is replayed: told are its causes, from `base` on.
Replayed = namedtuple("Replayed", "id moves shots teleports")


def seat_of(player):
    return player & 0xFFF


def is_bullet(identity):
    return identity >> 30 == BULLET


def bullet_of(player, tick):
    return BULLET << 30 | seat_of(player) << 18 | tick & 0x3FFFF


class View:
    def __init__(self, tick, solid, bullets, told):
        self.tick = tick
        self.solid = solid  # ids of players and crates, sorted
        self.bullets = bullets  # ids of those that may be in it → the tick in which they are gone for certain
        self.told = told  # ids that came in full: bullets among them are in it

    def is_whole(self):
        """Whether everything in it has come in full with it."""
        return self.told.issuperset(self.solid) and self.told.issuperset(self.bullets)

    def bullet_numbers(self):
        """Each bullet by its number, where these are certain."""
        if not self.told.issuperset(self.bullets):
            return {}
        return dict(enumerate(sorted(self.bullets), len(self.solid)))

    def size_max(self):
        return len(self.solid) + len(self.bullets)

    def fault(self, seats):
        """What is wrong with who is in it, or None."""
        players = [seat_of(each) for each in self.solid if each >> 30 == PLAYER]
        if len(set(players)) < len(players):
            return "two players of one seat"
        if players and max(players) >= seats:
            return "a player of no seat"
        if len(self.solid) + len(self.told.intersection(self.bullets)) > MEMBERS_MAX:
            return "more members than a byte can number"
        return None


def whole_view(tick, snapshot):
    return on_base(View(tick, [], {}, set()), tick, snapshot, 0)[0]


def on_base(base, tick, snapshot, tick_rate):
    """The view that a snapshot makes of its base, and the players whose causes are sent.

    Fails: Malformed, where it speaks of who is not there."""
    whole = {each.id: each for each in snapshot.bodies}
    exits = exits_of(base, snapshot.causes.exits)
    need(not exits & set(whole), "a body that exits, and comes in full")
    replayed = [
        each if each not in exits and each not in whole else None for each in base.solid
    ]
    players = [
        Replayed(each, {}, {}, {}) if each is not None and each >> 30 == PLAYER else None for each in replayed
    ]
    for name, causes in zip(Replayed._fields[1:], snapshot.causes):
        for ago, member, *said in causes:
            need(member < len(players) and players[member], f"{name} of who is no player that is replayed")
            getattr(players[member], name)[tick - ago] = said[0] if len(said) == 1 else tuple(said)
    players = [each for each in players if each]

    solid = {each for each in replayed if each is not None} | {each for each in whole if not is_bullet(each)}
    bullets = {each: gone for each, gone in base.bullets.items() if gone > tick and each not in exits}
    for player in players:
        bullets |= {bullet_of(player.id, born): born + tick_rate for born, (_, ray) in player.shots.items() if not ray}
    bullets |= {each.id: tick + each.timer for each in whole.values() if is_bullet(each.id)}
    return View(tick, sorted(solid), bullets, set(whole)), players


def exits_of(base, members):
    """The ids that exit, as far as they are certain."""
    bullets = base.bullet_numbers()
    exits = set()
    for member in members:
        need(member < base.size_max(), f"member {member} exits, of {base.size_max()} at most")
        if member < len(base.solid):
            exits.add(base.solid[member])
        elif member in bullets:
            exits.add(bullets[member])
    return exits
