"""The page's part "Cryptography": how keys follow from each other, what they seal, and what they tag."""

import ctypes
import hashlib
import struct

from nacl import bindings
from nacl.exceptions import CryptoError

KEY_BYTES = 32
TAG_BYTES = 16
DRAWN_NONCE_BYTES = 24
EPOCH_PACKETS = 65_536
CHACHA, AES = 0, 1  # ciphers, as the first byte of an ACCEPT has them

SODIUM = ctypes.CDLL("libsodium.so.23")  # PyNaCl 1.5 has no AES


def blake2b(key, *parts, size=KEY_BYTES):
    """BLAKE2b of `size` bytes, keyed unless the key is empty."""
    digest = hashlib.blake2b(digest_size=size, key=key)
    for part in parts:
        digest.update(part)
    return digest.digest()


def tag(key, data):
    return blake2b(key, data, size=TAG_BYTES)


def nonce_of(secret):
    """The nonce of the end of a handshake that has drawn this secret."""
    return bindings.crypto_scalarmult_base(secret)


def agreed(secret, other_nonce):
    return bindings.crypto_scalarmult(secret, other_nonce)


def session_key(key, client_nonce, server_nonce, agreed_key):
    return blake2b(key, b"tickbox session", client_nonce, server_nonce, agreed_key)


def resume_key(key):
    return blake2b(key, b"tickbox resume")


def next_key(key):
    return blake2b(key, b"tickbox next key")


PUBLISHED_KEY = blake2b(b"", b"tickbox published key, loopback only")


def unseal_aes(key, nonce, clear, sealed):
    message = ctypes.create_string_buffer(len(sealed))
    sizes = ctypes.c_ulonglong(len(sealed)), ctypes.c_ulonglong(len(clear))
    failed = SODIUM.crypto_aead_aes256gcm_decrypt(
        message, None, None, sealed, sizes[0], clear, sizes[1], nonce, key
    )
    return None if failed else message.raw[: len(sealed) - TAG_BYTES]


def unseal(key, sequence, clear, sealed, cipher=CHACHA):
    """The message, or None where the seal does not open."""
    nonce = bytes(4) + struct.pack("<Q", sequence)
    if cipher == AES:
        return unseal_aes(key, nonce, clear, sealed)
    try:
        return bindings.crypto_aead_chacha20poly1305_ietf_decrypt(sealed, clear, nonce, key)
    except (CryptoError, ValueError):
        return None


def unseal_drawn(key, nonce, clear, sealed):
    """As unseal(), of what has a drawn nonce."""
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, clear, nonce, key)
    except (CryptoError, ValueError):
        return None


class KeyChain:
    """The keys of one direction of one session, epoch by epoch."""

    def __init__(self, first, cipher):
        self._keys = [first]
        self.cipher = cipher

    def of(self, sequence):
        epoch = sequence // EPOCH_PACKETS
        while len(self._keys) <= epoch:
            self._keys.append(next_key(self._keys[-1]))
        return self._keys[epoch]
