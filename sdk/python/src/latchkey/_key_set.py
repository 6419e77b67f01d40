"""The public keys of Latchkey."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import httpx
import jwt

from ._http import RequestFailed, request_json

# Latchkey publishes a key 15 minutes before it signs, so keys of this age include every key in use.
MAX_AGE_SECONDS = 600.0
# Tokens with invented key ids must not cause a request each.
COOLDOWN_SECONDS = 30.0
FAILURE_COOLDOWN_SECONDS = 1.0


class KeySet:
    """Keeps the keys, and reads them again when they are old or when a token names an unknown key."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self._url = url
        self._http = http
        self._lock = threading.Lock()
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._expires_at = 0.0
        self._next_fetch_at = 0.0
        self._failed = False

    def find(self, kid: str) -> jwt.PyJWK | None:
        """The key with this id, or None. Raises ``RequestFailed`` if that cannot be decided now."""
        key = self._find_fresh(kid)
        if key is not None:
            return key
        with self._lock:
            # Another thread may have read the keys while this one waited for the lock.
            key = self._find_fresh(kid)
            if key is not None:
                return key
            if time.monotonic() >= self._next_fetch_at:
                self._fetch()
            elif self._failed:
                raise RequestFailed("The keys could not be read a moment ago.")
            return self._keys.get(kid)

    def _find_fresh(self, kid: str) -> jwt.PyJWK | None:
        return self._keys.get(kid) if time.monotonic() < self._expires_at else None

    def _fetch(self) -> None:
        self._failed = True
        try:
            reply = request_json(self._http, "GET", self._url)
            if reply.status != 200:
                raise RequestFailed(f"{self._url} returned {reply.status}.")
            self._keys = _parse_keys(reply.body)
            self._expires_at = time.monotonic() + MAX_AGE_SECONDS
            self._failed = False
        finally:
            pause = FAILURE_COOLDOWN_SECONDS if self._failed else COOLDOWN_SECONDS
            self._next_fetch_at = time.monotonic() + pause


def _parse_keys(body: Any) -> Mapping[str, jwt.PyJWK]:
    entries = body.get("keys") if isinstance(body, dict) else None
    if not isinstance(entries, list):
        raise RequestFailed("The response is not a key set.")
    keys = {}
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("use", "sig") != "sig" or not isinstance(entry.get("kid"), str):
            continue
        try:
            keys[entry["kid"]] = jwt.PyJWK(entry)
        except jwt.PyJWTError:
            # A key of a kind that this version does not know.
            continue
    return keys
