"""Access tokens of a machine client."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote_plus

import httpx

from ._http import RequestFailed, create_http_client, normalize_issuer, request_json
from .errors import AuthError

# A token is replaced this long before it expires.
RENEWAL_SECONDS = 60.0


class MachineToken:
    """Gets the access token of a machine client (client credentials).

    The token is reused until shortly before it expires, and concurrent calls share one request. Threads may share
    an instance.

        machine = MachineToken("http://localhost:3000", "demo-machine", client_secret)
        httpx.get(url, headers={"Authorization": f"Bearer {machine.get()}"})
    """

    def __init__(
        self,
        issuer: str,
        client_id: str,
        client_secret: str,
        *,
        scopes: Sequence[str] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        if not client_id or not client_secret:
            raise ValueError("client_id and client_secret must not be empty.")
        self._url = f"{normalize_issuer(issuer)}/api/oauth/token"
        self._client_id = client_id
        # RFC 6749 §2.3.1: both are form-encoded before they are joined.
        credentials = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
        self._authorization = f"Basic {base64.b64encode(credentials.encode()).decode()}"
        self._form = {"grant_type": "client_credentials", **({} if scopes is None else {"scope": " ".join(scopes)})}
        self._http = http or create_http_client()
        self._lock = threading.Lock()
        self._token: str | None = None
        self._renew_at = 0.0

    def get(self) -> str:
        """The current token. Raises an ``AuthError`` with status 503 if Latchkey issues none."""
        with self._lock:
            if self._token is None or time.monotonic() >= self._renew_at:
                token, lifetime = self._request()
                self._token = token
                self._renew_at = time.monotonic() + max(lifetime - RENEWAL_SECONDS, lifetime / 2)
            return self._token

    def forget(self, token: str) -> None:
        """Forgets a token that Latchkey has refused. The next call of ``get`` requests a new one."""
        with self._lock:
            if self._token == token:
                self._token = None

    def _request(self) -> tuple[str, float]:
        try:
            reply = request_json(
                self._http, "POST", self._url, data=self._form, headers={"Authorization": self._authorization}
            )
        except RequestFailed as error:
            raise AuthError("unavailable", f"No token for {self._client_id}: Latchkey does not answer.") from error
        body: dict[str, Any] = reply.body if isinstance(reply.body, dict) else {}
        token, lifetime = body.get("access_token"), body.get("expires_in")
        if reply.status != 200 or not isinstance(token, str) or not isinstance(lifetime, (int, float)):
            reason = body.get("error_description") or f"the response was {reply.status}"
            raise AuthError("unavailable", f"No token for {self._client_id}: {reason}")
        return token, lifetime
