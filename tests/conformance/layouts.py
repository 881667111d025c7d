"""The page's part "Datagrams": which bytes of a datagram are what, before anything is opened."""

import functools
import hashlib
import ipaddress
import struct
from collections import namedtuple

PROTOCOL = 8
DATAGRAM_MAX = 1_200
ASK_BYTES = 1_200
NONCE = slice(13, 45)
CIPHERS_AT = 1_183
TAG_AT = 1_184
TOKEN_BYTES = 411
TICKET_BYTES = 135
COOKIE_BYTES = 45
REFUSE_BYTES = 42
PROVEN_REFUSE_BYTES = 58
ACCEPT_HEAD_BYTES = 37
ACCEPT_MAX = 512
PACKET_HEAD_BYTES = 7
SEALED_MIN = 23
SEQUENCE_BITS = 18

HELLO, COOKIE, CONNECT, ACCEPT, RESUME, REFUSE = 1, 2, 3, 4, 5, 6
INPUT, SNAPSHOT, DISCONNECT, CHALLENGE, RESPONSE, DRAIN = 8, 9, 10, 11, 12, 14
DESYNC_REPORT, DESYNC_STATE = 16, 17
NAMES = {
    HELLO: "HELLO",
    COOKIE: "COOKIE",
    CONNECT: "CONNECT",
    ACCEPT: "ACCEPT",
    RESUME: "RESUME",
    REFUSE: "REFUSE",
    INPUT: "INPUT",
    SNAPSHOT: "SNAPSHOT",
    DISCONNECT: "DISCONNECT",
    CHALLENGE: "CHALLENGE",
    RESPONSE: "RESPONSE",
    DRAIN: "DRAIN",
    DESYNC_REPORT: "DESYNC_REPORT",
    DESYNC_STATE: "DESYNC_STATE",
}
ASKS = {HELLO, CONNECT, RESUME}
SEALED_TO_SERVER = {INPUT, DISCONNECT, RESPONSE, DESYNC_REPORT}
SEALED_TO_CLIENT = {SNAPSHOT, DISCONNECT, CHALLENGE, DRAIN, DESYNC_STATE}

ConnectRequest = namedtuple("ConnectRequest", "type protocol schema nonce cookie credential ciphers tag clear zeros")
Refusal = namedtuple("Refusal", "nonce reason have limit clear proof")


def type_of(data):
    """The type of a datagram, or None where its first byte is no type."""
    if not data:
        return None
    low = data[0] & 63
    if low not in NAMES or (low < INPUT and data[0] >> 6 > (low == ACCEPT)):
        return None
    return low


def cipher_of(accept):
    return accept[0] >> 6


def schema_hash(schema):
    """`schema`: wire.fbs as bytes."""
    return int.from_bytes(hashlib.sha256(schema).digest()[:8], "big")


def read_request(data):
    """HELLO, CONNECT or RESUME, of the right length."""
    kind, protocol, schema = struct.unpack_from("<BIQ", data)
    cookie, credential, end = b"", b"", 45
    if kind == CONNECT:
        cookie, credential, end = data[45:57], data[57:468], 468
    elif kind == RESUME:
        credential, cookie, end = data[45:180], data[180:192], 192
    tagged = kind != HELLO
    return ConnectRequest(
        type=kind,
        protocol=protocol,
        schema=schema,
        nonce=data[NONCE],
        cookie=cookie,
        credential=credential,
        ciphers=data[CIPHERS_AT] if tagged else 0,
        tag=data[TAG_AT:] if tagged else b"",
        clear=data[:TAG_AT],
        zeros=data[end : CIPHERS_AT if tagged else ASK_BYTES],
    )


def read_refuse(data):
    reason, have, limit = struct.unpack_from("<BII", data, 33)
    return Refusal(data[1:33], reason, have, limit, data[:REFUSE_BYTES], data[REFUSE_BYTES:])


def sequence_bits(data):
    """The low 18 bits of a packet's sequence."""
    return (data[0] >> 6) << 16 | struct.unpack_from("<H", data, 5)[0]


PLACES = 2**13  # of sessions: the low bits of a connection id


def connection_of(data):
    return struct.unpack_from("<I", data, 1)[0]


def nearest_sequence(low, newest):
    """The whole sequence that `low` is the end of: the later of two that are equally near."""
    span = 1 << SEQUENCE_BITS
    around = newest - newest % span + low
    candidates = [value for value in (around - span, around, around + span) if value >= 0]
    return min(candidates, key=lambda value: (abs(value - newest), -value))


def nearest_tick(low, near):
    """The tick that these 16 bits are the end of: the earlier of two that are equally near."""
    ahead = (low - near) % 2**16
    return near + ahead - (2**16 if ahead >= 2**15 else 0)


Address = namedtuple("Address", "ip port")


@functools.cache
def read_address(text):
    """"127.0.0.1:7777" or "[::1]:7777" as it travels: 16 bytes and a port."""
    host, _, port = text.rpartition(":")
    ip = ipaddress.ip_address(host.strip("[]"))
    mapped = ip.packed if ip.version == 6 else bytes(10) + b"\xff\xff" + ip.packed
    return Address(mapped, int(port))
