"""A seal: tells what this user's Oddsmith has written from what anybody else has.

It is keyed BLAKE2b (J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein, ACNS 2013;
RFC 7693), a message authentication code. The key is 32 random bytes in the folder of the user's
data, which nobody else can read; who does not know it cannot seal a text of his own, however much
he knows of the format.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from oddsmith.errors import OddsmithError
from oddsmith.runtime.data_folder import data_folder

LENGTH = 32


class Seal:
    """Seals by the key of this user."""

    def __init__(self) -> None:
        self.key = _key()

    def of(self, data: Any) -> str:
        """The seal of some bytes: 32 hexadecimal digits."""
        return blake2b(data, key=self.key, digest_size=16).hexdigest()

    def fits(self, data: Any, seal: object) -> bool:
        """Whether a seal is that of some bytes."""
        return isinstance(seal, str) and hmac.compare_digest(self.of(data).encode(), seal.encode())


def _key() -> bytes:
    """The user's key; it is made when it is asked for first."""
    path = None
    try:
        path = data_folder() / "seal.key"
        if not path.exists():
            _make(path)
        found = path.read_bytes()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OddsmithError(
            f"Checkpoints are sealed by a key of yours, and {path or 'it'} cannot be had: "
            f"{reason}. Name a folder that you can write by XDG_DATA_HOME."
        ) from None
    if len(found) != LENGTH:
        raise OddsmithError(f"{path} is not the key that was made there: delete it.")
    return found


def _make(path: Path) -> None:
    """Put a new key there, whole, unless somebody else does at the same moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(LENGTH))
        try:
            os.link(beside, path)
        except FileExistsError:  # somebody else's of this moment is as good
            pass
        except OSError:  # a file system without links
            beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink()
