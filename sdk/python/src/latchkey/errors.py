"""The exceptions of this package."""

from __future__ import annotations

_STATUS = {"invalid_token": 401, "insufficient_scope": 403, "license_required": 403, "unavailable": 503}


class AuthError(Exception):
    """Why a request was refused, with the response to send.

    ``code`` is ``invalid_token``, ``insufficient_scope``, ``license_required`` or ``unavailable``.
    """

    def __init__(self, code: str, message: str, *, challenge: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = _STATUS[code]
        self.message = message
        #: The WWW-Authenticate header (RFC 6750 §3), for a 401 and for a missing role or scope.
        self.challenge = challenge

    def to_body(self) -> dict[str, str]:
        """The JSON body of the response."""
        return {"error": self.code, "message": self.message}

    def to_headers(self) -> dict[str, str]:
        """The headers of the response."""
        headers = {}
        if self.challenge is not None:
            headers["WWW-Authenticate"] = self.challenge
        if self.status == 503:
            headers["Retry-After"] = "1"
        return headers


class WebhookError(Exception):
    """The request was not sent by Latchkey, is too old, or has been changed. Respond with ``status``, which is 400.

    ``code`` is ``missing_header``, ``invalid_timestamp``, ``invalid_signature`` or ``invalid_body``.
    """

    status = 400

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
