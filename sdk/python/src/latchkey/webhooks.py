"""Verifies webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import WebhookError

TOLERANCE_SECONDS = 5 * 60
# Standard Webhooks asks for at least this many. An empty secret would accept the signature of anybody.
_MIN_SECRET_BYTES = 24


@dataclass(frozen=True)
class WebhookEvent:
    """An event that Latchkey has sent. The events are listed in docs/events.md of Latchkey."""

    #: The same in every attempt to deliver the event.
    id: str
    type: str
    timestamp: str
    #: The place of the event in the order of all events.
    position: int | None
    data: Mapping[str, Any]


def verify_webhook(secret: str | Sequence[str], headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Verifies a webhook request and returns its event. Raises a ``WebhookError`` with status 400.

    Pass the body as it was received, byte for byte. During a rotation, pass the old and the new secret.

        event = verify_webhook(os.environ["WEBHOOK_SECRET"], request.headers, request.body)
    """
    keys = [_to_key(entry) for entry in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("Pass at least one webhook secret.")
    content = body.encode() if isinstance(body, str) else body
    values = {name.lower(): value for name, value in headers.items()}
    message_id = _read(values, "webhook-id")
    timestamp = _read(values, "webhook-timestamp")
    signatures = [_to_signature(entry) for entry in _read(values, "webhook-signature").split(" ")]
    if not _is_recent(timestamp):
        raise WebhookError("invalid_timestamp", "The webhook is too old, or the clock of this machine is wrong.")
    signed = f"{message_id}.{timestamp}.".encode() + content
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    if not any(hmac.compare_digest(signature, digest) for signature in signatures for digest in expected):
        raise WebhookError("invalid_signature", "The signature of the webhook is wrong.")
    return _parse(content)


def _to_key(secret: str) -> bytes:
    encoded = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < _MIN_SECRET_BYTES:
        raise ValueError("The webhook secret is not valid. Copy it as Latchkey showed it, with whsec_ at the start.")
    return key


def _read(values: Mapping[str, str], name: str) -> str:
    value = values.get(name)
    if not value:
        raise WebhookError("missing_header", f"The header {name} is missing.")
    return value


def _is_recent(timestamp: str) -> bool:
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    return is_number and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


def _to_signature(entry: str) -> bytes:
    """Empty, and so never equal, for a scheme that is not v1."""
    version, _, encoded = entry.partition(",")
    try:
        return base64.b64decode(encoded, validate=True) if version == "v1" else b""
    except (binascii.Error, ValueError):
        return b""


def _parse(content: bytes) -> WebhookEvent:
    try:
        event = json.loads(content)
        return WebhookEvent(
            id=event["id"],
            type=event["type"],
            timestamp=event["timestamp"],
            position=event.get("position"),
            data=event["data"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WebhookError("invalid_body", "The body of the webhook is not an event.") from error
