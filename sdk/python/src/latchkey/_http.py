"""Requests to Latchkey, with a time limit, a size limit and retries."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

TIMEOUT_SECONDS = 5.0
_MAX_ATTEMPTS = 4
_MAX_BODY_BYTES = 1024 * 1024


class RequestFailed(Exception):
    """Latchkey did not answer in time, or answered with something that is not JSON."""


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    #: Seconds to wait before the request is repeated. None if it must not be.
    retry_after: float | None


def normalize_issuer(issuer: str) -> str:
    parts = urlsplit(issuer)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("issuer must be the base URL of Latchkey, such as https://id.example.com.")
    return issuer.rstrip("/")


def create_http_client() -> httpx.Client:
    return httpx.Client(timeout=TIMEOUT_SECONDS)


def request_json(
    http: httpx.Client,
    method: str,
    url: str,
    *,
    params: Mapping[str, str] | None = None,
    data: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Sends a request, and again after 429 and 503, when the service says so with Retry-After.

    Both mean that nothing was done, so every method may be repeated. A failed connection is repeated only for GET.
    No attempt begins more than five seconds after the first.
    """
    deadline = time.monotonic() + TIMEOUT_SECONDS
    request = http.build_request(method, url, params=params, data=data, headers=headers, timeout=TIMEOUT_SECONDS)
    for attempt in range(1, _MAX_ATTEMPTS + 1):
        is_last = attempt == _MAX_ATTEMPTS
        try:
            reply = _send(http, request, deadline)
            if is_last or reply.retry_after is None or time.monotonic() + reply.retry_after > deadline:
                return reply
            wait = reply.retry_after
        except httpx.HTTPError as error:
            wait = 0.1 * 2**attempt
            if is_last or method != "GET" or time.monotonic() + wait > deadline:
                raise RequestFailed(f"{type(error).__name__} at {url}") from error
        time.sleep(wait)
    raise AssertionError("unreachable")


def _send(http: httpx.Client, request: httpx.Request, deadline: float) -> Reply:
    # A redirect is never followed, because it could carry a token elsewhere.
    response = http.send(request, stream=True, follow_redirects=False)
    try:
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > _MAX_BODY_BYTES:
                raise RequestFailed(f"The response of {request.url} is too large.")
            # The timeout of the client is for a single read.
            if time.monotonic() > deadline:
                raise RequestFailed(f"The response of {request.url} takes too long.")
    finally:
        response.close()
    return Reply(response.status_code, _parse(bytes(content)), _retry_after(response))


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _retry_after(response: httpx.Response) -> float | None:
    if response.status_code not in (429, 503):
        return None
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None
