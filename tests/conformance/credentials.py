"""What lets a client in: the key ring, the connect token as text and as it travels, the resume ticket."""

import base64
import re
import struct
from collections import namedtuple

import crypto
from layouts import TOKEN_BYTES, Address

RING_MAX = 16
SERVERS_MAX = 8
USER_MAX = 128
SERVER_BYTES = 18
TOKEN_TEXT_BYTES = 620
TOKEN_PREFIX = "tickbox-token-1."
TOKEN_SECRET_BYTES = 350

Token = namedtuple("Token", "key_id issued expires client to_server to_client room servers user")
TokenText = namedtuple("TokenText", "sealed to_server to_client servers")


class BadCredential(Exception):
    """A ring or token that is not as the page says."""


def need(holds, what):
    if not holds:
        raise BadCredential(what)


def read_ring(text):
    """Keys by id."""
    ring = {}
    for line in text.splitlines():
        parts = line.split("#", 1)[0].split()
        if not parts:
            continue
        need(len(parts) == 2 and parts[0].isdecimal(), "ring: a line that is no id and key")
        need(1 <= int(parts[0]) <= 2**32 - 1 and int(parts[0]) not in ring, "ring: id")
        need(re.fullmatch("[0-9a-fA-F]{64}", parts[1]), "ring: key")
        ring[int(parts[0])] = bytes.fromhex(parts[1])
    need(1 <= len(ring) <= RING_MAX, "ring: 1 to 16 keys")
    return ring


def read_servers(count, data):
    need(1 <= count <= SERVERS_MAX, "token: 1 to 8 servers")
    need(not any(data[count * SERVER_BYTES :]), "token: unused servers are not zero")
    places = range(0, count * SERVER_BYTES, SERVER_BYTES)
    return [Address(data[at : at + 16], struct.unpack_from("<H", data, at + 16)[0]) for at in places]


def key_id(sealed):
    return struct.unpack_from("<I", sealed, 1)[0]


def token_id(sealed):
    return sealed[-16:]


def open_token(sealed, ring):
    """A sealed token, or None where it does not open. Requires that the ring has its key."""
    secret = crypto.unseal_drawn(
        ring[key_id(sealed)], sealed[21:45], b"tickbox connect token" + sealed[:21], sealed[45:]
    )
    if secret is None or sealed[0] != 1:
        return None
    need(len(secret) == TOKEN_SECRET_BYTES, "token: secret's size")
    identity, issued, expires = struct.unpack_from("<IQQ", sealed, 1)
    client, room, count, user_bytes = struct.unpack("<Q64xIBB", secret[:78])
    need(user_bytes <= USER_MAX, "token: user bytes")
    need(not any(secret[222 + user_bytes :]), "token: no zeros after the user bytes")
    return Token(
        key_id=identity,
        issued=issued,
        expires=expires,
        client=client,
        to_server=secret[8:40],
        to_client=secret[40:72],
        room=room,
        servers=read_servers(count, secret[78:222]),
        user=secret[222 : 222 + user_bytes],
    )


def read_token_text(text):
    text = text.strip()
    need(text.startswith(TOKEN_PREFIX), "token: does not begin as one")
    body = text[len(TOKEN_PREFIX) :]
    need(re.fullmatch("[A-Za-z0-9_-]*", body), "token: not base64url")
    data = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    need(len(data) == TOKEN_TEXT_BYTES, "token: size")
    need(base64.urlsafe_b64encode(data).rstrip(b"=").decode() == body, "token: another spelling of its bytes")
    return TokenText(
        sealed=data[:TOKEN_BYTES],
        to_server=data[411:443],
        to_client=data[443:475],
        servers=read_servers(data[475], data[476:]),
    )


def read_token(text, ring):
    """The text's parts; what its sealed part says is checked against them where the ring opens it."""
    parts = read_token_text(text)
    if key_id(parts.sealed) in ring:
        token = open_token(parts.sealed, ring)
        if token is not None:
            beside = (parts.to_server, parts.to_client, parts.servers)
            need((token.to_server, token.to_client, token.servers) == beside, "token: text and seal differ")
    return parts


def ticket_boot(ticket):
    return struct.unpack_from("<Q", ticket, 1)[0]
